"""Statements, their number, their order and their parameters, without a database."""

from __future__ import annotations

import pickle
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ciphermark import registry
from ciphermark.engine.sqlite.dialect import SQLiteDialect
from ciphermark.workload.base import (
    Call,
    StatementKind,
    TerminalProgram,
    Transaction,
    Workload,
)

DIALECT = SQLiteDialect()
READ_ONLY = (
    ["begin"]
    + ["point_select_1"] * 10
    + ["simple_range_1", "sum_range_1", "order_range_1", "distinct_range_1"]
)
WRITES = ["index_update_1", "non_index_update_1", "delete_1", "insert_1"]


def workload(name: str, **options: Any) -> Workload:
    plugin = registry.find("workload", name)
    made: Workload = plugin.load()(plugin.load_options()(**options))
    return made


def seed(round_number: int = 1) -> np.random.SeedSequence:
    return np.random.SeedSequence(7, spawn_key=(0, round_number, 0))


def calls_of(transaction: Transaction) -> list[Call]:
    """The calls of a transaction that is answered with nothing but ones."""
    if isinstance(transaction, tuple):
        return [transaction]
    calls = []
    try:
        calls.append(next(transaction))
        while True:
            calls.append(transaction.send(1))
    except StopIteration:
        return calls


def program(made: Workload, terminal: int = 0, terminals: int = 1) -> TerminalProgram:
    started = made.program(DIALECT, terminal, terminals)
    started.rewind(seed(), 20)
    return started


def names(name: str, **options: Any) -> list[str]:
    transaction = program(workload(name, **options)).next_transaction()
    return [statement.name for statement, _ in calls_of(transaction)]


@dataclass
class Counted:
    """Statements of many transactions by kind."""

    read: int = 0
    write: int = 0
    other: int = 0
    texts: set[str] = field(default_factory=set)


def counted(name: str, transactions: int, **options: Any) -> Counted:
    counts = Counted()
    started = program(workload(name, **options))
    for _ in range(transactions):
        for statement, _ in calls_of(started.next_transaction()):
            counts.read += statement.kind is StatementKind.QUERY
            counts.write += statement.kind is StatementKind.CHANGE
            counts.other += statement.kind is StatementKind.CONTROL
            counts.texts.add(statement.text)
    return counts


def numbers(counts: Counted) -> tuple[int, int, int]:
    return counts.read, counts.write, counts.other


def test_the_order_of_statements() -> None:
    assert names("oltp_read_only") == [*READ_ONLY, "commit"]
    assert names("oltp_read_write") == [*READ_ONLY, *WRITES, "commit"]
    assert names("oltp_write_only") == ["begin", *WRITES, "commit"]
    assert names("oltp_point_select") == ["point_select_1"]
    assert names("oltp_update_index", index_updates=3) == ["index_update_1"] * 3
    assert names("oltp_update_non_index", non_index_updates=2) == ["non_index_update_1"] * 2
    assert names("oltp_delete") == ["delete_1"]
    assert names("oltp_insert") == ["insert_1"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("oltp_point_select", (1, 0, 0)),
        ("oltp_read_only", (14, 0, 2)),
        ("oltp_read_write", (14, 4, 2)),
        ("oltp_write_only", (0, 4, 2)),
        ("oltp_update_index", (0, 1, 0)),
        ("oltp_update_non_index", (0, 1, 0)),
        ("oltp_delete", (0, 1, 0)),
        ("oltp_insert", (0, 1, 0)),
        ("select_random_points", (1, 0, 0)),
        ("select_random_ranges", (1, 0, 0)),
    ],
)
def test_counts_with_default_options(name: str, expected: tuple[int, int, int]) -> None:
    read, write, other = expected
    assert numbers(counted(name, 100)) == (100 * read, 100 * write, 100 * other)
    made = workload(name)
    assert made.changes_per_transaction == write
    assert made.writes == (write > 0)
    assert made.transaction_names == (made.name,) == (name,)


def test_options_change_the_counts() -> None:
    without = {"skip_trx": True, "range_selects": False}
    assert numbers(counted("oltp_read_only", 10, **without)) == (100, 0, 0)
    three = {"point_selects": 3, "simple_ranges": 2, "sum_ranges": 0}
    assert numbers(counted("oltp_read_only", 1, **three)) == (3 + 2 + 0 + 1 + 1, 0, 2)
    assert numbers(counted("oltp_write_only", 10)) == (0, 40, 20)
    assert numbers(counted("oltp_write_only", 1, delete_inserts=3)) == (0, 8, 2)
    assert numbers(counted("oltp_read_write", 1, skip_trx=True)) == (14, 4, 0)


