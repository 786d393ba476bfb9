"""Warm-up: fills the caches of every copy, and finds how long a slice must be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ciphermark.loadgen.orders import BatchReport, LoadSpec, SliceOrder
from ciphermark.loadgen.pool import WorkerPool
from ciphermark.measurement.histogram import Histogram
from ciphermark.plan.experiment import Point
from ciphermark.workload.base import SliceBound

__all__ = ["TRANSACTIONS_PER_SLICE_MIN", "WARM_UP_ROUND", "SliceSize", "slice_size", "warm_up"]

NS_PER_S = 1_000_000_000
P95_PER_SLICE = 20
SLICE_ALONE_NS_MIN = 3_000_000
"""Shortest slice of a single worker: below, starting and ending it would weigh in."""
SLICE_GATED_NS_MIN = 20_000_000
"""Shortest slice of several workers, which wait for each other in between."""
WARM_UP_SLICE_NS_MIN = 20_000_000
FIRST_COUNT = 200
TRANSACTIONS_PER_SLICE_MIN = 10
"""Of a terminal in a slice: below, a point runs in blocks only."""
WARM_UP_ROUND = 2**31
"""Rounds from here on are warm-up: their random values are those of no measured round."""


@dataclass(frozen=True, slots=True)
class SliceSize:
    """The length of a slice, or for count-bound workloads the transactions of each terminal."""

    duration_ns: int | None
    count: int | None
    transaction_ns: float
    """Mean time of a transaction of the slowest arm, as one terminal sees it."""

    def count_within(self, duration_ns: float) -> int:
        """Transactions of each terminal that take about `duration_ns` in the slowest arm."""
        return max(math.ceil(duration_ns / self.transaction_ns), TRANSACTIONS_PER_SLICE_MIN)


def warm_up(pool: WorkerPool, spec: LoadSpec, warm_up_s: float) -> list[BatchReport]:
    """Loads every cell once, for `warm_up_s` in all but never below 20 ms a cell."""
    cells = spec.cells
    duration_ns = max(int(warm_up_s * NS_PER_S / len(cells)), WARM_UP_SLICE_NS_MIN)
    counted = spec.workload.slice_bound is SliceBound.COUNT
    orders = [
        SliceOrder(
            cell,
            WARM_UP_ROUND + cell[1],
            None if counted else duration_ns,
            max(FIRST_COUNT, spec.workload.slice_count_min) if counted else None,
        )
        for cell in cells
    ]
    return [pool.run(orders)]


def slice_size(reports: Sequence[BatchReport], spec: LoadSpec, point: Point) -> SliceSize:
    """At least 20 times the slowest arm's 95th percentile, as the warm-up measured it.

    On a machine that stalls often the mean is far above it: then ten times the mean.
    """
    mean_ns = max(_mean_ns(reports, arm, spec) for arm in range(len(spec.copies)))
    floor_ns = SLICE_ALONE_NS_MIN if spec.workers == 1 else SLICE_GATED_NS_MIN
    if point.slice_s is not None:
        wanted_ns = int(point.slice_s * NS_PER_S)
    else:
        p95_ns = max(_p95_ns(reports, arm) for arm in range(len(spec.copies)))
        wanted_ns = max(
            int(P95_PER_SLICE * p95_ns), int(TRANSACTIONS_PER_SLICE_MIN * mean_ns), floor_ns
        )
    if spec.workload.slice_bound is SliceBound.COUNT:
        count = SliceSize(None, None, mean_ns).count_within(wanted_ns)
        return SliceSize(None, max(count, spec.workload.slice_count_min), mean_ns)
    return SliceSize(wanted_ns, None, mean_ns)


def _mean_ns(reports: Iterable[BatchReport], arm: int, spec: LoadSpec) -> float:
    """Wall time of a transaction as one terminal sees it; a slice without any counts as one."""
    time_ns = transactions = 0
    for report in reports:
        for cell, totals in report.cells.items():
            if cell[0] == arm:
                time_ns += totals.time_ns
                transactions += totals.transactions
    return max(time_ns * spec.terminals / max(transactions, 1), 1.0)


def _p95_ns(reports: Iterable[BatchReport], arm: int) -> float:
    merged = Histogram.merged(
        histogram
        for report in reports
        for cell, totals in report.cells.items()
        if cell[0] == arm
        for histogram in totals.histograms.values()
    )
    return merged.quantile_ns(0.95) if merged.count else 0.0
