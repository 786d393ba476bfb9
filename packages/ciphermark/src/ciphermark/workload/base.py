"""What a workload is: data to load, and transactions that do no I/O.

A transaction is a generator. It yields calls (a statement and its parameters), is sent each
answer, and returns its outcome, so the same transaction runs on any engine and any protection, in
a thread of its own or multiplexed, and is tested without a database::

    def transfer(self) -> Transaction:
        yield BEGIN, ()
        rows = yield SELECT_BALANCE, (account,)
        yield UPDATE_BALANCE, (rows[0][0] - 1, account)
        yield COMMIT, ()
        return 0

A transaction of one statement whose answer decides nothing may be given as the bare call: that
saves the generator, which costs as much as a third of an embedded point select.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from ciphermark.engine.dialect import Dialect

__all__ = [
    "Answer",
    "BulkTable",
    "Call",
    "Condition",
    "DataSet",
    "Outcome",
    "Parameters",
    "Row",
    "SliceBound",
    "Statement",
    "StatementKind",
    "TerminalProgram",
    "Transaction",
    "Workload",
    "planned_rollback",
]

Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = tuple[Any, ...]


class StatementKind(IntEnum):
    """What a statement is answered with."""

    QUERY = 0
    """Rows."""
    CHANGE = 1
    """The number of rows it changed."""
    CONTROL = 2
    """Nothing: BEGIN, COMMIT, ROLLBACK and schema statements; answered with 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement, made once per dialect and compared by identity.

    `text` marks parameters with `?`, whatever the driver's own style; the engine's session
    translates once. `always_text` asks for values written into the text even in prepared mode,
    as sysbench does for its inserts.
    """

    name: str
    text: str
    kind: StatementKind
    always_text: bool = False


Call: TypeAlias = tuple[Statement, Parameters]
Answer: TypeAlias = "list[Row] | int"
"""Rows of a QUERY, the number of changed rows of a CHANGE, 0 of a CONTROL."""

Outcome: TypeAlias = int
"""Index into `Workload.transaction_names` of a committed transaction; `~index` of one that rolled
back as planned."""

Transaction: TypeAlias = "Generator[Call, Answer, Outcome] | Call"


def planned_rollback(index: int) -> Outcome:
    """The outcome of transaction kind `index` when it rolled back because it was meant to."""
    return ~index


class SliceBound(Enum):
    """What ends a slice."""

    TIME = "time"
    COUNT = "count"
    """A count of transactions, the same in every arm: for workloads that change the size of
    their tables."""


@dataclass(frozen=True, slots=True)
class BulkTable:
    """One table to create and fill.

    `create` and `after` are statements without parameters; `after` (indexes) runs once the rows
    are in. `chunks` makes the rows anew at every call, in column-wise chunks: one sequence per
    column, all of the same length, ids ascending.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    create: tuple[Statement, ...]
    after: tuple[Statement, ...]
    chunks: Callable[[], Iterator[tuple[Sequence[Any], ...]]]

    def __iter__(self) -> Iterator[tuple[Sequence[Any], ...]]:
        return self.chunks()


@dataclass(frozen=True, slots=True)
class DataSet:
    """Everything that a workload needs in the database before it runs.

    `key` is equal for two workloads that can use the same loaded data.
    """

    key: str
    tables: tuple[BulkTable, ...]
    drop: tuple[Statement, ...]

    @property
    def rows(self) -> int:
        """Rows over all tables."""
        return sum(table.rows for table in self.tables)


class TerminalProgram(Protocol):
    """The endless sequence of transactions of one terminal."""

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts the sequence that `seed` gives; called outside the clock before each slice.

        The same seed gives the same transactions, whatever the arm. `expected` is the number of
        transactions that the slice will probably hold: random values for so many are drawn now.
        """

    def next_transaction(self) -> Transaction:
        """The next transaction; hot path."""

    def finish(self) -> Transaction | None:
        """What must still be sent, inside the clock, when the slice ends (buffered rows)."""

    def restore(self) -> Transaction | None:
        """What puts the data back after the slice, outside the clock.

        Also asked for before the first slice: what an earlier run has left is then removed.
        """


@dataclass(frozen=True, slots=True)
class Condition:
    """A consistency condition: a query that must return no row on consistent data.

    `expected_to_fail` names the reason for which a profile is known to break it.
    """

    name: str
    description: str
    query: Statement
    expected_to_fail: str = ""


class Workload(Protocol):
    """A workload with its options set; picklable, for it crosses to the workers."""

    @property
    def name(self) -> str:
        """Name in plans and results, such as "oltp_read_only"."""

    @property
    def transaction_names(self) -> tuple[str, ...]:
        """One name for each kind of transaction."""

    @property
    def slice_bound(self) -> SliceBound:
        """What ends a slice of this workload."""

    @property
    def slice_count_min(self) -> int:
        """Fewest transactions of a terminal in a count-bound slice."""

    @property
    def writes(self) -> bool:
        """Whether the transactions change data."""

    @property
    def changes_per_transaction(self) -> float:
        """Nominal number of CHANGE statements of one transaction; 0 for read-only workloads."""

    def data(self, dialect: Dialect, seed: int, terminals: int) -> DataSet:
        """The data to load; the same seed gives the same rows on every engine."""

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """The program of terminal `terminal` of `terminals`, counted from 0."""

    def conditions(self, dialect: Dialect) -> tuple[Condition, ...]:
        """The consistency conditions of the loaded data."""

    def describe(self) -> Mapping[str, str]:
        """The effective options, by name, for the result document."""
