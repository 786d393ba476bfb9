"""What holds for the estimates of any totals, and for any family of p-values."""

from __future__ import annotations

from math import isfinite
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.results.document import Metric
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.holm import holm
from ciphermark.statistics.noise_floor import Interval
from ciphermark.statistics.totals import ArmTotals
from ciphermark.statistics.verdict import Finding, verdict

COST = st.floats(0.001, 1000.0)
WORK = st.integers(1, 10**7)


@st.composite
def experiments(draw: st.DrawFn) -> tuple[ArmTotals, ArmTotals]:
    """Two arms of any shape with an interval; copies may miss batches, and so may both arms."""
    shape = draw(st.tuples(st.integers(2, 6), st.integers(1, 4)))
    cells = shape[0] * shape[1]
    rounds = np.array(draw(st.lists(st.integers(0, 3), min_size=cells, max_size=cells)))
    rounds = rounds.reshape(shape)
    rounds[:, 0] = 1

    def arm() -> ArmTotals:
        cost = draw(st.lists(COST, min_size=cells, max_size=cells))
        work = draw(st.lists(WORK, min_size=cells, max_size=cells))
        done = np.array(work, dtype=np.float64).reshape(shape) * (rounds > 0)
        return ArmTotals(done * np.array(cost).reshape(shape), done, rounds)

    return arm(), arm()


@given(experiments())
def test_ends_are_finite_and_around_the_ratio(arms: tuple[ArmTotals, ArmTotals]) -> None:
    found = overhead(*arms)
    numbers = (found.df, found.between_copy_sd, found.independent_batches, found.ratio)
    assert all(isfinite(number) for number in numbers)
    assert 0 <= found.ratio_low <= found.ratio * (1 + 1e-9)
    assert found.ratio <= found.ratio_high * (1 + 1e-9)
    assert found.df >= 1


@given(experiments(), st.floats(0.01, 100), st.floats(0.01, 100))
def test_units_do_not_matter(arms: tuple[ArmTotals, ArmTotals], amount: float, work: float) -> None:
    arm, control = arms
    found = overhead(arm, control)
    scaled = [ArmTotals(a.amount * amount, a.work * work, a.rounds) for a in arms]
    again = overhead(scaled[0], scaled[1])
    assert again.ratio == pytest.approx(found.ratio)
    assert np.log(again.ratio_high) == pytest.approx(np.log(found.ratio_high), rel=1e-5, abs=1e-7)


@given(experiments(), st.randoms(use_true_random=False))
def test_the_order_of_copies_does_not_matter(
    arms: tuple[ArmTotals, ArmTotals], random: Random
) -> None:
    order = list(range(arms[0].amount.shape[1]))
    random.shuffle(order)
    turned = [ArmTotals(a.amount[:, order], a.work[:, order], a.rounds[:, order]) for a in arms]
    found, again = overhead(*arms), overhead(turned[0], turned[1])
    assert np.log(again.ratio_low) == pytest.approx(np.log(found.ratio_low), rel=1e-5, abs=1e-7)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_no_more_than_no_correction_and_no_less_than_bonferroni(
    p_values: list[float],
) -> None:
    for p, rejected in zip(p_values, holm(p_values), strict=True):
        assert not rejected or p <= 0.05
        assert rejected or p > 0.05 / len(p_values)


FRACTION = st.floats(-0.9, 5.0)


@given(st.tuples(FRACTION, FRACTION, FRACTION), st.sampled_from(["throughput", "latency_p99"]))
def test_a_verdict_never_stands_without_its_interval(
    ends: tuple[float, float, float], metric: Metric
) -> None:
    low, value, high = sorted(ends)
    text = verdict(Finding("TDE", metric, 2, Interval(value, low, high)))
    assert "nan" not in text
    assert " to " in text or "is excluded" in text