def test_statement_texts() -> None:
    in_range = "WHERE id BETWEEN ? AND ?"
    assert counted("oltp_read_write", 1).texts == {
        "BEGIN IMMEDIATE",
        "SELECT c FROM sbtest1 WHERE id = ?",
        f"SELECT c FROM sbtest1 {in_range}",
        f"SELECT SUM(k) FROM sbtest1 {in_range}",
        f"SELECT c FROM sbtest1 {in_range} ORDER BY c",
        f"SELECT DISTINCT c FROM sbtest1 {in_range} ORDER BY c",
        "UPDATE sbtest1 SET k = k + 1 WHERE id = ?",
        "UPDATE sbtest1 SET c = ? WHERE id = ?",
        "DELETE FROM sbtest1 WHERE id = ?",
        "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
        "COMMIT",
    }
    assert "BEGIN" in counted("oltp_read_only", 1).texts


def test_parameters_of_a_transaction() -> None:
    made = workload("oltp_read_write", table_size=50, rand_type="uniform", range_size=30)
    started = program(made)
    beyond = 0
    for _ in range(200):
        by_name = {s.name: p for s, p in calls_of(started.next_transaction())}
        (point,) = by_name["point_select_1"]
        assert 1 <= point <= 50
        for kind in ("simple", "sum", "order", "distinct"):
            first, last = by_name[f"{kind}_range_1"]
            assert 1 <= first <= 50
            assert last == first + 29
            beyond += last > 50
        (updated,) = by_name["index_update_1"]
        assert 1 <= updated <= 50
        c, changed = by_name["non_index_update_1"]
        assert re.match(r"^\d{11}(-\d{11}){9}$", c)
        assert 1 <= changed <= 50
        row_id, k, c, pad = by_name["insert_1"]
        assert by_name["delete_1"] == (row_id,)
        assert 1 <= row_id <= 50
        assert 1 <= k <= 50
        assert (len(c), len(pad)) == (119, 59)
    assert beyond, "ranges must not be clipped at the table's end"


def test_every_repetition_draws_its_own_id_but_keeps_its_groups_table() -> None:
    made = workload("oltp_read_write", tables=8, delete_inserts=2, rand_type="uniform")
    started = program(made)
    seen = set()
    for _ in range(50):
        calls = calls_of(started.next_transaction())[1:-1]
        points = [call for call in calls if call[0].name.startswith("point_select")]
        assert len({statement.name for statement, _ in points}) == 1
        assert len({parameters for _, parameters in points}) > 1
        tables = [statement.name.rsplit("_", 1)[1] for statement, _ in calls]
        assert len(set(tables[-4:])) == 1, "both statements of a pair, and all pairs: one table"
        assert len(set(tables)) > 1, "each group draws a table of its own"
        seen.update(tables)
    assert seen == {str(number) for number in range(1, 9)}


def test_point_select_is_the_bare_call() -> None:
    started = program(workload("oltp_point_select", tables=3))
    drawn = [started.next_transaction() for _ in range(300)]
    assert all(isinstance(call, tuple) for call in drawn)
    assert {calls_of(call)[0][0].name for call in drawn} == {
        "point_select_1",
        "point_select_2",
        "point_select_3",
    }


@pytest.mark.parametrize("name", sorted(registry.plugins("workload")))
def test_every_arm_replays_the_same_transactions(name: str) -> None:
    plugin = registry.find("workload", name)
    if "sysbench" not in plugin.factory:
        return
    made = pickle.loads(pickle.dumps(workload(name)))
    started = made.program(DIALECT, 1, 3)

    def replay(round_number: int, expected: int) -> list[tuple[str, Any]]:
        started.rewind(seed(round_number), expected)
        found = []
        for _ in range(100):
            found += [(s.name, p) for s, p in calls_of(started.next_transaction())]
        last = started.finish()
        found += [(s.text, p) for s, p in calls_of(last)] if last is not None else []
        return found

    first = replay(1, 100)
    assert first
    assert replay(1, 100) == first
    assert replay(1, 5) == first
    assert replay(2, 100) != first


def test_terminals_of_the_random_selects_have_segments() -> None:
    for terminal, (low, high) in enumerate([(0, 33), (33, 66), (66, 100)]):
        for name, step in (("select_random_points", 1), ("select_random_ranges", 2)):
            made = workload(name, table_size=100, rand_type="uniform")
            started = program(made, terminal, 3)
            values = [
                value
                for _ in range(200)
                for _, parameters in calls_of(started.next_transaction())
                for value in parameters[::step]
            ]
            assert (min(values), max(values)) == (low, high)


def test_the_random_selects() -> None:
    made = program(workload("select_random_points", random_points=3))
    ((statement, parameters),) = calls_of(made.next_transaction())
    assert statement.text == "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)"
    assert len(parameters) == 3
    made = program(workload("select_random_ranges", number_of_ranges=2, delta=7))
    ((statement, parameters),) = calls_of(made.next_transaction())
    assert statement.text == (
        "SELECT count(k) FROM sbtest1 WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"
    )
    assert [parameters[1] - parameters[0], parameters[3] - parameters[2]] == [7, 7]


def test_describe_names_every_option() -> None:
    made = workload("oltp_read_only", skip_trx=True, rand_type="uniform")
    described = made.describe()
    assert described["skip_trx"] == "true"
    assert described["rand_type"] == "uniform"
    assert described["table_size"] == "10000"
    assert described["point_selects"] == "10"
