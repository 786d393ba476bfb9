"""The clocks, and what the watch says of machines that sleep or change their time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ciphermark.measurement import clock
from ciphermark.measurement.clock import (
    Clock,
    ClockReading,
    ClockWatch,
    MonotonicClock,
    SimulatedClock,
    read_clocks,
)

S = 1_000_000_000


def watch_of(*readings: ClockReading) -> ClockWatch:
    """A watch that sees the readings, one after the other."""
    waiting: Iterator[ClockReading] = iter(readings)
    return ClockWatch(lambda: next(waiting))


START = ClockReading(monotonic_ns=5 * S, boot_ns=100 * S, wall_ns=1_700_000_000 * S)


def later(monotonic_s: float, boot_s: float, wall_s: float) -> ClockReading:
    """A reading so many seconds after the start, by each clock."""
    return ClockReading(
        START.monotonic_ns + round(monotonic_s * S),
        START.boot_ns + round(boot_s * S),
        START.wall_ns + round(wall_s * S),
    )


def test_nothing_happened() -> None:
    findings = watch_of(START, later(10, 10, 10)).check()
    assert findings.elapsed_ns == 10 * S
    assert findings.problems == ()


def test_a_suspended_machine_is_noticed() -> None:
    findings = watch_of(START, later(10, 70, 70)).check()
    assert findings.problems == ("the machine was suspended for 60.0 s",)


@pytest.mark.parametrize(
    ("wall_s", "words"),
    [
        (3610, "the wall clock was set forwards by 3600.0 s"),
        (-3590, "the wall clock was set back by 3600.0 s"),
    ],
)
def test_a_wall_clock_that_was_set_is_noticed(wall_s: float, words: str) -> None:
    assert watch_of(START, later(10, 10, wall_s)).check().problems == (words,)


def test_sleep_and_a_set_clock_are_told_apart() -> None:
    findings = watch_of(START, later(10, 70, 75)).check()
    assert findings.problems == (
        "the machine was suspended for 60.0 s",
        "the wall clock was set forwards by 5.0 s",
    )


def test_a_slewed_clock_is_no_problem() -> None:
    assert watch_of(START, later(100, 100, 100.05)).check().problems == ()


def test_each_check_looks_at_the_time_since_the_last() -> None:
    watch = watch_of(START, later(10, 70, 70), later(20, 80, 80))
    assert watch.check().problems
    assert watch.check().problems == ()


def test_the_machines_own_clocks_agree() -> None:
    watch = ClockWatch()
    assert watch.check().problems == ()
    assert read_clocks().monotonic_ns <= time.monotonic_ns()


def test_a_reading_that_was_interrupted_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    spreads = iter([900, 300, 5, 700])  # microseconds between first and last read
    made = [
        (ClockReading(number, number, number), spread * 1000)
        for number, spread in enumerate(spreads)
    ]
    monkeypatch.setattr(clock, "_read_once", lambda: made.pop(0))
    assert read_clocks() == ClockReading(2, 2, 2)
    always_slow = (ClockReading(7, 7, 7), 10**9)
    monkeypatch.setattr(clock, "_read_once", lambda: always_slow)
    assert read_clocks() == ClockReading(7, 7, 7)


def test_the_simulated_clock_moves_when_it_is_told_to() -> None:
    simulated = SimulatedClock(start_ns=100, step_ns=5)
    assert [simulated.now_ns(), simulated.now_ns()] == [100, 105]
    simulated.sleep_ns(1000)
    assert simulated.now_ns() == 1110
    simulated.sleep_ns(-3)
    assert simulated.now_ns() == 1115


def test_the_monotonic_clock_is_a_clock() -> None:
    real: Clock = MonotonicClock()
    before_ns = real.now_ns()
    real.sleep_ns(1)
    real.sleep_ns(-1)
    assert real.now_ns() > before_ns
