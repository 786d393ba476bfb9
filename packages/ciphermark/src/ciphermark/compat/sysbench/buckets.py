"""sysbench's latency histogram: 1024 buckets of 1.8 %, from a microsecond to 100 seconds.

Two percentiles that differ by less than a bucket cannot be told apart; this figure exists to be
compared with published ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["BUCKETS", "Buckets"]

BUCKETS = 1024
_LOWEST_MS = 0.001
_HIGHEST_MS = 100_000.0
_LOG_LOWEST = math.log(_LOWEST_MS)
_PER_LOG = (BUCKETS - 1) / (math.log(_HIGHEST_MS) - _LOG_LOWEST)
_BAR_WIDTH = 40


class Buckets:
    """Counts of latencies by bucket."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(BUCKETS, np.int64)

    def add(self, latencies_ns: NDArray[np.int64]) -> None:
        """Counts latencies in nanoseconds; beyond both ends the last bucket takes them."""
        milliseconds = np.maximum(latencies_ns, 1) / 1e6
        index = np.floor((np.log(milliseconds) - _LOG_LOWEST) * _PER_LOG + 0.5)
        clamped = np.clip(index, 0, BUCKETS - 1).astype(np.int64)
        self.counts += np.bincount(clamped, minlength=BUCKETS)

    def percentile_ms(self, rank: int) -> float:
        """The value of the first bucket at which `rank` percent of the events are reached.

        Without events it is the lowest value, which prints as 0.00.
        """
        needed = math.floor(int(self.counts.sum()) * rank / 100 + 0.5)
        return value_ms(int(np.searchsorted(np.cumsum(self.counts), needed)))

    def lines(self) -> list[str]:
        """The histogram as sysbench prints it: each bucket that is not empty, with a bar."""
        highest = max(int(self.counts.max()), 1)
        lines = [
            "Latency histogram (values are in milliseconds)",
            "       value  ------------- distribution ------------- count",
        ]
        for index in np.flatnonzero(self.counts).tolist():
            count = int(self.counts[index])
            bar = "*" * math.floor(count * _BAR_WIDTH / highest + 0.5)
            lines.append(f"{value_ms(index):12.3f} |{bar:<{_BAR_WIDTH}} {count}")
        return [*lines, " "]


def value_ms(index: int) -> float:
    """The latency that a bucket stands for, in milliseconds."""
    return math.exp(index / _PER_LOG + _LOG_LOWEST)
