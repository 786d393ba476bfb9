"""Batch reports as records of the journal, and records as totals for the statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ciphermark.loadgen.orders import BatchReport, Cell, CellTotals
from ciphermark.measurement.histogram import BINS, Histogram
from ciphermark.results.journal import BatchRecord, CellRecord
from ciphermark.statistics.totals import ArmTotals

__all__ = [
    "cell_records",
    "cpu_totals",
    "has_server_cpu",
    "histogram_counts",
    "merged_histogram",
    "server_cpu_totals",
    "time_totals",
]


def cell_records(
    reports: Iterable[BatchReport],
    arms: Sequence[str],
    *,
    first_copy: int = 0,
    server_cpu_ns: Mapping[Cell, int] | None = None,
) -> tuple[CellRecord, ...]:
    """One record for each cell, over all reports (a round of blocks makes one for each block).

    `first_copy` is added to the copies' numbers: every draw has copies of its own.
    `server_cpu_ns` is the CPU of the servers, for the cells that have one.
    """
    merged: dict[tuple[int, int], CellTotals] = {}
    for report in reports:
        for cell, totals in report.cells.items():
            mine = merged.setdefault(cell, CellTotals())
            mine.add(totals)
            mine.rounds += totals.rounds
            mine.time_ns += totals.time_ns
    return tuple(
        _record(arms[arm], first_copy + copy, totals, (server_cpu_ns or {}).get((arm, copy)))
        for (arm, copy), totals in sorted(merged.items())
    )


def _record(arm: str, copy: int, totals: CellTotals, server_cpu_ns: int | None) -> CellRecord:
    return CellRecord(
        arm=arm,
        copy=copy,
        rounds=totals.rounds,
        transactions=totals.transactions,
        planned_rollbacks=totals.planned_rollbacks,
        queries=totals.queries,
        changes=totals.changes,
        unchanged=totals.unchanged,
        controls=totals.controls,
        time_ns=totals.time_ns,
        cpu_ns=totals.cpu_ns,
        server_cpu_ns=server_cpu_ns,
        late=totals.late,
        lag_ns=totals.lag_ns,
        unstarted=totals.unstarted,
        abandoned=totals.abandoned,
        read_bytes=totals.read_bytes,
        written_bytes=totals.written_bytes,
        cache_hits=totals.cache_hits,
        cache_misses=totals.cache_misses,
        errors=dict(totals.errors),
        error_examples=dict(totals.error_examples),
        histograms=dict(totals.histograms),
    )


def time_totals(records: Sequence[BatchRecord], arm: str, copies: int) -> ArmTotals:
    """Wall time and committed transactions of one arm, by batch and copy."""
    return _totals(records, arm, copies, lambda cell: cell.time_ns)


def cpu_totals(records: Sequence[BatchRecord], arm: str, copies: int) -> ArmTotals:
    """CPU time and committed transactions of one arm, by batch and copy."""
    return _totals(records, arm, copies, lambda cell: cell.cpu_ns)


def server_cpu_totals(records: Sequence[BatchRecord], arm: str, copies: int) -> ArmTotals:
    """CPU time of the servers and committed transactions of one arm; see `has_server_cpu`."""
    return _totals(records, arm, copies, lambda cell: cell.server_cpu_ns or 0)


def has_server_cpu(records: Sequence[BatchRecord]) -> bool:
    """Whether the CPU of a server of its own is known for every cell."""
    cells = [cell for record in records for cell in record.cells]
    return bool(cells) and all(cell.server_cpu_ns is not None for cell in cells)


def _totals(
    records: Sequence[BatchRecord],
    arm: str,
    copies: int,
    amount_of: Callable[[CellRecord], int],
) -> ArmTotals:
    shape = (len(records), copies)
    amount, work = np.zeros(shape), np.zeros(shape)
    rounds = np.zeros(shape, dtype=np.int64)
    for batch, record in enumerate(records):
        for cell in record.cells:
            if cell.arm == arm:
                amount[batch, cell.copy] = amount_of(cell)
                work[batch, cell.copy] = cell.transactions - cell.planned_rollbacks
                rounds[batch, cell.copy] = cell.rounds
    return ArmTotals(amount, work, rounds)


def histogram_counts(
    records: Sequence[BatchRecord], arm: str, copies: int
) -> np.ndarray[tuple[int, int, int], np.dtype[np.int64]]:
    """Latency counts of one arm, shape (batches, copies, bins), all kinds of transaction."""
    counts = np.zeros((len(records), copies, BINS), dtype=np.int64)
    for batch, record in enumerate(records):
        for cell in record.cells:
            if cell.arm == arm:
                for histogram in cell.histograms.values():
                    counts[batch, cell.copy] += histogram.counts
    return counts


def merged_histogram(
    records: Iterable[BatchRecord], arm: str, kind: int | None = None
) -> Histogram:
    """All latencies of one arm, of one kind of transaction or of all."""
    return Histogram.merged(
        histogram
        for record in records
        for cell in record.cells
        if cell.arm == arm
        for number, histogram in cell.histograms.items()
        if kind is None or number == kind
    )
