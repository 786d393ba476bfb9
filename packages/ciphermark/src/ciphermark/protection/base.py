"""What a protection is: something done to an engine so that its data are encrypted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ciphermark.engine.base import Encryption, Engine
from ciphermark.errors import Problem

__all__ = ["Protection"]


class Protection(Protocol):
    """A protection with the options of one arm set; picklable."""

    @property
    def kind(self) -> str:
        """Name of the plug-in: "none", "tde", …"""

    @property
    def label(self) -> str:
        """How charts and tables name it, such as "tde chacha20"."""

    @property
    def encrypts(self) -> bool:
        """Whether data at rest must come out encrypted: what the proof has to show."""

    def check(self, engine: Engine, path: str) -> tuple[Problem, ...]:
        """What speaks against this protection on that engine; `path` is the arm's plan path."""

    def prepare(self, engine: Engine, arm: str, keys: Path) -> Encryption | None:
        """Makes or finds the arm's key in the folder `keys` (mode 0700) and says how to encrypt.

        Called once for each arm and again when a run is resumed: then it finds the key it made.
        """

    def describe(self) -> Mapping[str, str]:
        """The effective options, by name, for the result document; never a key."""
