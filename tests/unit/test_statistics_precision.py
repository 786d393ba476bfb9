"""The stopping rule, and the advice when it never said stop."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from ciphermark.errors import MeasurementError
from ciphermark.statistics.advice import advice, required_copies, required_time
from ciphermark.statistics.precision import (
    BATCHES_MIN,
    INDEPENDENT_BATCHES_MIN,
    ROUNDS_MIN,
    enough,
    half_width,
    is_look,
)
from ciphermark.statistics.totals import Estimate

NARROW = Estimate(
    ratio=1.02,
    ratio_low=1.018,
    ratio_high=1.022,
    confidence=0.95,
    df=12.0,
    batches=40,
    rounds=ROUNDS_MIN,
    copies=6,
    between_copy_sd=0.001,
    estimator="",
    independent_batches=40.0,
)
WIDE = replace(NARROW, ratio_low=1.0, ratio_high=1.04)


def stops(*estimates: Estimate, batches: int = 40, done: int = 1, step: int = 1) -> bool:
    return enough(
        estimates, batches=batches, draws_done=done, draws_planned=1, precision=0.005, step=step
    )


def test_it_stops_when_all_intervals_are_narrow() -> None:
    assert stops(NARROW)
    assert stops(NARROW, NARROW)
    assert not stops(NARROW, WIDE)
    assert not stops()


def test_it_does_not_stop_before_enough_was_seen() -> None:
    assert not stops(NARROW, batches=BATCHES_MIN - 1)
    assert not stops(NARROW, done=0)
    assert not stops(replace(NARROW, rounds=ROUNDS_MIN - 1))
    assert not stops(replace(NARROW, independent_batches=INDEPENDENT_BATCHES_MIN - 0.1))


def test_a_half_width_equal_to_the_precision_is_enough() -> None:
    exact = half_width(NARROW)
    assert enough([NARROW], batches=40, draws_done=1, draws_planned=1, precision=exact)
    assert not enough([NARROW], batches=40, draws_done=1, draws_planned=1, precision=exact * 0.999)


def test_looks_become_rarer_as_batches_grow() -> None:
    assert [batches for batches in range(101) if is_look(batches)] == [
        20, 25, 32, 40, 49, 62, 77, 96,
    ]  # fmt: skip


def test_who_asks_seldom_misses_no_look() -> None:
    asked = range(0, 101, 7)
    assert [batches for batches in asked if is_look(batches, 7)] == [21, 28, 35, 42, 49, 63, 77, 98]


def test_the_half_width_is_that_of_the_metric() -> None:
    assert half_width(NARROW, "cpu_per_transaction") == pytest.approx(0.002)
    assert half_width(NARROW) == pytest.approx((1 / 1.018 - 1 / 1.022) / 2)


def test_advice_for_noise_is_more_time() -> None:
    noise = replace(WIDE, between_copy_sd=0.0)
    found = advice(noise, 0.01)
    assert found.copies == 6
    assert found.time_factor == pytest.approx(4, rel=0.1)
    assert advice(noise, 0.02).time_factor == pytest.approx(1, abs=0.1)


def test_advice_for_copies_is_more_copies() -> None:
    apart = replace(WIDE, between_copy_sd=0.015)
    few, many = required_copies(apart, 0.02), required_copies(apart, 0.005)
    assert 6 <= few < many
    assert required_time(apart, 0.005, copies=6) == inf
    assert required_time(apart, 0.005, copies=many) < inf
    assert f"{many} copies" in str(advice(apart, 0.005))


def test_advice_grows_with_the_square_of_the_precision() -> None:
    apart = replace(WIDE, between_copy_sd=0.01)
    assert required_copies(apart, 0.002) / required_copies(apart, 0.004) == pytest.approx(
        4, rel=0.1
    )


def test_what_no_number_of_copies_reaches_is_said() -> None:
    hopeless = advice(replace(WIDE, between_copy_sd=0.5), 0.0001)
    assert not hopeless.within_reach
    assert "out of reach" in str(hopeless)
    with pytest.raises(MeasurementError):
        advice(WIDE, 0.0)
