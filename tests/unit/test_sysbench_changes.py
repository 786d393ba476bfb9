"""The tests that change the number of rows: oltp_insert, bulk_insert, oltp_delete."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import registry
from ciphermark.engine.sqlite.dialect import SQLiteDialect
from ciphermark.errors import WorkloadError
from ciphermark.workload.base import Call, SliceBound, TerminalProgram, Transaction
from ciphermark.workload.sysbench import inserts
from ciphermark.workload.sysbench.keys import scattered

SQLITE = SQLiteDialect()


class MySQLDialect(SQLiteDialect):
    """MySQL's name on another dialect: enough to see which form of an INSERT is chosen."""

    @property
    def name(self) -> str:
        return "mysql"


def program(
    name: str,
    terminal: int = 0,
    terminals: int = 1,
    dialect: SQLiteDialect = SQLITE,
    **options: Any,
) -> TerminalProgram:
    plugin = registry.find("workload", name)
    made = plugin.load()(plugin.load_options()(**options))
    assert made.slice_bound is SliceBound.COUNT
    started: TerminalProgram = made.program(dialect, terminal, terminals)
    return started


def seed(round_number: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(7, spawn_key=(round_number,))


def execute(transaction: Transaction | None, answer: Callable[[Call], int]) -> list[Call]:
    """Runs a transaction against `answer` and returns its calls."""
    if transaction is None or isinstance(transaction, tuple):
        calls = [] if transaction is None else [transaction]
        for call in calls:
            answer(call)
        return calls
    calls = []
    try:
        call = next(transaction)
        while True:
            calls.append(call)
            call = transaction.send(answer(call))
    except StopIteration:
        return calls


def changed(call: Call) -> int:
    del call
    return 1


def test_the_engine_generates_ids_by_default() -> None:
    started = program("oltp_insert", tables=2)
    started.rewind(seed(1), 10)
    for _ in range(20):
        ((statement, row),) = execute(started.next_transaction(), changed)
        assert statement.text in {
            "INSERT INTO sbtest1 (k, c, pad) VALUES (?, ?, ?)",
            "INSERT INTO sbtest2 (k, c, pad) VALUES (?, ?, ?)",
        }
        assert statement.always_text
        assert 1 <= row[0] <= 10_000
        assert (len(row[1]), len(row[2])) == (119, 59)


def test_mysql_is_given_zero_as_id() -> None:
    started = program("oltp_insert", dialect=MySQLDialect())
    started.rewind(seed(1), 10)
    ((statement, _),) = execute(started.next_transaction(), changed)
    assert statement.text == "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, ?, ?, ?)"


def test_generated_ids_need_a_primary_key_outside_mysql() -> None:
    with pytest.raises(WorkloadError, match="secondary"):
        program("oltp_insert", secondary=True)
    program("oltp_insert", secondary=True, auto_inc=False)
    program("oltp_insert", secondary=True, dialect=MySQLDialect())


def test_client_made_ids_never_repeat_over_slices_and_terminals() -> None:
    terminals = [program("oltp_insert", number, 3, auto_inc=False) for number in range(3)]
    ids: list[int] = []
    for round_number in range(5):
        for started in terminals:
            of_arm = []
            for _ in range(2):  # two arms
                started.rewind(seed(round_number), 100)
                rows = [execute(started.next_transaction(), changed)[0][1] for _ in range(700)]
                of_arm.append([row[0] for row in rows])
            assert of_arm[0] == of_arm[1]
            ids += of_arm[0]
    assert len(set(ids)) == len(ids) == 5 * 3 * 700
    assert min(ids) >= -(2**31)
    assert max(ids) < 2**31
    assert min(ids) < 0 < max(ids)


@given(st.lists(st.integers(0, 2**32 - 1), unique=True, min_size=2, max_size=200))
def test_scattering_is_a_permutation(numbers: list[int]) -> None:
    ids = scattered(np.array(numbers, dtype=np.uint64))
    assert len(set(ids)) == len(numbers)


def test_old_rows_are_removed_before_the_first_slice_and_never_later() -> None:
    started = program("oltp_insert", auto_inc=False, tables=2)
    texts = [statement.text for statement, _ in execute(started.restore(), changed)]
    assert texts == ["DELETE FROM sbtest1", "DELETE FROM sbtest2"]
    assert program("oltp_insert", 1, 2, auto_inc=False).restore() is None
    started.rewind(seed(1), 1)
    assert started.restore() is None
    bulk = program("bulk_insert", 2, 3)
    assert [s.text for s, _ in execute(bulk.restore(), changed)] == ["DELETE FROM sbtest3"]
    bulk.rewind(seed(1), 1)
    assert bulk.restore() is None


def inserted(calls: list[Call]) -> list[tuple[int, int]]:
    """The rows in the text of INSERT statements."""
    return [
        (int(one), int(two))
        for statement, _ in calls
        for one, two in re.findall(r"\((\d+),(\d+)\)", statement.text)
    ]


def test_bulk_insert_sends_only_full_buffers_and_the_rest_at_the_end() -> None:
    started = program("bulk_insert", 1, 2)
    started.rewind(seed(1), 1)
    calls = [c for _ in range(100_000) for c in execute(started.next_transaction(), changed)]
    assert 2 <= len(calls) <= 4
    for statement, parameters in calls:
        assert statement.text.startswith("INSERT INTO sbtest2 (id, k) VALUES (")
        assert statement.always_text
        assert parameters == ()
        size = len(statement.text)
        assert inserts.CLIENT_BUFFER_BYTES - 20 < size <= inserts.CLIENT_BUFFER_BYTES
    rest = execute(started.finish(), changed)
    assert len(rest) == 1
    assert inserted(calls + rest) == [(n, n) for n in range(1, 100_001)]
    assert started.finish() is None


def test_bulk_insert_goes_on_behind_earlier_slices() -> None:
    started = program("bulk_insert")
    for first in (1, 101):
        for _ in range(2):  # two arms
            started.rewind(seed(first), 100)
            calls = [c for _ in range(100) for c in execute(started.next_transaction(), changed)]
            calls += execute(started.finish(), changed)
            assert inserted(calls) == [(n, n) for n in range(first, first + 100)]


@pytest.mark.parametrize("space", [20, 21, 22, 100, 1000, 1001, 5003])
@pytest.mark.parametrize("first", [1, 5, 9, 95, 99_998])
def test_as_many_rows_as_fit(first: int, space: int) -> None:
    text = ",".join(f"({n},{n})" for n in range(first, first + 2000))
    fitting = text[: space + 1].rfind("),") + 1 if len(text) > space else len(text)
    assert inserts._rows_that_fit(first, space) == text[:fitting].count("(")


class Table:
    """A table of ids that answers DELETE and INSERT as a database does."""

    def __init__(self, rows: int) -> None:
        self.ids = set(range(1, rows + 1))

    def answer(self, call: Call) -> int:
        statement, parameters = call
        if statement.name.startswith("delete"):
            found = parameters[0] in self.ids
            self.ids.discard(parameters[0])
            return int(found)
        if statement.name.startswith("insert"):
            assert parameters[0] not in self.ids, "duplicate key"
            self.ids.add(parameters[0])
            return 1
        return 0


def test_deleted_rows_come_back_once_even_if_two_terminals_met() -> None:
    table = Table(50)
    terminals = [program("oltp_delete", number, 2, table_size=50) for number in range(2)]
    for round_number in range(3):
        for started in terminals:
            started.rewind(seed(round_number), 100)
            for _ in range(100):
                execute(started.next_transaction(), table.answer)
        assert len(table.ids) < 40
        restored = [execute(started.restore(), table.answer) for started in terminals]
        assert table.ids == set(range(1, 51))
        for calls in restored:
            assert not calls or calls[0][0].text == "BEGIN IMMEDIATE"
            for statement, row in calls[1:-1]:
                assert statement.name == "insert_1"
                assert (len(row[2]), len(row[3])) == (119, 59)
        assert all(started.restore() is None for started in terminals)


def test_deletes_of_several_tables_return_to_their_tables() -> None:
    started = program("oltp_delete", tables=3, table_size=1000, rand_type="uniform")
    started.rewind(seed(1), 100)
    deleted = [execute(started.next_transaction(), changed)[0] for _ in range(60)]
    restored = execute(started.restore(), changed)[1:-1]
    before = [(s.name.removeprefix("delete_"), p[0]) for s, p in deleted]
    after = [(s.name.removeprefix("insert_"), p[0]) for s, p in restored]
    assert after == before
    assert len({table for table, _ in after}) == 3
