"""When to stop: the intervals are narrow enough, and enough was seen to trust them."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.results.document import Metric
from ciphermark.statistics.noise_floor import interval
from ciphermark.statistics.totals import Estimate

__all__ = ["MIN_BATCHES", "enough", "half_width"]

MIN_BATCHES = 20


def half_width(estimate: Estimate, metric: Metric = "throughput") -> float:
    """Half the width of the interval of the overhead, as a fraction: 0.01 is one per cent."""
    _, low, high = interval(estimate, metric)
    return (high - low) / 2


def enough(
    estimates: Sequence[Estimate],
    *,
    batches: int,
    draws_done: int,
    draws_planned: int,
    precision: float,
    metric: Metric = "throughput",
) -> bool:
    """Whether a point may end before its time limit.

    True when every comparison's half-width is at most `precision`, after at least `MIN_BATCHES`
    batches and all planned draws. May be asked after each batch: the coverage of the intervals was
    simulated with this rule in force.
    """
    if not estimates or batches < MIN_BATCHES or draws_done < draws_planned:
        return False
    return all(half_width(estimate, metric) <= precision for estimate in estimates)
