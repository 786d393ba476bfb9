"""The transactions of the tests that read and change rows of existing tables."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import (
    Answer,
    Call,
    Outcome,
    Parameters,
    Statement,
    Transaction,
)
from ciphermark.workload.streams import Stream
from ciphermark.workload.sysbench import draws, statements
from ciphermark.workload.sysbench.options import TableOptions
from ciphermark.workload.sysbench.statements import Shape

__all__ = ["Mix", "MixProgram", "Program", "SingleCallProgram"]

_READS = (
    (statements.SIMPLE_RANGE, "simple_ranges"),
    (statements.SUM_RANGE, "sum_ranges"),
    (statements.ORDER_RANGE, "order_ranges"),
    (statements.DISTINCT_RANGE, "distinct_ranges"),
)


class Program:
    """What most programs do at the end of a slice: nothing."""

    def finish(self) -> Transaction | None:
        """Nothing is buffered."""
        return None

    def restore(self) -> Transaction | None:
        """Nothing has to be put back."""
        return None


class SingleCallProgram(Program):
    """Transactions of one statement whose answer decides nothing, each given as the bare call."""

    def __init__(self, draw: draws.Draw[Call]) -> None:
        self._calls = Stream(0, draw)
        self._take = self._calls.take

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts the calls of `seed`."""
        self._calls.rewind(seed, expected)
        self._take = self._calls.take

    def next_transaction(self) -> Call:  # hot path
        """The next call."""
        return self._take()


@dataclass(frozen=True, slots=True)
class Mix:
    """How often each statement stands in a transaction, in the order in which they are sent."""

    point_selects: int
    ranges: tuple[tuple[Shape, int], ...]
    range_size: int
    index_updates: int
    non_index_updates: int
    delete_inserts: int
    transactional: bool

    @classmethod
    def of(cls, options: TableOptions) -> Mix:
        """The mix of a test's options; what a test does not know, it does not do."""

        def number(name: str) -> int:
            return int(getattr(options, name, 0))

        wanted = getattr(options, "range_selects", False)
        return cls(
            point_selects=number("point_selects"),
            ranges=tuple((shape, number(name) if wanted else 0) for shape, name in _READS),
            range_size=number("range_size"),
            index_updates=number("index_updates"),
            non_index_updates=number("non_index_updates"),
            delete_inserts=number("delete_inserts"),
            transactional=not getattr(options, "skip_trx", True),
        )

    @property
    def changes(self) -> int:
        """Changing statements of a transaction."""
        return self.index_updates + self.non_index_updates + 2 * self.delete_inserts

    @property
    def range_queries(self) -> int:
        """Range queries of a transaction."""
        return sum(times for _, times in self.ranges)

    @property
    def statements(self) -> int:
        """Statements of a transaction, BEGIN and COMMIT apart."""
        return self.point_selects + self.range_queries + self.changes

    @property
    def groups(self) -> int:
        """Groups of a transaction: each draws a table of its own."""
        times = (
            self.point_selects,
            *(times for _, times in self.ranges),
            self.index_updates,
            self.non_index_updates,
            self.delete_inserts,
        )
        return sum(1 for number in times if number)


@dataclass(frozen=True, slots=True)
class _Group:
    """Repetitions of one statement, all on the table that was drawn for the group."""

    statements: tuple[Statement, ...]
    times: int
    parameters: Stream[Parameters]


class MixProgram(Program):
    """Transactions that follow a `Mix`."""

    def __init__(self, options: TableOptions, mix: Mix, dialect: Dialect) -> None:
        self._begin = statements.begin_call(dialect, writes=mix.changes > 0)
        self._commit = statements.commit_call()
        self._transactional = mix.transactional
        self._tables = Stream(0, draws.table_indexes(options.tables))
        self._ids = Stream(1, draws.ids(options))
        self._spans = Stream(2, draws.spans(options, mix.range_size))
        self._updates = Stream(3, draws.ids_and_c(options))
        self._rows = Stream(4, draws.rows(options))
        self._several = options.tables > 1
        self._groups = _groups(mix, options.tables, self._ids, self._spans, self._updates)
        self._pairs = range(mix.delete_inserts)
        self._deletes = statements.DELETE.for_tables(options.tables)
        self._inserts = statements.INSERT.for_tables(options.tables)
        self._mix = mix
        self._steps: tuple[tuple[tuple[Statement, ...], range, Callable[[], Parameters]], ...] = ()
        self._take_table: Callable[[], int] = self._tables.take
        self._take_row = self._rows.take

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts the transactions of `seed`."""
        mix = self._mix
        for stream, values in (
            (self._tables, mix.groups if self._several else 0),
            (self._ids, mix.point_selects + mix.index_updates),
            (self._spans, mix.range_queries),
            (self._updates, mix.non_index_updates),
            (self._rows, mix.delete_inserts),
        ):
            if values:
                stream.rewind(seed, values * expected)
        self._steps = tuple(
            (group.statements, range(group.times), group.parameters.take) for group in self._groups
        )
        self._take_table = self._tables.take if self._several else repeat(0).__next__
        self._take_row = self._rows.take

    def next_transaction(self) -> Generator[Call, Answer, Outcome]:  # hot path
        """The next transaction."""
        return self._transaction()

    def _transaction(self) -> Generator[Call, Answer, Outcome]:  # hot path
        take_table = self._take_table
        if self._transactional:
            yield self._begin
        for of_tables, times, take in self._steps:
            statement = of_tables[take_table()]
            for _ in times:
                yield statement, take()
        if self._pairs:
            table = take_table()
            delete, insert = self._deletes[table], self._inserts[table]
            for _ in self._pairs:
                row = self._take_row()
                yield delete, row[:1]
                yield insert, row
        if self._transactional:
            yield self._commit
        return 0


def _groups(
    mix: Mix,
    tables: int,
    ids: Stream[Parameters],
    spans: Stream[Parameters],
    updates: Stream[Parameters],
) -> tuple[_Group, ...]:
    """The groups that repeat one statement, in the order in which they are sent."""
    shapes = (
        (statements.POINT_SELECT, mix.point_selects, ids),
        *((shape, times, spans) for shape, times in mix.ranges),
        (statements.INDEX_UPDATE, mix.index_updates, ids),
        (statements.NON_INDEX_UPDATE, mix.non_index_updates, updates),
    )
    return tuple(
        _Group(shape.for_tables(tables), times, stream) for shape, times, stream in shapes if times
    )
