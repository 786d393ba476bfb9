"""A result as JSON and as CSV, with stable column names that carry their units.

A column is never renamed or moved; new ones are added at the end.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator

from ciphermark.errors import ResultFileError
from ciphermark.results.document import ResultDocument

__all__ = ["TABLES", "to_csv", "to_json"]

Row = dict[str, object]


def to_json(document: ResultDocument) -> str:
    """The whole document, as `result.json` holds it."""
    return document.model_dump_json(indent=2) + "\n"


def to_csv(document: ResultDocument, table: str = "comparisons") -> str:
    """One of `TABLES` as CSV (RFC 4180), a header line first; overheads are fractions.

    Raises `ResultFileError` for a table that does not exist.
    """
    if table not in TABLES:
        raise ResultFileError(
            f"there is no table {table!r}", remedy=f"Choose one of: {', '.join(TABLES)}"
        )
    columns, rows = TABLES[table]
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, fieldnames=columns, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows(document))
    return stream.getvalue()


def _factors(levels: dict[str, str]) -> str:
    return ";".join(f"{name}={level}" for name, level in levels.items())


def _comparisons(document: ResultDocument) -> Iterator[Row]:
    for one in document.comparisons:
        yield {
            "workload": one.workload,
            "terminals": one.terminals,
            "mode": one.mode,
            "factors": _factors(one.factors),
            "arm": one.arm,
            "control": one.control,
            "metric": one.metric,
            "unit": one.unit,
            "control_value": one.control_value,
            "arm_value": one.arm_value,
            "overhead_ratio": one.overhead,
            "ci_low_ratio": one.ci_low,
            "ci_high_ratio": one.ci_high,
            "confidence": one.confidence,
            "rounds": one.rounds,
            "batches": one.batches,
            "copies": one.copies,
            "df": one.df,
            "between_copy_sd_log": one.between_copy_sd,
            "estimator": one.estimator,
            "significant_after_holm": _flag(one.significant_after_holm),
            "valid": _flag(one.valid),
            "reasons": "; ".join(one.reasons),
            "verdict": one.verdict,
        }


def _noise(document: ResultDocument) -> Iterator[Row]:
    for one in document.noise_floor:
        yield {
            "workload": one.workload,
            "terminals": one.terminals,
            "mode": one.mode,
            "factors": _factors(one.factors),
            "metric": one.metric,
            "overhead_ratio": one.overhead,
            "ci_low_ratio": one.ci_low,
            "ci_high_ratio": one.ci_high,
            "half_width_ratio": one.half_width,
            "excludes_zero": _flag(one.excludes_zero),
        }


def _batches(document: ResultDocument) -> Iterator[Row]:
    for one in document.batches:
        for arm, transactions in one.transactions.items():
            yield {
                "workload": one.workload,
                "terminals": one.terminals,
                "mode": one.mode,
                "factors": _factors(one.factors),
                "batch": one.index,
                "arm": arm,
                "rounds": one.rounds,
                "ended_s": one.ended_s,
                "transactions": transactions,
                "planned_rollbacks": one.planned_rollbacks.get(arm, ""),
                "queries": one.queries.get(arm, ""),
                "time_s": one.time_s.get(arm, ""),
                "cpu_s": one.cpu_s.get(arm, ""),
            }


def _series(document: ResultDocument) -> Iterator[Row]:
    for point in document.points:
        for one in point.series:
            yield {
                "workload": point.workload,
                "terminals": point.terminals,
                "mode": point.mode,
                "factors": _factors(point.factors),
                "arm": one.arm,
                "elapsed_s": one.elapsed_s,
                "throughput_tps": one.tps,
                "cpu_us_per_transaction": one.cpu_us_per_transaction,
            }


def _latency(document: ResultDocument) -> Iterator[Row]:
    for point in document.points:
        for one in point.latency:
            yield {
                "workload": point.workload,
                "terminals": point.terminals,
                "mode": point.mode,
                "factors": _factors(point.factors),
                "arm": one.arm,
                "transaction": one.transaction,
                "count": one.count,
                "mean_ms": one.mean,
                "p50_ms": one.p50,
                "p90_ms": one.p90,
                "p95_ms": one.p95,
                "p99_ms": one.p99,
                "p999_ms": one.p999,
                "max_ms": one.max,
            }


def _flag(value: bool | None) -> str:
    return "" if value is None else str(value).lower()


_POINT = ("workload", "terminals", "mode", "factors")

TABLES: dict[str, tuple[tuple[str, ...], Callable[[ResultDocument], Iterator[Row]]]] = {
    "comparisons": (
        (
            *_POINT,
            *("arm", "control", "metric", "unit", "control_value", "arm_value"),
            *("overhead_ratio", "ci_low_ratio", "ci_high_ratio", "confidence"),
            *("rounds", "batches", "copies", "df", "between_copy_sd_log", "estimator"),
            *("significant_after_holm", "valid", "reasons", "verdict"),
        ),
        _comparisons,
    ),
    "noise_floor": (
        (
            *_POINT,
            *("metric", "overhead_ratio", "ci_low_ratio", "ci_high_ratio"),
            *("half_width_ratio", "excludes_zero"),
        ),
        _noise,
    ),
    "batches": (
        (
            *_POINT,
            *("batch", "arm", "rounds", "ended_s", "transactions", "planned_rollbacks"),
            *("queries", "time_s", "cpu_s"),
        ),
        _batches,
    ),
    "series": (
        (*_POINT, "arm", "elapsed_s", "throughput_tps", "cpu_us_per_transaction"),
        _series,
    ),
    "latency": (
        (
            *_POINT,
            *("arm", "transaction", "count"),
            *("mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"),
        ),
        _latency,
    ),
}
