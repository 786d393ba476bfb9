"""The tests that add rows: oltp_insert and bulk_insert."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from ciphermark.engine.dialect import Dialect
from ciphermark.errors import WorkloadError
from ciphermark.workload.base import (
    Answer,
    Call,
    Outcome,
    Statement,
    StatementKind,
    Transaction,
)
from ciphermark.workload.streams import Stream
from ciphermark.workload.sysbench import draws
from ciphermark.workload.sysbench.keys import RowCounter, scattered_ids
from ciphermark.workload.sysbench.options import TableOptions
from ciphermark.workload.sysbench.statements import table_name
from ciphermark.workload.sysbench.transactions import Program, SingleCallProgram

__all__ = ["CLIENT_BUFFER_BYTES", "BulkInsertProgram", "ScatteredInsertProgram", "insert_program"]

CLIENT_BUFFER_BYTES = 512 * 1024
"""Text that bulk_insert collects before it sends an INSERT."""


def insert_program(
    options: TableOptions, dialect: Dialect, terminal: int, terminals: int
) -> SingleCallProgram | ScatteredInsertProgram:
    """oltp_insert for one terminal; ids come from the engine, or from the client."""
    if not options.auto_inc:
        return ScatteredInsertProgram(options, terminal, terminals)
    if options.secondary and dialect.name != "mysql":
        raise WorkloadError(
            f"oltp_insert with secondary = true needs generated ids, which {dialect.name} has "
            "for primary keys only",
            remedy="Set secondary = false or auto_inc = false",
        )
    # MySQL generates an id where 0 is given; elsewhere the column is left out.
    form = (
        "(id, k, c, pad) VALUES (0, ?, ?, ?)"
        if dialect.name == "mysql"
        else ("(k, c, pad) VALUES (?, ?, ?)")
    )
    return SingleCallProgram(
        draws.calls(_inserts(options.tables, form), draws.rows(options, with_id=False))
    )


def _inserts(tables: int, form: str) -> tuple[Statement, ...]:
    """sysbench writes the values of its inserts into the text in every mode."""
    return tuple(
        Statement(
            f"insert_{number}",
            f"INSERT INTO {table_name(number)} {form}",
            StatementKind.CHANGE,
            always_text=True,
        )
        for number in range(1, tables + 1)
    )


class ScatteredInsertProgram(Program):
    """One INSERT for each transaction, with an id that the client makes."""

    def __init__(self, options: TableOptions, terminal: int, terminals: int) -> None:
        self._terminal = terminal
        self._terminals = terminals
        self._counter = RowCounter()
        self._tables = range(1, options.tables + 1)
        statements = _inserts(options.tables, "(id, k, c, pad) VALUES (?, ?, ?, ?)")
        self._calls = Stream(0, draws.calls(statements, draws.rows(options, with_id=False)))
        self._take = self._calls.take
        self._ids: Iterator[int] = iter(())

    def restore(self) -> Transaction | None:
        """Before the first slice, empties the tables, which the numbering of ids relies on."""
        if self._counter.used or self._terminal:
            return None
        return _empty(self._tables)

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts the rows of `seed`."""
        self._calls.rewind(seed, expected)
        self._take = self._calls.take
        self._counter.rewind(seed)
        self._ids = scattered_ids(self._counter, self._terminal, self._terminals, seed)

    def next_transaction(self) -> Call:  # hot path
        """The next INSERT."""
        statement, row = self._take()
        return statement, (next(self._ids), *row)


class BulkInsertProgram(Program):
    """Rows (n, n) collected in the client and sent when its buffer is full.

    Every transaction adds one row; most of them send nothing.
    """

    def __init__(self, terminal: int) -> None:
        self._table = terminal + 1
        self._head = f"INSERT INTO {table_name(self._table)} (id, k) VALUES "
        self._counter = RowCounter()
        self._first = 0
        """Number of the first row in the buffer."""
        self._end = 0
        """Number of the first row that does not fit into the buffer any more."""

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts with an empty buffer, behind the rows of all earlier slices."""
        del expected  # nothing is drawn
        self._counter.rewind(seed)
        self._start_buffer()

    def next_transaction(self) -> Generator[Call, Answer, Outcome]:  # hot path
        """Adds a row."""
        return self._add_row()

    def finish(self) -> Transaction | None:
        """Sends what is in the buffer."""
        if self._counter.next == self._first:
            return None
        call = self._insert()
        self._start_buffer()
        return call

    def restore(self) -> Transaction | None:
        """Before the first slice, empties the terminal's table: its rows are counted from 1."""
        return None if self._counter.used else _empty(range(self._table, self._table + 1))

    def _add_row(self) -> Generator[Call, Answer, Outcome]:  # hot path
        counter = self._counter
        if counter.next == self._end:
            call = self._insert()
            self._start_buffer()
            yield call
        counter.next += 1
        return 0

    def _start_buffer(self) -> None:
        self._first = self._counter.next
        self._end = self._first + _rows_that_fit(
            self._first + 1, CLIENT_BUFFER_BYTES - len(self._head)
        )

    def _insert(self) -> Call:
        numbers = range(self._first + 1, self._counter.next + 1)
        text = self._head + ",".join([f"({number},{number})" for number in numbers])
        return Statement("bulk_insert", text, StatementKind.CHANGE, always_text=True), ()


def _empty(tables: range) -> Generator[Call, Answer, Outcome]:
    """Removes all rows of these tables."""
    for number in tables:
        text = f"DELETE FROM {table_name(number)}"
        yield Statement(f"empty_{number}", text, StatementKind.CHANGE), ()
    return 0


def _rows_that_fit(first: int, space: int) -> int:
    """How many rows "(n,n)" from n = `first` on, with commas between them, fit into `space`."""
    rows = 0
    number = first
    left = space + 1  # the last row has no comma
    while True:
        digits = len(str(number))
        row_bytes = 2 * digits + 4
        in_decade = int(10**digits) - number
        fitting = min(in_decade, left // row_bytes)
        rows += fitting
        left -= fitting * row_bytes
        number += fitting
        if fitting < in_decade:
            return rows
