"""Waiting for a lock: short sleeps, and an end."""

from __future__ import annotations

import pytest

from ciphermark.engine.sqlite.busy import busy_handler


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_ns = 5_000_000_000
        self.sleeps_s: list[float] = []

    def clock_ns(self) -> int:
        return self.now_ns

    def sleep(self, duration_s: float) -> None:
        self.sleeps_s.append(duration_s)
        self.now_ns += round(duration_s * 1e9)


def wait_until_given_up(timeout_ms: int, draw: float) -> Time:
    time = Time()
    handler = busy_handler(timeout_ms, clock_ns=time.clock_ns, sleep=time.sleep, draw=lambda: draw)
    calls = 0
    while handler(calls):
        calls += 1
    return time


def test_it_gives_up_when_the_time_is_over() -> None:
    time = wait_until_given_up(50, draw=0.5)
    assert 0.050 <= sum(time.sleeps_s) < 0.052


def test_sleeps_grow_to_a_millisecond_and_no_more() -> None:
    time = wait_until_given_up(1000, draw=0.5)
    assert time.sleeps_s[:3] == [0.0001, 0.0002, 0.0004]
    assert max(time.sleeps_s) == 0.001


def test_sleeps_differ_between_terminals() -> None:
    assert wait_until_given_up(10, draw=0.0).sleeps_s[0] == 0.00005
    assert wait_until_given_up(10, draw=1.0).sleeps_s[0] == pytest.approx(0.00015)


def test_no_timeout_means_no_wait() -> None:
    assert wait_until_given_up(0, draw=0.5).sleeps_s == []


def test_each_lock_is_waited_for_anew() -> None:
    time = Time()
    handler = busy_handler(10, clock_ns=time.clock_ns, sleep=time.sleep)
    assert handler(0)
    time.now_ns += 3_600_000_000_000
    assert not handler(1)
    assert handler(0)
