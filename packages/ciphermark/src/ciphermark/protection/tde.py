"""Transparent data encryption: the engine's own, of pages and logs, with one key for each arm.

Protects data at rest against whoever reads the disk. It does not protect them from users of the
database, from the memory of the process, or from someone who holds the key file.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.registry import Plugin

if TYPE_CHECKING:
    from ciphermark.engine.base import Encryption, Engine
    from ciphermark.errors import Problem
    from ciphermark.protection.options import TDEOptions

__all__ = ["TDE", "TransparentEncryption"]

TDE = Plugin(
    name="tde",
    description="the engine's own transparent data encryption",
    factory="ciphermark.protection.tde:TransparentEncryption",
    options="ciphermark.protection.options:TDEOptions",
)

FOLDER_MODE = 0o700


@dataclass(frozen=True, slots=True)
class TransparentEncryption:
    """Has the engine encrypt an arm with a key of its own."""

    options: TDEOptions

    @property
    def kind(self) -> str:
        return "tde"

    @property
    def label(self) -> str:
        return self.options.label or f"tde {self.options.cipher}".rstrip()

    @property
    def encrypts(self) -> bool:
        return True

    def check(self, engine: Engine, path: str) -> tuple[Problem, ...]:
        """A problem when the engine cannot encrypt, or not with this cipher."""
        from ciphermark.errors import Problem

        if not engine.ciphers:
            return (Problem(f"{path}.protection", f"{engine.kind} has no encryption of its own"),)
        cipher = self.options.cipher
        if not cipher or cipher in engine.ciphers:
            return ()
        close = difflib.get_close_matches(cipher.lower(), engine.ciphers, n=1)
        hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(engine.ciphers)}"
        return (Problem(f"{path}.cipher", f"{engine.kind} has no cipher {cipher!r}", hint),)

    def prepare(self, engine: Engine, arm: str, keys: Path) -> Encryption | None:
        """The encryption with the arm's key, which is made when it is not there yet."""
        from ciphermark.engine.base import Encryption

        cipher = self.options.cipher or engine.ciphers[0]
        keys.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        os.chmod(keys, FOLDER_MODE)
        path = keys / _file_name(arm)
        if not path.exists():
            engine.make_key(cipher, path)
        return Encryption(cipher=cipher, key_file=path)

    def describe(self) -> Mapping[str, str]:
        return {"cipher": self.options.cipher or "the engine's default"}


def _file_name(arm: str) -> str:
    """A file name for the arm's key; arms of different names never share one."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", arm).strip("-")
    return f"{plain}-{hashlib.sha256(arm.encode()).hexdigest()[:6]}.key"
