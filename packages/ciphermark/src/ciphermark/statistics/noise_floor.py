"""The overhead of a metric as an interval, and what the A/A arm says about the noise floor."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.results.document import Metric
from ciphermark.statistics.totals import Estimate

__all__ = ["Interval", "interval"]


class Interval(NamedTuple):
    """An overhead as a fraction, positive for a cost: 0.02 is two per cent."""

    overhead: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between the ends."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies wholly on one side of zero."""
        return self.low > 0 or self.high < 0


def interval(estimate: Estimate, metric: Metric) -> Interval:
    """The overhead in the sense of the metric: loss for throughput, extra for latency and CPU."""
    if metric == "throughput":
        return Interval(*estimate.throughput_loss())
    return Interval(*estimate.cost())
