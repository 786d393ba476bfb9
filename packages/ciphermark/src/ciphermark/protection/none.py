"""No protection: the plain arm that all others are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.registry import Plugin

if TYPE_CHECKING:
    from ciphermark.engine.base import Encryption, Engine
    from ciphermark.errors import Problem
    from ciphermark.protection.options import NoneOptions

__all__ = ["NONE", "NoProtection"]

NONE = Plugin(
    name="none",
    description="no encryption: the control arm",
    factory="ciphermark.protection.none:NoProtection",
    options="ciphermark.protection.options:NoneOptions",
)


@dataclass(frozen=True, slots=True)
class NoProtection:
    """Leaves the engine's data as they are."""

    options: NoneOptions

    @property
    def kind(self) -> str:
        return "none"

    @property
    def label(self) -> str:
        return self.options.label or "plain"

    @property
    def encrypts(self) -> bool:
        return False

    def check(self, engine: Engine, path: str) -> tuple[Problem, ...]:
        return ()

    def prepare(self, engine: Engine, arm: str, keys: Path) -> Encryption | None:
        return None

    def describe(self) -> Mapping[str, str]:
        return {}
