"""How often the latency intervals hold the truth: simulated transactions, binned as in a run."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from ciphermark.measurement.histogram import BINS, bin_edges, bins_of
from ciphermark.results.document import Metric
from ciphermark.statistics.latency import latency_ratios

__all__ = ["LATENCY_SCENARIOS", "LatencyCoverage", "LatencyScenario", "latency_coverage"]

Floats = NDArray[np.float64]
ARMS = 2
MEDIAN_NS = 250_000.0
# Lognormal latencies, and a few that are many times as long.
LATENCY_SD = 0.4
SLOW_SHARE = 0.004
SLOW_FACTOR = 8.0


@dataclass(frozen=True, slots=True)
class LatencyScenario:
    """How latencies vary; every `_sd` is one of the logarithm of a factor on all latencies.

    `common_batch_sd` is what both arms have in common in a batch, `own_batch_sd` what each has by
    itself, with the correlation `batch_memory` from batch to batch; `cell_sd` is of a copy in a
    batch, `copy_sd` of a copy.
    """

    name: str
    ratio: float = 1.05
    copy_sd: float = 0.0
    cell_sd: float = 0.0
    common_batch_sd: float = 0.0
    own_batch_sd: float = 0.0
    batch_memory: float = 0.0
    batches: int = 40
    copies: int = 6
    transactions: int = 150


LATENCY_SCENARIOS = (
    LatencyScenario("noise of transactions only"),
    LatencyScenario("noise of cells", cell_sd=0.05),
    LatencyScenario("copies 1 %", copy_sd=0.01, cell_sd=0.02),
    LatencyScenario("copies 5 %", copy_sd=0.05),
    LatencyScenario("batches, common", common_batch_sd=0.2),
    LatencyScenario("batches correlated, own", own_batch_sd=0.02, batch_memory=0.5),
    LatencyScenario("all", copy_sd=0.01, cell_sd=0.02, common_batch_sd=0.1, own_batch_sd=0.02),
)


@dataclass(frozen=True, slots=True)
class LatencyCoverage:
    """By metric: how often the truth was held, and mean width relative to an oracle's."""

    covered: dict[Metric, float]
    relative_width: dict[Metric, float]


def latency_coverage(scenario: LatencyScenario, experiments: int, seed: int = 1) -> LatencyCoverage:
    """Simulates so many experiments of the scenario and estimates each."""
    generator = np.random.default_rng(seed)
    rows: dict[Metric, list[tuple[float, float, float]]] = {}
    for _ in range(experiments):
        arm, control = _histograms(scenario, generator)
        for metric, found in latency_ratios(arm, control, bin_edges()).items():
            one = found.estimate
            logs = (log(one.ratio), log(one.ratio_low), log(one.ratio_high))
            rows.setdefault(metric, []).append(logs)
    truth = log(scenario.ratio)
    covered: dict[Metric, float] = {}
    width: dict[Metric, float] = {}
    for metric, logs_of_all in rows.items():
        value, low, high = np.array(logs_of_all).T
        covered[metric] = float(((low <= truth) & (truth <= high)).mean())
        width[metric] = float((high - low).mean() / 2 / (1.96 * value.std()))
    return LatencyCoverage(covered, width)


def _histograms(
    s: LatencyScenario, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    shape = (ARMS, s.batches, s.copies)
    factor = s.cell_sd * generator.standard_normal(shape)
    factor += s.copy_sd * generator.standard_normal((ARMS, 1, s.copies))
    factor += s.common_batch_sd * generator.standard_normal((1, s.batches, 1))
    factor += s.own_batch_sd * _remembered(s, generator)[..., None]
    factor += np.array([log(s.ratio), 0.0])[:, None, None]
    logs = factor[..., None] + LATENCY_SD * generator.standard_normal((*shape, s.transactions))
    slow = generator.random(logs.shape) < SLOW_SHARE
    latency = MEDIAN_NS * np.exp(logs) * np.where(slow, SLOW_FACTOR, 1.0)
    bins = bins_of(latency.astype(np.int64).ravel())
    cell = np.arange(np.prod(shape)).repeat(s.transactions)
    counts = np.bincount(cell * BINS + bins, minlength=int(np.prod(shape)) * BINS)
    arm, control = counts.reshape(*shape, BINS)
    return arm, control


def _remembered(s: LatencyScenario, generator: np.random.Generator) -> Floats:
    """Autoregressive from batch to batch, variance one, shape (arms, batches)."""
    series = generator.standard_normal((ARMS, s.batches))
    for batch in range(1, s.batches):
        fresh = np.sqrt(1 - s.batch_memory**2) * series[:, batch]
        series[:, batch] = s.batch_memory * series[:, batch - 1] + fresh
    return series
