"""The data: their definition, their rows, and what makes two data sets the same."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ciphermark import registry
from ciphermark.engine.sqlite.dialect import SQLiteDialect
from ciphermark.workload.base import BulkTable, DataSet
from ciphermark.workload.sysbench import tables

SQLITE = SQLiteDialect()
ON_TABLES = [
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_write_only",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_delete",
    "select_random_points",
    "select_random_ranges",
]


def data(name: str, seed: int = 1, terminals: int = 1, **options: Any) -> DataSet:
    plugin = registry.find("workload", name)
    made = plugin.load()(plugin.load_options()(**options))
    found: DataSet = made.data(SQLITE, seed, terminals)
    return found


def rows(table: BulkTable) -> list[tuple[Any, ...]]:
    return [row for chunk in table for row in zip(*chunk, strict=True)]


def test_rows_are_complete_and_have_their_forms() -> None:
    found = data("oltp_read_only", tables=2, table_size=23_456)
    assert [table.name for table in found.tables] == ["sbtest1", "sbtest2"]
    assert found.rows == 2 * 23_456
    for table in found.tables:
        assert table.columns == ("id", "k", "c", "pad")
        made = rows(table)
        assert [row[0] for row in made] == list(range(1, 23_457))
        assert all(1 <= row[1] <= 23_456 for row in made)
        assert all(re.match(r"^\d{11}(-\d{11}){9}$", row[2]) for row in made)
        assert all(re.match(r"^\d{11}(-\d{11}){4}$", row[3]) for row in made)


def test_the_same_seed_gives_the_same_rows_and_another_gives_others() -> None:
    first, again, other = (rows(data("oltp_read_only", seed).tables[0]) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    one, two = data("oltp_read_only", tables=2).tables
    assert rows(one) == first
    assert rows(two) != first


def test_a_longer_table_begins_with_the_same_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_CHUNK_ROWS", 1000)
    short = rows(data("oltp_read_only", table_size=2000).tables[0])
    long = rows(data("oltp_read_only", table_size=3000).tables[0])
    assert [row[2:] for row in long[:2000]] == [row[2:] for row in short]


def test_workloads_that_leave_their_rows_in_place_share_their_data() -> None:
    keys = {name: data(name).key for name in ON_TABLES}
    assert len(set(keys.values())) == 1
    shared = keys["oltp_read_only"]
    assert data("oltp_read_only", point_selects=3, terminals=9).key == shared
    assert data("oltp_read_only", seed=2).key != shared
    others: dict[str, Any] = {
        "tables": 2,
        "table_size": 5,
        "rand_type": "uniform",
        "secondary": True,
        "auto_inc": False,
        "create_secondary": False,
    }
    for option, value in others.items():
        assert data("oltp_read_only", **{option: value}).key != shared, option
    assert data("oltp_insert").key != shared
    assert data("oltp_insert", terminals=2).key != data("oltp_insert").key
    assert data("bulk_insert", terminals=2).key != data("bulk_insert").key


def test_definitions() -> None:
    (table,) = data("oltp_read_only").tables
    assert [statement.text for statement in table.create] == [
        "CREATE TABLE sbtest1 (id INTEGER, k INTEGER DEFAULT 0 NOT NULL, "
        "c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))"
    ]
    assert [statement.text for statement in table.after] == ["CREATE INDEX k_1 ON sbtest1 (k)"]
    (table,) = data("oltp_read_only", create_secondary=False, secondary=True).tables
    assert table.after == ()
    assert "PRIMARY KEY" not in table.create[0].text
    assert table.create[1].text == "CREATE INDEX xid_1 ON sbtest1 (id)"
    assert [statement.text for statement in data("oltp_delete", tables=2).drop] == [
        "DROP TABLE IF EXISTS sbtest1",
        "DROP TABLE IF EXISTS sbtest2",
    ]


def test_client_made_ids_want_empty_tables() -> None:
    found = data("oltp_insert", auto_inc=False, tables=2)
    assert found.rows == 0
    assert all(rows(table) == [] for table in found.tables)
    assert data("oltp_insert").rows == 10_000


def test_bulk_insert_has_a_table_for_each_terminal() -> None:
    found = data("bulk_insert", terminals=3)
    assert [table.name for table in found.tables] == ["sbtest1", "sbtest2", "sbtest3"]
    assert all(rows(table) == [] for table in found.tables)
    assert found.tables[0].columns == ("id", "k")
