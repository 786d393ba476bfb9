"""The clocks: one to measure with, one for simulations, and a watch over the machine's own.

All durations come from CLOCK_MONOTONIC, which runs alike in every process of the machine. It stands
still while the machine sleeps and says nothing when somebody sets the wall clock: `ClockWatch` sees
both, so that no figure is taken from such a stretch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Clock",
    "ClockFindings",
    "ClockReading",
    "ClockWatch",
    "MonotonicClock",
    "SimulatedClock",
    "read_clocks",
]

SUSPENDED_NS_MIN = 5_000_000
"""Boot time and monotonic time differ by nothing but sleep; the rest is the two reads."""

JUMPED_NS_MIN = 100_000_000
"""Steps of the wall clock below this are time services at work; no figure depends on them."""

TIGHT_NS = 20_000
"""Clocks read within this time count as read at once."""

ATTEMPTS = 10


class Clock(Protocol):
    """A clock in nanoseconds that never goes back, and a way to wait by it."""

    def now_ns(self) -> int:
        """Nanoseconds since an arbitrary moment; hot path."""

    def sleep_ns(self, duration_ns: int) -> None:
        """Waits for at least `duration_ns`."""


class MonotonicClock:
    """The machine's monotonic clock; readings of different processes can be compared."""

    now_ns = staticmethod(time.monotonic_ns)

    def sleep_ns(self, duration_ns: int) -> None:
        """Waits for at least `duration_ns`; returns at once when it is not positive."""
        if duration_ns > 0:
            time.sleep(duration_ns / 1e9)


class SimulatedClock:
    """A clock that moves only when it is told to, or by `step_ns` at every reading."""

    def __init__(self, start_ns: int = 0, step_ns: int = 0) -> None:
        self._now_ns = start_ns
        self._step_ns = step_ns

    def now_ns(self) -> int:
        """The current reading; moves the clock by its step."""
        now_ns = self._now_ns
        self._now_ns += self._step_ns
        return now_ns

    def sleep_ns(self, duration_ns: int) -> None:
        """Moves the clock on; nobody waits."""
        self._now_ns += max(0, duration_ns)

    advance_ns = sleep_ns


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The monotonic clock, the clock that counts sleep too, and the wall clock, at one moment."""

    monotonic_ns: int
    boot_ns: int
    wall_ns: int


def read_clocks() -> ClockReading:
    """Reads the three clocks at once, as far as that is possible: the closest of some attempts.

    Between two of the reads the process may lose its core, for long on a busy machine.
    """
    best, spread_ns = _read_once()
    for _ in range(ATTEMPTS - 1):
        if spread_ns < TIGHT_NS:
            break
        other, other_spread_ns = _read_once()
        if other_spread_ns < spread_ns:
            best, spread_ns = other, other_spread_ns
    return best


def _read_once() -> tuple[ClockReading, int]:
    before_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    boot_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    wall_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
    after_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return ClockReading((before_ns + after_ns) // 2, boot_ns, wall_ns), after_ns - before_ns


@dataclass(frozen=True, slots=True)
class ClockFindings:
    """What happened to the clocks between two readings; `problems` is empty when nothing did."""

    elapsed_ns: int
    suspended_ns: int
    wall_jump_ns: int

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each thing that makes figures of this stretch worthless."""
        found = []
        if self.suspended_ns >= SUSPENDED_NS_MIN:
            found.append(f"the machine was suspended for {self.suspended_ns / 1e9:.1f} s")
        if abs(self.wall_jump_ns) >= JUMPED_NS_MIN:
            direction = "forwards" if self.wall_jump_ns > 0 else "back"
            found.append(
                f"the wall clock was set {direction} by {abs(self.wall_jump_ns) / 1e9:.1f} s"
            )
        return tuple(found)


class ClockWatch:
    """Compares the machine's clocks over a stretch: a batch, a block, a whole run."""

    def __init__(self, read: Callable[[], ClockReading] = read_clocks) -> None:
        self._read = read
        self._last = read()

    def check(self) -> ClockFindings:
        """What happened since the last check, or since the watch was made."""
        last, self._last = self._last, self._read()
        elapsed_ns = self._last.monotonic_ns - last.monotonic_ns
        boot_ns = self._last.boot_ns - last.boot_ns
        wall_ns = self._last.wall_ns - last.wall_ns
        return ClockFindings(elapsed_ns, boot_ns - elapsed_ns, wall_ns - boot_ns)
