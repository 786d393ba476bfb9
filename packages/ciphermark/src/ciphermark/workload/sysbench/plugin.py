"""What is known of the sysbench workloads without importing them."""

from __future__ import annotations

from ciphermark.registry import Plugin

__all__ = [
    "BULK_INSERT",
    "OLTP_DELETE",
    "OLTP_INSERT",
    "OLTP_POINT_SELECT",
    "OLTP_READ_ONLY",
    "OLTP_READ_WRITE",
    "OLTP_UPDATE_INDEX",
    "OLTP_UPDATE_NON_INDEX",
    "OLTP_WRITE_ONLY",
    "SELECT_RANDOM_POINTS",
    "SELECT_RANDOM_RANGES",
]

_PACKAGE = "ciphermark.workload.sysbench"


def _plugin(name: str, factory: str, options: str, description: str) -> Plugin:
    return Plugin(
        name=name,
        description=description,
        factory=f"{_PACKAGE}.workloads:{factory}",
        options=f"{_PACKAGE}.options:{options}",
    )


OLTP_POINT_SELECT = _plugin(
    "oltp_point_select", "PointSelect", "PointSelectOptions", "one row by its key"
)
OLTP_READ_ONLY = _plugin(
    "oltp_read_only",
    "oltp_read_only",
    "ReadOnlyOptions",
    "a transaction of 10 point selects and 4 range queries",
)
OLTP_READ_WRITE = _plugin(
    "oltp_read_write",
    "oltp_read_write",
    "ReadWriteOptions",
    "a transaction of 14 queries, 2 updates, a delete and an insert",
)
OLTP_WRITE_ONLY = _plugin(
    "oltp_write_only",
    "oltp_write_only",
    "WriteOnlyOptions",
    "a transaction of 2 updates, a delete and an insert",
)
OLTP_INSERT = _plugin("oltp_insert", "Insert", "InsertOptions", "one new row; the tables grow")
OLTP_UPDATE_INDEX = _plugin(
    "oltp_update_index",
    "oltp_update_index",
    "UpdateIndexOptions",
    "one update of an indexed column",
)
OLTP_UPDATE_NON_INDEX = _plugin(
    "oltp_update_non_index",
    "oltp_update_non_index",
    "UpdateNonIndexOptions",
    "one update of a column without index",
)
OLTP_DELETE = _plugin(
    "oltp_delete", "Delete", "DeleteOptions", "one row deleted; put back outside the clock"
)
BULK_INSERT = _plugin(
    "bulk_insert", "BulkInsert", "BulkInsertOptions", "pairs of integers in INSERTs of 512 KiB"
)
SELECT_RANDOM_POINTS = _plugin(
    "select_random_points",
    "RandomPoints",
    "RandomPointsOptions",
    "rows of 10 random values of an indexed column",
)
SELECT_RANDOM_RANGES = _plugin(
    "select_random_ranges",
    "RandomRanges",
    "RandomRangesOptions",
    "count over 10 random ranges of an indexed column",
)
