"""Latency of an arm relative to the control: ratios of quantiles, intervals by bootstrap.

Batches and copies are both resampled, each on its own, and the cells where they cross are weighted
by the product (Owen, The pigeonhole bootstrap, Annals of Applied Statistics 1, 2007): batches are
common to both arms, because their slices alternate, copies are drawn for each arm. The pigeonhole
bootstrap is never too narrow for the noise of single cells, and wide where that noise prevails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError
from ciphermark.results.document import Metric
from ciphermark.statistics.totals import Estimate

__all__ = ["QUANTILES", "LatencyRatio", "latency_ratios"]

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

QUANTILES: dict[Metric, float] = {"latency_p50": 0.5, "latency_p95": 0.95, "latency_p99": 0.99}
RESAMPLES = 400
SEED = 20070


@dataclass(frozen=True, slots=True)
class LatencyRatio:
    """The ratio with its interval, and the two values behind it, nanoseconds."""

    estimate: Estimate
    control_ns: float
    arm_ns: float


def latency_ratios(
    arm: Counts, control: Counts, edges_ns: Sequence[int], confidence: float = 0.95
) -> dict[Metric, LatencyRatio]:
    """Mean, median, 95th and 99th percentile of the arm relative to the control.

    The counts have the shape (batches, copies, bins); `edges_ns` holds the bins' lower edges and
    the upper edge of the last. Values are taken as spread evenly over their bin. Raises
    `MeasurementError` when an arm has no latency, or when there is one batch on one copy only.
    """
    from scipy.special import stdtrit

    _refuse(arm, control)
    filled = np.flatnonzero(arm.sum((0, 1)) + control.sum((0, 1)))
    edges = np.asarray(edges_ns, dtype=np.float64)
    bins = _Bins(edges[filled], edges[filled + 1])
    batches, copies = arm.shape[:2]
    weights = _Weights.draw(batches, copies)
    arm_values = _values(arm[:, :, filled], bins, weights.batches, weights.arm_copies)
    control_values = _values(control[:, :, filled], bins, weights.batches, weights.control_copies)
    df = float(copies - 1 if copies > 1 else batches - 1)
    quantile = float(stdtrit(df, 0.5 + confidence / 2))
    # A resample of n units varies by (n - 1)/n of what it should.
    few = min(size for size in (batches, copies) if size > 1)
    scale = quantile * (few / (few - 1)) ** 0.5
    found: dict[Metric, LatencyRatio] = {}
    for metric, mine in arm_values.items():
        theirs = control_values[metric]
        logs = np.log(mine / theirs)
        half = scale * float(logs[1:].std())
        estimate = Estimate(
            ratio=float(np.exp(logs[0])),
            ratio_low=float(np.exp(logs[0] - half)),
            ratio_high=float(np.exp(logs[0] + half)),
            confidence=confidence,
            df=df,
            batches=batches,
            rounds=batches,
            copies=copies,
            between_copy_sd=_between_copies(arm[:, :, filled], bins, metric),
            estimator="ratio of merged quantiles, pigeonhole bootstrap over batches and copies",
        )
        found[metric] = LatencyRatio(estimate, float(theirs[0]), float(mine[0]))
    return found


@dataclass(frozen=True, slots=True)
class _Bins:
    """The bins that are not empty: lower and upper edges, ns."""

    lower: Floats
    upper: Floats

    @property
    def middle(self) -> Floats:
        return (self.lower + self.upper - 1) / 2


@dataclass(frozen=True, slots=True)
class _Weights:
    """How often each batch and copy stands in each resample; the first row is the sample itself."""

    batches: Floats
    arm_copies: Floats
    control_copies: Floats

    @classmethod
    def draw(cls, batches: int, copies: int) -> _Weights:
        generator = np.random.Generator(np.random.PCG64(SEED))
        return cls(
            _multinomial(generator, batches),
            _multinomial(generator, copies),
            _multinomial(generator, copies),
        )


def _multinomial(generator: np.random.Generator, size: int) -> Floats:
    drawn = generator.multinomial(size, np.full(size, 1 / size), RESAMPLES).astype(np.float64)
    return np.vstack([np.ones(size), drawn])


def _refuse(arm: Counts, control: Counts) -> None:
    assert arm.shape == control.shape
    for counts in (arm, control):
        if not counts.any():
            raise MeasurementError("no latency was recorded")
    if max(arm.shape[:2]) < 2:
        raise MeasurementError(
            "one batch on one copy gives latencies but no interval",
            remedy="Measure longer, or load more copies",
        )


def _values(
    counts: Counts, bins: _Bins, batch_weights: Floats, copy_weights: Floats
) -> dict[Metric, Floats]:
    """Mean and quantiles of each resample, ns."""
    batches, copies, size = counts.shape
    flat = counts.reshape(batches, copies * size).astype(np.float64)
    by_copy = (batch_weights @ flat).reshape(-1, copies, size)
    weighted = np.einsum("rck,rc->rk", by_copy, copy_weights)
    totals = weighted.sum(1)
    # A resample that drew only empty cells says nothing; it is replaced by the sample itself.
    weighted[totals <= 0] = weighted[0]
    values: dict[Metric, Floats] = {"latency_mean": weighted @ bins.middle / weighted.sum(1)}
    for metric, share in QUANTILES.items():
        values[metric] = _quantiles(weighted, bins, share)
    return values


def _quantiles(weighted: Floats, bins: _Bins, share: float) -> Floats:
    """The quantile of each row, interpolated within its bin."""
    cumulative = weighted.cumsum(1)
    target = share * cumulative[:, -1]
    place = np.minimum((cumulative < target[:, None]).sum(1), weighted.shape[1] - 1)
    rows = np.arange(len(weighted))
    inside = weighted[rows, place]
    before = cumulative[rows, place] - inside
    part = (target - before) / np.maximum(inside, 1e-300)
    lower, upper = bins.lower[place], bins.upper[place] - 1
    result: Floats = lower + np.clip(part, 0, 1) * (upper - lower)
    return np.maximum(result, 1.0)


def _between_copies(counts: Counts, bins: _Bins, metric: Metric) -> float:
    """Standard deviation between copies of the logarithm of the metric."""
    by_copy = counts.sum(0).astype(np.float64)
    by_copy = by_copy[by_copy.sum(1) > 0]
    if len(by_copy) < 2:
        return 0.0
    if metric == "latency_mean":
        values = by_copy @ bins.middle / by_copy.sum(1)
    else:
        values = _quantiles(by_copy, bins, QUANTILES[metric])
    return float(np.log(values).std(ddof=1))
