"""Sentences of verdicts, and which comparisons stay significant among many."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from ciphermark.results.document import Metric
from ciphermark.statistics.holm import holm, p_value, significant
from ciphermark.statistics.noise_floor import Interval, interval
from ciphermark.statistics.totals import Estimate
from ciphermark.statistics.verdict import Finding, decimals, verdict

FLOOR = Interval(0.001, -0.004, 0.006)
COST = Finding("TDE chacha20", "throughput", 64, Interval(0.021, 0.016, 0.027), FLOOR)
METRICS: tuple[Metric, ...] = get_args(Metric)


def test_a_cost_has_its_interval_and_the_noise_floor() -> None:
    assert verdict(COST) == (
        "TDE chacha20 costs 2.10 % of throughput (1.60 to 2.70) at 64 terminals; "
        "the noise floor is ±0.50 %."
    )


def test_zero_inside_the_interval_is_no_verdict_of_zero() -> None:
    unclear = replace(COST, overhead=Interval(0.002, -0.004, 0.008), terminals=1, floor=None)
    assert verdict(unclear) == (
        "TDE chacha20: throughput is not distinguishable from the control's; "
        "a cost above 0.80 % is excluded at 1 terminal."
    )


def test_a_gain_is_named_as_one() -> None:
    gain = replace(COST, overhead=Interval(-0.05, -0.07, -0.03), floor=None)
    assert verdict(gain) == "TDE chacha20 raises throughput by 5.0 % (3.0 to 7.0) at 64 terminals."
    cpu: Metric = "server_cpu_per_transaction"
    assert verdict(replace(gain, metric=cpu)) == (
        "TDE chacha20 saves 5.0 % of the server CPU time per transaction (3.0 to 7.0) "
        "at 64 terminals."
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "overhead",
    [Interval(0.3, 0.2, 0.4), Interval(0.0, -0.1, 0.1), Interval(-0.3, -0.4, -0.2)],
)
def test_every_metric_has_words_for_every_outcome(metric: Metric, overhead: Interval) -> None:
    text = verdict(replace(COST, metric=metric, overhead=overhead))
    assert text.startswith("TDE chacha20")
    assert text.endswith(".")
    assert ("throughput" in text) == (metric == "throughput")
    assert "_" not in text


def test_an_invalid_comparison_has_reasons_and_no_figure() -> None:
    invalid = replace(COST, reasons=("settings differ in cache_size", "too many errors"))
    assert verdict(invalid) == "No verdict: settings differ in cache_size; too many errors."


def test_what_weakens_a_verdict_is_said_in_it() -> None:
    assert "known from the catalog only" in verdict(replace(COST, proof="catalog_only"))
    assert "One copy" in verdict(replace(COST, copies=1))
    alarm = replace(COST, floor=Interval(0.005, 0.001, 0.009))
    assert "The A/A interval excludes zero" in verdict(alarm)


def test_the_repeat_of_the_control_is_not_measured_against_itself() -> None:
    itself = replace(COST, repeat_of_control=True)
    assert "noise floor" not in verdict(itself)


@pytest.mark.parametrize(
    ("half_width", "expected"),
    [(0.25, 0), (0.1, 0), (0.042, 1), (0.018, 1), (0.0036, 2), (0.00036, 3), (1e-9, 3), (0.0, 1)],
)
def test_two_significant_digits_of_the_half_width(half_width: float, expected: int) -> None:
    assert decimals(half_width) == expected


def estimate(ratio: float, half: float, df: float = 10.0) -> Estimate:
    return Estimate(
        ratio=ratio,
        ratio_low=ratio / (1 + half),
        ratio_high=ratio * (1 + half),
        confidence=0.95,
        df=df,
        batches=40,
        rounds=1200,
        copies=6,
        between_copy_sd=0.0,
        estimator="",
    )


def test_the_overhead_is_a_cost_when_positive_in_every_metric() -> None:
    slower = estimate(1.25, 0.01)
    assert interval(slower, "throughput").overhead == pytest.approx(0.2)
    assert interval(slower, "latency_p99").overhead == pytest.approx(0.25)
    for metric in METRICS:
        found = interval(slower, metric)
        assert 0 < found.low < found.overhead < found.high
        assert found.excludes_zero
        assert found.half_width == pytest.approx((found.high - found.low) / 2)


def test_the_p_value_agrees_with_the_interval() -> None:
    assert p_value(estimate(1.1, 0.1)) == pytest.approx(0.05)
    assert p_value(estimate(1.0, 0.1)) == 1.0
    assert p_value(estimate(1.2, 0.1)) < 0.05 < p_value(estimate(1.05, 0.1))
    assert p_value(estimate(1.2, 0.1, df=3)) > p_value(estimate(1.2, 0.1, df=30))
    assert p_value(estimate(1.2, 0.0)) == 0.0
    assert p_value(estimate(1.0, 0.0)) == 1.0


def test_holm_rejects_from_the_smallest_on_until_one_holds() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == (True, False, False, True)
    assert holm([0.012, 0.02, 0.04]) == (True, True, True)
    assert holm([]) == ()
    assert holm([0.05]) == (True,)
    assert holm([0.02, 0.02, 0.02]) == (False, False, False)
    assert holm([0.04, 0.2], alpha=0.1) == (True, False)


def test_among_many_comparisons_the_weak_ones_fall() -> None:
    weak, strong = estimate(1.11, 0.1), estimate(2.0, 0.1)
    assert significant([weak]) == (True,)
    assert significant([weak, strong, weak, weak]) == (False, True, False, False)
