"""How often the intervals hold the truth: simulated experiments through estimator and stop rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.statistics.design import Design
from ciphermark.statistics.interval import LogRatio, log_ratio
from ciphermark.statistics.precision import (
    BATCHES_MIN,
    INDEPENDENT_BATCHES_MIN,
    ROUNDS_MIN,
    is_look,
)
from ciphermark.statistics.simulation import Scenario, SimulatedTotals, simulate

__all__ = ["CONFIDENCE", "Coverage", "Measured", "coverage"]

Floats = NDArray[np.float64]
CONFIDENCE = 0.95
NORMAL_QUANTILE = 1.959964


@dataclass(frozen=True, slots=True)
class Measured:
    """Coverage, and mean width relative to an oracle's, over all experiments.

    The oracle knows the standard deviation of the estimate at the same number of batches, taken
    over all experiments of the scenario, and uses the normal quantile.
    """

    covered: float
    relative_width: float
    batches: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of a scenario: stopped by the rule, and measured to the longest."""

    scenario: Scenario
    experiments: int
    stopped: Measured
    longest: Measured


def coverage(scenario: Scenario, experiments: int, seed: int = 1) -> Coverage:
    """Simulates the scenario; the rule is asked after each batch."""
    totals = simulate(scenario, experiments, seed)
    oracle = NORMAL_QUANTILE * _spread_of_estimates(totals)
    everyone = np.arange(experiments)
    longest = _intervals(totals, everyone, scenario.batches_max)
    last = np.full(experiments, scenario.batches_max)
    return Coverage(
        scenario,
        experiments,
        stopped=_stopped(scenario, totals, oracle),
        longest=_measured(scenario, longest.low, longest.high, last, oracle),
    )


def _stopped(scenario: Scenario, totals: SimulatedTotals, oracle: Floats) -> Measured:
    running = np.arange(len(totals.amount))
    low, high = np.zeros(running.size), np.zeros(running.size)
    batches = np.zeros(running.size, dtype=np.int64)
    for done in range(BATCHES_MIN, scenario.batches_max + 1):
        at_end = done == scenario.batches_max
        if not (at_end or (_may_stop(scenario, done) and running.size)):
            continue
        found = _intervals(totals, running, done)
        stop = _narrow(found, scenario.precision) | at_end
        ends = running[stop]
        low[ends], high[ends], batches[ends] = found.low[stop], found.high[stop], done
        running = running[~stop]
    return _measured(scenario, low, high, batches, oracle)


def _may_stop(scenario: Scenario, batches: int) -> bool:
    draws = batches // scenario.draw_batches if scenario.draw_batches else 1
    rounds = batches * scenario.rounds
    return is_look(batches) and draws >= scenario.draws and rounds >= ROUNDS_MIN


def _narrow(found: LogRatio, precision: float) -> NDArray[np.bool_]:
    """The rule on the loss of throughput, as `enough` has it."""
    half_width = (np.exp(-found.low) - np.exp(-found.high)) / 2
    known = found.independent_batches >= INDEPENDENT_BATCHES_MIN
    return np.asarray((half_width <= precision) & known)


def _intervals(totals: SimulatedTotals, which: NDArray[np.int64], batches: int) -> LogRatio:
    design = Design.of(totals.rounds[:batches])
    # Copies of draws to come have no rounds yet.
    copies = np.flatnonzero(design.copies_used)

    def cells(arm: int) -> tuple[Floats, Floats]:
        chosen = np.ix_(which, np.array([arm]), np.arange(batches), copies)
        return totals.amount[chosen][:, 0], totals.work[chosen][:, 0]

    return log_ratio(cells(0), cells(1), design, CONFIDENCE)


def _spread_of_estimates(totals: SimulatedTotals) -> Floats:
    """Standard deviation of the estimate over the experiments, by number of batches."""
    amount = totals.amount.sum(-1).cumsum(-1)
    work = totals.work.sum(-1).cumsum(-1)
    log_cost = np.log(amount / work)
    return np.asarray((log_cost[:, 0] - log_cost[:, 1]).std(axis=0))


def _measured(
    scenario: Scenario, low: Floats, high: Floats, batches: NDArray[np.int64], oracle: Floats
) -> Measured:
    covered = (low <= scenario.truth) & (scenario.truth <= high)
    width = ((high - low) / 2).mean() / oracle[batches - 1].mean()
    return Measured(float(covered.mean()), float(width), float(batches.mean()))
