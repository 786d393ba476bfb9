"""Intervals hold the truth: simulated experiments, with the stopping rule in force."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from ciphermark.statistics.coverage import CONFIDENCE, coverage
from ciphermark.statistics.design import Design
from ciphermark.statistics.interval import log_ratio
from ciphermark.statistics.scenarios import SCENARIOS
from ciphermark.statistics.simulation import Scenario, simulate

EXPERIMENTS = 300
BAR = 0.93
# Three and a half standard errors: chance fails this once in four thousand scenarios.
TOLERANCE = 3.5 * sqrt(BAR * (1 - BAR) / EXPERIMENTS)
WIDTH_BAR = 1.3
# The oracle's own standard deviation is known to 4 % from 300 experiments only.
WIDTH_TOLERANCE = 0.15
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_interval_holds_the_truth_and_is_hardly_wider_than_need_be(scenario: Scenario) -> None:
    found = coverage(scenario, EXPERIMENTS, seed=20)
    for measured in (found.stopped, found.longest):
        assert measured.covered >= BAR - TOLERANCE
        assert measured.relative_width <= WIDTH_BAR + WIDTH_TOLERANCE


def test_scenarios_are_told_apart_by_their_names() -> None:
    assert len(BY_NAME) == len(SCENARIOS)


def test_most_scenarios_are_ended_by_the_stopping_rule() -> None:
    early = [name for name, one in BY_NAME.items() if coverage(one, 40).stopped.batches < 95]
    assert len(early) > len(SCENARIOS) / 2


def naive_coverage(scenario: Scenario) -> float:
    """Coverage of an interval from the differences of batches alone, as if they were all."""
    totals = simulate(scenario, EXPERIMENTS, seed=20)
    cost = np.log(totals.amount.sum(-1) / totals.work.sum(-1))
    difference = cost[:, 0] - cost[:, 1]
    half = 1.98 * difference.std(axis=1, ddof=1) / sqrt(scenario.batches_max)
    return float((np.abs(difference.mean(1) - scenario.truth) <= half).mean())


@pytest.mark.parametrize(
    "name", ["copies 1 %", "copies 5 %", "batches slow, own", "stalls in the arm only"]
)
def test_a_naive_interval_is_caught_by_these_scenarios(name: str) -> None:
    assert naive_coverage(BY_NAME[name]) < BAR - TOLERANCE


def test_a_mean_of_the_ratios_of_slices_would_lose_the_stalls() -> None:
    """What the totals are for: the mean log of single slices does not see most of the cost."""
    rare = Scenario("one slice a batch", stall_rate=(1 / 300, 0.0), rounds=1, copies=1)
    totals = simulate(replace(rare, batches_max=3000), 20, seed=1)
    with np.errstate(divide="ignore"):
        by_slice = np.log(totals.amount / np.maximum(totals.work, 1)).mean((2, 3))
    of_totals = np.log(totals.amount.sum((2, 3)) / totals.work.sum((2, 3)))
    assert (of_totals[:, 0] - of_totals[:, 1]).mean() == pytest.approx(rare.truth, abs=0.02)
    assert (by_slice[:, 0] - by_slice[:, 1]).mean() < rare.truth - 0.1


@pytest.mark.parametrize("batches", [2, 3, 6, 12])
@pytest.mark.parametrize("copy_sd", [0.0, 0.01])
def test_few_batches_give_wide_intervals_that_hold(batches: int, copy_sd: float) -> None:
    scenario = Scenario("short", copy_sd=copy_sd, batches_max=batches)
    assert fixed_coverage(scenario) >= BAR - TOLERANCE


def test_blocks_one_round_on_one_copy_each() -> None:
    blocks = Scenario(
        "blocks", slice_sd=0.01, copies=1, rounds=1, draw_batches=1, copy_sd=0.01, batches_max=6
    )
    assert fixed_coverage(blocks) >= BAR - TOLERANCE


@pytest.mark.parametrize("name", ["copies 1 %", "white noise", "servers, 6 draws, 5 %"])
def test_other_confidences_hold_too(name: str) -> None:
    for confidence in (0.8, 0.99):
        tolerance = 3.5 * sqrt(confidence * (1 - confidence) / EXPERIMENTS)
        found = fixed_coverage(BY_NAME[name], confidence)
        assert found >= confidence - 0.02 - tolerance


def fixed_coverage(scenario: Scenario, confidence: float = CONFIDENCE) -> float:
    """Coverage after all batches of a scenario."""
    totals = simulate(scenario, EXPERIMENTS, seed=7)
    amount, work = totals.amount, totals.work
    found = log_ratio(
        (amount[:, 0], work[:, 0]),
        (amount[:, 1], work[:, 1]),
        Design.of(totals.rounds),
        confidence,
    )
    return float(((found.low <= scenario.truth) & (scenario.truth <= found.high)).mean())
