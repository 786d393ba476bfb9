"""What a long command tells its user while it works; the command line draws it."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "SilentProgress"]


class Progress(Protocol):
    """Is told what goes on, from one thread, and never between the clock reads of a slice.

    Every call returns at once: an implementation draws seldom, because drawing takes a core away
    from what is measured.
    """

    def phase(self, name: str, detail: str = "") -> None:
        """A new part of the work begins, such as "load" with the detail "plain, copy 2 of 6"."""

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        """`done_s` of at most `total_s` seconds of the phase are over.

        `interval` is the estimate so far in words, such as "chacha20 +34.6 % ± 0.8".
        """

    def message(self, text: str) -> None:
        """One line that stays to be read."""

    def close(self) -> None:
        """The work is over; may be called twice."""


class SilentProgress:
    """Tells nothing."""

    def phase(self, name: str, detail: str = "") -> None:
        """Nothing is shown."""

    def update(self, done_s: float, total_s: float, interval: str = "") -> None:
        """Nothing is shown."""

    def message(self, text: str) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        """Nothing is open."""
