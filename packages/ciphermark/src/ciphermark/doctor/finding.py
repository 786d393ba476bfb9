"""What a check of the doctor comes to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

__all__ = ["Finding", "Level", "fail", "ok", "warn"]


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARN = "warn"
    """Figures will be worse than they could be, or a part cannot be used."""
    FAIL = "fail"
    """Measuring will not work here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The subject, what was found, and what to do about it (empty when there is nothing to do)."""

    level: Level
    subject: str
    what: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """The finding as JSON holds it; the names are stable."""
        return {name: str(value) for name, value in asdict(self).items()}


def ok(subject: str, what: str) -> Finding:
    """Nothing is wrong."""
    return Finding(Level.OK, subject, what)


def warn(subject: str, what: str, remedy: str) -> Finding:
    """Something could be better."""
    return Finding(Level.WARN, subject, what, remedy)


def fail(subject: str, what: str, remedy: str) -> Finding:
    """Something must be changed first."""
    return Finding(Level.FAIL, subject, what, remedy)
