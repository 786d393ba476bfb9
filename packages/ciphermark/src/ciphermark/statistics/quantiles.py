"""Mean and quantiles of histograms, many at once, interpolated within the bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.results.document import Metric

__all__ = ["QUANTILES", "Bins", "mean_and_quantiles"]

Floats = NDArray[np.float64]

# Nothing takes no time at all, and the logarithm of zero would not be a figure.
LEAST_NS = 1.0
QUANTILES: dict[Metric, float] = {"latency_p50": 0.5, "latency_p95": 0.95, "latency_p99": 0.99}


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins by their lower and upper edges, ns; values are whole, so the upper edge is outside."""

    lower: Floats
    upper: Floats

    @property
    def middle(self) -> Floats:
        """Mean of the whole numbers in each bin."""
        return (self.lower + self.upper - 1) / 2


def mean_and_quantiles(counts: Floats, bins: Bins) -> dict[Metric, Floats]:
    """Mean and quantiles of each row of (weighted) counts, shape (rows, bins); none is empty."""
    mean = counts @ bins.middle / counts.sum(1)
    values: dict[Metric, Floats] = {"latency_mean": np.maximum(mean, LEAST_NS)}
    cumulative = counts.cumsum(1)
    for metric, share in QUANTILES.items():
        values[metric] = _quantile(counts, cumulative, bins, share)
    return values


def _quantile(counts: Floats, cumulative: Floats, bins: Bins, share: float) -> Floats:
    target = share * cumulative[:, -1]
    place = np.minimum((cumulative < target[:, None]).sum(1), counts.shape[1] - 1)
    rows = np.arange(len(counts))
    inside = counts[rows, place]
    before = cumulative[rows, place] - inside
    part = np.clip((target - before) / np.maximum(inside, np.finfo(np.float64).tiny), 0, 1)
    lower, last = bins.lower[place], bins.upper[place] - 1
    return np.asarray(np.maximum(lower + part * (last - lower), LEAST_NS))
