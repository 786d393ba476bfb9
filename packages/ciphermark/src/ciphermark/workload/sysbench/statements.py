"""The statements of the sysbench workloads, one for each table."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import Call, Statement, StatementKind

__all__ = [
    "DELETE",
    "DISTINCT_RANGE",
    "INDEX_UPDATE",
    "INSERT",
    "NON_INDEX_UPDATE",
    "ORDER_RANGE",
    "POINT_SELECT",
    "SIMPLE_RANGE",
    "SUM_RANGE",
    "Shape",
    "begin_call",
    "commit_call",
    "table_name",
]

_QUERY = StatementKind.QUERY
_CHANGE = StatementKind.CHANGE
_IN_RANGE = "WHERE id BETWEEN ? AND ?"


@dataclass(frozen=True, slots=True)
class Shape:
    """A statement with a gap for the table."""

    name: str
    text: str
    kind: StatementKind

    def for_tables(self, tables: int) -> tuple[Statement, ...]:
        """The statement for each of the tables 1 to `tables`, in this order."""
        return tuple(
            Statement(f"{self.name}_{number}", self.text.format(table_name(number)), self.kind)
            for number in range(1, tables + 1)
        )


POINT_SELECT = Shape("point_select", "SELECT c FROM {} WHERE id = ?", _QUERY)
SIMPLE_RANGE = Shape("simple_range", f"SELECT c FROM {{}} {_IN_RANGE}", _QUERY)
SUM_RANGE = Shape("sum_range", f"SELECT SUM(k) FROM {{}} {_IN_RANGE}", _QUERY)
ORDER_RANGE = Shape("order_range", f"SELECT c FROM {{}} {_IN_RANGE} ORDER BY c", _QUERY)
DISTINCT_RANGE = Shape(
    "distinct_range", f"SELECT DISTINCT c FROM {{}} {_IN_RANGE} ORDER BY c", _QUERY
)
INDEX_UPDATE = Shape("index_update", "UPDATE {} SET k = k + 1 WHERE id = ?", _CHANGE)
NON_INDEX_UPDATE = Shape("non_index_update", "UPDATE {} SET c = ? WHERE id = ?", _CHANGE)
DELETE = Shape("delete", "DELETE FROM {} WHERE id = ?", _CHANGE)
INSERT = Shape("insert", "INSERT INTO {} (id, k, c, pad) VALUES (?, ?, ?, ?)", _CHANGE)


def table_name(number: int) -> str:
    """sbtest1, sbtest2, …"""
    return f"sbtest{number}"


def begin_call(dialect: Dialect, *, writes: bool) -> Call:
    """Starts a transaction in the way that suits what it will do."""
    text = dialect.begin_write if writes else dialect.begin
    return Statement("begin", text, StatementKind.CONTROL), ()


def commit_call() -> Call:
    """Ends a transaction."""
    return Statement("commit", "COMMIT", StatementKind.CONTROL), ()
