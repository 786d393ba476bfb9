"""Intervals of latency quantiles hold the truth."""

from __future__ import annotations

from math import sqrt

import pytest

from ciphermark.statistics.latency_coverage import (
    LATENCY_SCENARIOS,
    LatencyScenario,
    latency_coverage,
)

EXPERIMENTS = 40
BAR = 0.93
TOLERANCE = 3.5 * sqrt(BAR * (1 - BAR) / EXPERIMENTS)
# The oracle's standard deviation is known to 11 % from 40 experiments only.
WIDTH_MAX = 1.8
# The whole list takes minutes: benchmarks/coverage.py has it.
CHOSEN = ("noise of transactions only", "copies 5 %", "batches, common", "all")


@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in LATENCY_SCENARIOS if scenario.name in CHOSEN],
    ids=lambda scenario: scenario.name,
)
def test_latency_interval_holds_the_truth(scenario: LatencyScenario) -> None:
    found = latency_coverage(scenario, EXPERIMENTS)
    assert set(found.covered) == {"latency_mean", "latency_p50", "latency_p95", "latency_p99"}
    assert min(found.covered.values()) >= BAR - TOLERANCE
    assert max(found.relative_width.values()) <= WIDTH_MAX
