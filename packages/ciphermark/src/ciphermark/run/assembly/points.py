"""What was measured at each point, as it stands in the result document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ciphermark.measurement.histogram import Histogram
from ciphermark.results.document import (
    BatchSummary,
    ErrorCount,
    LatencySummary,
    PointResult,
    SeriesPoint,
)
from ciphermark.results.journal import BatchRecord, CellRecord
from ciphermark.run.outcome import PointOutcome
from ciphermark.run.records import merged_histogram

__all__ = ["batch_summaries", "cells_of", "error_counts", "point_result"]

SERIES_POINTS_MAX = 400


def point_result(outcome: PointOutcome) -> PointResult:
    """The point as a whole."""
    point, size = outcome.point, outcome.size
    blocks = point.mode == "blocks"
    duration_s = ((size.duration_ns if size else None) or 0) / 1e9
    return PointResult(
        workload=point.workload.name,
        workload_options=dict(point.workload.describe()),
        terminals=point.terminals,
        workers=outcome.workers,
        mode=point.mode,
        factors=dict(point.factors),
        rate_tps=point.rate_tps,
        latency_limit_ms=point.latency_limit_ms,
        slice_s=point.block_s if blocks else duration_s,
        slice_transactions=(size.count if size else None) or 0,
        warm_up_s=point.warm_up_s,
        rounds=sum(record.rounds for record in outcome.records),
        batches=len(outcome.records),
        discarded_batches=outcome.discarded,
        stopped_by=outcome.stopped_by,
        regime=outcome.regime,
        cache_hit_ratio=_cache_hit_ratio(outcome),
        latency=tuple(_latency(outcome)),
        late=_late(outcome),
        schedule_lag_ms=_lag(outcome),
        series=tuple(_series(outcome)),
        probes=_probes(outcome),
    )


def cells_of(outcome: PointOutcome, arm: str) -> list[CellRecord]:
    """What an arm did, by batch and copy."""
    return [cell for record in outcome.records for cell in record.cells if cell.arm == arm]


def _cache_hit_ratio(outcome: PointOutcome) -> dict[str, float]:
    ratios = {}
    for arm in outcome.point.arms:
        cells = cells_of(outcome, arm)
        hits = sum(cell.cache_hits for cell in cells)
        looked_up = hits + sum(cell.cache_misses for cell in cells)
        if looked_up:
            ratios[arm] = hits / looked_up
    return ratios


def _latency(outcome: PointOutcome) -> Iterator[LatencySummary]:
    names = outcome.point.workload.transaction_names
    for arm in outcome.point.arms:
        whole = merged_histogram(outcome.records, arm)
        if whole.count:
            yield _summary(arm, "all", whole)
        for kind, name in enumerate(names if len(names) > 1 else ()):
            part = merged_histogram(outcome.records, arm, kind)
            if part.count:
                yield _summary(arm, name, part)


def _summary(arm: str, transaction: str, histogram: Histogram) -> LatencySummary:
    quantiles = {
        name: histogram.quantile_ns(share) / 1e6
        for name, share in (
            ("p50", 0.5),
            ("p90", 0.9),
            ("p95", 0.95),
            ("p99", 0.99),
            ("p999", 0.999),
        )
    }
    return LatencySummary(
        arm=arm,
        transaction=transaction,
        count=histogram.count,
        mean=histogram.mean_ns / 1e6,
        max=histogram.max_ns / 1e6,
        histogram=histogram.coarse(),
        **quantiles,
    )


def _late(outcome: PointOutcome) -> dict[str, int]:
    if outcome.point.latency_limit_ms is None:
        return {}
    return {arm: sum(cell.late for cell in cells_of(outcome, arm)) for arm in outcome.point.arms}


def _lag(outcome: PointOutcome) -> dict[str, float]:
    if outcome.point.rate_tps is None:
        return {}
    lags = {}
    for arm in outcome.point.arms:
        cells = cells_of(outcome, arm)
        transactions = sum(cell.transactions for cell in cells)
        if transactions:
            lags[arm] = sum(cell.lag_ns for cell in cells) / transactions / 1e6
    return lags


def _series(outcome: PointOutcome) -> Iterator[SeriesPoint]:
    """Throughput by batch; of a long run, sums of neighbouring batches."""
    step = -(-len(outcome.records) // SERIES_POINTS_MAX) or 1
    for first in range(0, len(outcome.records), step):
        records = outcome.records[first : first + step]
        for arm in outcome.point.arms:
            yield from _series_point(records, arm)


def _series_point(records: Sequence[BatchRecord], arm: str) -> Iterator[SeriesPoint]:
    cells = [cell for record in records for cell in record.cells if cell.arm == arm]
    time_ns = sum(cell.time_ns for cell in cells)
    committed = sum(_committed(cell) for cell in cells)
    if time_ns:
        yield SeriesPoint(
            arm=arm,
            elapsed_s=records[-1].ended_s,
            tps=committed / time_ns * 1e9,
            cpu_us_per_transaction=(
                sum(cell.cpu_ns for cell in cells) / committed / 1e3 if committed else None
            ),
        )


def _committed(cell: CellRecord) -> int:
    return cell.transactions - cell.planned_rollbacks


def _probes(outcome: PointOutcome) -> dict[str, dict[str, float]]:
    """Bytes by transaction for each arm, and the figures of all worker processes together."""
    probes: dict[str, dict[str, float]] = {}
    for arm in outcome.point.arms:
        cells = cells_of(outcome, arm)
        committed = sum(_committed(cell) for cell in cells)
        if committed:
            probes[arm] = {
                "read_bytes_per_transaction": sum(c.read_bytes for c in cells) / committed,
                "written_bytes_per_transaction": sum(c.written_bytes for c in cells) / committed,
                "queries_per_transaction": sum(_statements(c) for c in cells) / committed,
            }
            unstarted = sum(cell.unstarted for cell in cells)
            if unstarted:
                probes[arm]["unstarted_arrivals"] = unstarted
    if outcome.probes:
        probes["workers"] = dict(outcome.probes)
    if outcome.waited_s:
        probes["background work"] = {"waited_s": outcome.waited_s}
    return probes


def _statements(cell: CellRecord) -> int:
    return cell.queries + cell.changes + cell.controls


def batch_summaries(outcome: PointOutcome) -> Iterator[BatchSummary]:
    """Totals of each batch, by arm."""
    point = outcome.point
    for record in outcome.records:
        by_arm = {arm: [c for c in record.cells if c.arm == arm] for arm in point.arms}
        yield BatchSummary(
            workload=point.workload.name,
            terminals=point.terminals,
            mode=point.mode,
            factors=dict(point.factors),
            index=record.index,
            rounds=record.rounds,
            ended_s=record.ended_s,
            transactions={a: sum(c.transactions for c in cells) for a, cells in by_arm.items()},
            planned_rollbacks={
                a: sum(c.planned_rollbacks for c in cells) for a, cells in by_arm.items()
            },
            queries={a: sum(_statements(c) for c in cells) for a, cells in by_arm.items()},
            time_s={a: sum(c.time_ns for c in cells) / 1e9 for a, cells in by_arm.items()},
            cpu_s={a: sum(c.cpu_ns for c in cells) / 1e9 for a, cells in by_arm.items()},
        )


def error_counts(outcome: PointOutcome) -> Iterator[ErrorCount]:
    """Errors by arm and kind; all of them were retried, or abandoned at the end of a slice."""
    point = outcome.point
    for arm in point.arms:
        counts: dict[str, int] = {}
        examples: dict[str, str] = {}
        for cell in cells_of(outcome, arm):
            for kind, count in cell.errors.items():
                counts[kind] = counts.get(kind, 0) + count
                examples.setdefault(kind, cell.error_examples.get(kind, ""))
        abandoned = sum(cell.abandoned for cell in cells_of(outcome, arm))
        for kind, count in sorted(counts.items()):
            yield ErrorCount(
                workload=point.workload.name,
                terminals=point.terminals,
                mode=point.mode,
                arm=arm,
                kind=kind,
                count=count,
                retried=max(count - abandoned, 0),
                example=examples[kind],
            )
