"""Latency of an arm relative to the control: ratios of quantiles, intervals by bootstrap.

Batches, copies, and both at once are resampled, the same ones for both arms: these alternate within
a batch, so what a batch or a copy's turn had of the machine is common to them. Resampling both
counts the noise of single cells three times, resampling either counts it once (Owen, The pigeonhole
bootstrap, Annals of Applied Statistics 1, 2007). So the three variances together give what no one
of them does: the variance from batches and copies with the noise of cells counted once. Batches
that are correlated make the noise larger by the factor that interval.py has for totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError
from ciphermark.results.document import Metric
from ciphermark.statistics.design import Design
from ciphermark.statistics.interval import (
    CORRELATION_DF_COST,
    HIDDEN_COPIES,
    correlation_inflation,
)
from ciphermark.statistics.quantiles import Bins, mean_and_quantiles
from ciphermark.statistics.totals import Estimate

__all__ = ["LatencyRatio", "latency_ratios"]

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

RESAMPLES = 500
SEED = 20070


@dataclass(frozen=True, slots=True)
class LatencyRatio:
    """The ratio with its interval, and the two values behind it, nanoseconds."""

    estimate: Estimate
    control_ns: float
    arm_ns: float


def latency_ratios(
    arm: Counts,
    control: Counts,
    edges_ns: Sequence[int],
    confidence: float = 0.95,
    *,
    rounds: int = 0,
) -> dict[Metric, LatencyRatio]:
    """Mean, median, 95th and 99th percentile of the arm relative to the control.

    The counts have the shape (batches, copies, bins); `edges_ns` holds the bins' lower edges and
    the upper edge of the last. Values are taken as spread evenly over their bin. `rounds` is only
    passed on to the estimates. Raises `MeasurementError` when an arm has no latency, or when there
    is one batch on one copy only.
    """
    assert arm.shape == control.shape
    arm, control, bins = _used(arm, control, np.asarray(edges_ns, dtype=np.float64))
    batches, copies = arm.shape[:2]
    weights = _Weights.draw(batches, copies)
    mine, theirs = weights.values(arm, bins), weights.values(control, bins)
    inflation = _inflation(arm, control, bins)
    found: dict[Metric, LatencyRatio] = {}
    for metric, values in mine.items():
        logs = np.log(values / theirs[metric])
        spread = _Spread.of(logs, inflation[metric], batches, copies)
        half = spread.half_width(confidence)
        estimate = Estimate(
            ratio=float(np.exp(logs[0, 0])),
            ratio_low=float(np.exp(logs[0, 0] - half)),
            ratio_high=float(np.exp(logs[0, 0] + half)),
            confidence=confidence,
            df=spread.df,
            batches=batches,
            rounds=rounds,
            copies=copies,
            between_copy_sd=float(np.sqrt(spread.copies * copies / 2)),
            estimator="ratio of merged quantiles, bootstrap over batches and copies",
        )
        found[metric] = LatencyRatio(estimate, float(theirs[metric][0, 0]), float(values[0, 0]))
    return found


def _used(arm: Counts, control: Counts, edges: Floats) -> tuple[Counts, Counts, Bins]:
    """Only batches, copies and bins in which there is something."""
    for counts in (arm, control):
        if not counts.any():
            raise MeasurementError("no latency was recorded")
    both = arm + control
    batches = np.flatnonzero(both.sum((1, 2)))
    copies = np.flatnonzero(both.sum((0, 2)))
    filled = np.flatnonzero(both.sum((0, 1)))
    if batches.size < 2 and copies.size < 2:
        raise MeasurementError(
            "one batch on one copy gives latencies but no interval",
            remedy="Measure longer, or load more copies",
        )
    used = np.ix_(batches, copies, filled)
    return arm[used], control[used], Bins(edges[filled], edges[filled + 1])


@dataclass(frozen=True, slots=True)
class _Weights:
    """How often each batch and copy stands in each resample; the first row is the sample itself."""

    batches: Floats
    copies: Floats

    @classmethod
    def draw(cls, batches: int, copies: int) -> _Weights:
        generator = np.random.Generator(np.random.PCG64(SEED))
        return cls(_resamples(generator, batches), _resamples(generator, copies))

    def values(self, counts: Counts, bins: Bins) -> dict[Metric, Floats]:
        """Mean and quantiles, shape (3, resamples): of batches, of copies, of both; ns."""
        batches, copies, size = counts.shape
        cells = counts.astype(np.float64)
        by_copy = (self.batches @ cells.reshape(batches, -1)).reshape(-1, copies, size)
        resampled = (
            by_copy.sum(1),
            self.copies @ cells.sum(0),
            np.einsum("rck,rc->rk", by_copy, self.copies),
        )
        for weighted in resampled:
            # A resample that drew only empty cells says nothing: it counts as the sample itself.
            weighted[weighted.sum(1) <= 0] = weighted[0]
        each = [mean_and_quantiles(weighted, bins) for weighted in resampled]
        return {metric: np.stack([values[metric] for values in each]) for metric in each[0]}


def _resamples(generator: np.random.Generator, size: int) -> Floats:
    drawn = generator.multinomial(size, np.full(size, 1 / size), RESAMPLES)
    return np.vstack([np.ones(size), drawn])


@dataclass(frozen=True, slots=True)
class _Spread:
    """Variances of a log ratio: `noise` of batches, and what `copies` add; with their freedom."""

    noise: float
    noise_df: float
    copies: float
    copies_df: float

    @classmethod
    def of(cls, logs: Floats, inflation: float, batches: int, copies: int) -> _Spread:
        """From the resampled logarithms, shape (3, resamples); the first is the sample itself."""
        of_batches, of_copies, of_both = logs[:, 1:].var(axis=1)
        # A resample of n units varies by (n - 1)/n of what it should.
        few_batches = batches / max(batches - 1, 1)
        few_copies = copies / max(copies - 1, 1)
        cells = max(of_both - of_batches - of_copies, 0.0) * few_batches * few_copies
        return cls(
            noise=float(of_batches * few_batches * inflation),
            noise_df=(batches - 1) / (1 + CORRELATION_DF_COST * (inflation - 1)),
            copies=float(max(of_copies * few_copies - cells, 0.0)),
            copies_df=copies - 1.0,
        )

    @property
    def df(self) -> float:
        """Degrees of freedom after Satterthwaite; never fewer than the least known part has."""
        parts = ((self.noise, self.noise_df), (self.copies + self.hidden, self.copies_df))
        spread = sum(part**2 / max(df, 1.0) for part, df in parts if df > 0)
        least = max(min(df for _, df in parts if df > 0), 1.0)
        return max((self.noise + self.copies) ** 2 / spread, least) if spread > 0 else least

    @property
    def hidden(self) -> float:
        """Between-copy variance that may hide in the noise."""
        return HIDDEN_COPIES * self.noise

    def half_width(self, confidence: float) -> float:
        """Student's t times the standard error."""
        from scipy.special import stdtrit

        quantile = float(stdtrit(self.df, 0.5 + confidence / 2))
        return quantile * float(np.sqrt(self.noise + self.copies))


def _inflation(arm: Counts, control: Counts, bins: Bins) -> dict[Metric, float]:
    """By what factor correlated batches make the variance larger, by metric; see interval.py."""
    design = Design.of((arm + control).sum(2))
    both = (arm.sum((1, 2)) > 0) & (control.sum((1, 2)) > 0)
    mine = mean_and_quantiles(arm.sum(1)[both].astype(np.float64), bins)
    theirs = mean_and_quantiles(control.sum(1)[both].astype(np.float64), bins)
    draws = design.draws[both]
    found: dict[Metric, float] = {}
    for metric, values in mine.items():
        logs = np.log(values / theirs[metric])
        mean = draws.T @ logs / np.maximum(draws.sum(0), 1)
        found[metric] = float(correlation_inflation(logs - draws @ mean, design))
    return found
