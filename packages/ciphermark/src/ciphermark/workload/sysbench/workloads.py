"""The eleven workloads, and the factories that make them from their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeVar

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import (
    BulkTable,
    Condition,
    DataSet,
    SliceBound,
    Statement,
    StatementKind,
    TerminalProgram,
)
from ciphermark.workload.sysbench import draws, selects, statements, tables
from ciphermark.workload.sysbench.deletes import DeleteProgram
from ciphermark.workload.sysbench.inserts import BulkInsertProgram, insert_program
from ciphermark.workload.sysbench.options import (
    BulkInsertOptions,
    DeleteOptions,
    InsertOptions,
    PointSelectOptions,
    RandomPointsOptions,
    RandomRangesOptions,
    SysbenchOptions,
    TableOptions,
)
from ciphermark.workload.sysbench.transactions import Mix, MixProgram, SingleCallProgram

__all__ = [
    "BulkInsert",
    "Delete",
    "Insert",
    "MixedWorkload",
    "PointSelect",
    "RandomPoints",
    "RandomRanges",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
]

O = TypeVar("O", bound=SysbenchOptions)  # noqa: E741 - the options' type
T = TypeVar("T", bound=TableOptions)


@dataclass(frozen=True, slots=True)
class _Sysbench(Generic[O]):
    """What all have in common: one kind of transaction, and options that describe themselves."""

    options: O

    slice_bound: ClassVar[SliceBound] = SliceBound.TIME
    slice_count_min: ClassVar[int] = 10

    def describe(self) -> Mapping[str, str]:
        """The effective options, spelled as in a plan."""
        return {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in self.options.model_dump().items()
        }


@dataclass(frozen=True, slots=True)
class _OnTables(_Sysbench[T]):
    """The workloads on sbtest1, sbtest2, … that leave every row in place."""

    def data(self, dialect: Dialect, seed: int, terminals: int) -> DataSet:
        """The tables; the same for every number of terminals."""
        del terminals
        return tables.data_set(self.options, dialect, seed)

    def conditions(self, dialect: Dialect) -> tuple[Condition, ...]:
        """All rows are there, with all their ids."""
        del dialect
        return tables.conditions(self.options, exact_rows=self.options.table_size)


@dataclass(frozen=True, slots=True)
class PointSelect(_OnTables[PointSelectOptions]):
    """oltp_point_select: the bare call, without a generator around it."""

    name: ClassVar[str] = "oltp_point_select"
    transaction_names: ClassVar[tuple[str, ...]] = ("oltp_point_select",)
    writes: ClassVar[bool] = False
    changes_per_transaction: ClassVar[float] = 0.0

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One point select a transaction."""
        del dialect, terminal, terminals
        shapes = statements.POINT_SELECT.for_tables(self.options.tables)
        return SingleCallProgram(draws.calls(shapes, draws.ids(self.options)))


@dataclass(frozen=True, slots=True)
class MixedWorkload(_OnTables[TableOptions]):
    """The tests that are a mix of statements, with or without a transaction around them."""

    name: str

    @property
    def transaction_names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def writes(self) -> bool:
        return Mix.of(self.options).changes > 0

    @property
    def changes_per_transaction(self) -> float:
        return float(Mix.of(self.options).changes)

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """Transactions of the mix; an update by itself is given as the bare call."""
        del terminal, terminals
        mix = Mix.of(self.options)
        single = None if mix.transactional else self._single_update(mix)
        return single or MixProgram(self.options, mix, dialect)

    def _single_update(self, mix: Mix) -> TerminalProgram | None:
        number = self.options.tables
        if mix.statements != 1 or mix.changes != 1:
            return None
        if mix.index_updates:
            shapes, values = statements.INDEX_UPDATE, draws.ids(self.options)
        else:
            shapes, values = statements.NON_INDEX_UPDATE, draws.ids_and_c(self.options)
        return SingleCallProgram(draws.calls(shapes.for_tables(number), values))


def _mixed(name: str) -> Callable[[TableOptions], MixedWorkload]:
    return partial(MixedWorkload, name=name)


oltp_read_only = _mixed("oltp_read_only")
oltp_read_write = _mixed("oltp_read_write")
oltp_write_only = _mixed("oltp_write_only")
oltp_update_index = _mixed("oltp_update_index")
oltp_update_non_index = _mixed("oltp_update_non_index")


@dataclass(frozen=True, slots=True)
class Insert(_Sysbench[InsertOptions]):
    """oltp_insert: the tables grow, so its data serve no other workload."""

    name: ClassVar[str] = "oltp_insert"
    transaction_names: ClassVar[tuple[str, ...]] = ("oltp_insert",)
    slice_bound: ClassVar[SliceBound] = SliceBound.COUNT
    writes: ClassVar[bool] = True
    changes_per_transaction: ClassVar[float] = 1.0

    def data(self, dialect: Dialect, seed: int, terminals: int) -> DataSet:
        """Full tables, or empty ones where the client makes the ids."""
        return tables.data_set(
            self.options,
            dialect,
            seed,
            empty=not self.options.auto_inc,
            suffix=f",oltp_insert,terminals={terminals}",
        )

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One INSERT a transaction."""
        return insert_program(self.options, dialect, terminal, terminals)

    def conditions(self, dialect: Dialect) -> tuple[Condition, ...]:
        """No row was lost."""
        del dialect
        fewest = self.options.table_size if self.options.auto_inc else 0
        return tables.conditions(self.options, exact_rows=None, fewest_rows=fewest)


@dataclass(frozen=True, slots=True)
class Delete(_OnTables[DeleteOptions]):
    """oltp_delete: its rows are put back after each slice, so its data are shared."""

    name: ClassVar[str] = "oltp_delete"
    transaction_names: ClassVar[tuple[str, ...]] = ("oltp_delete",)
    slice_bound: ClassVar[SliceBound] = SliceBound.COUNT
    writes: ClassVar[bool] = True
    changes_per_transaction: ClassVar[float] = 1.0

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One DELETE a transaction."""
        del terminal, terminals
        return DeleteProgram(self.options, dialect)


@dataclass(frozen=True, slots=True)
class RandomPoints(_OnTables[RandomPointsOptions]):
    """select_random_points."""

    name: ClassVar[str] = "select_random_points"
    transaction_names: ClassVar[tuple[str, ...]] = ("select_random_points",)
    writes: ClassVar[bool] = False
    changes_per_transaction: ClassVar[float] = 0.0

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One query a transaction."""
        del dialect
        values = selects.random_points(self.options, terminal, terminals)
        return SingleCallProgram(draws.calls((selects.points_statement(self.options),), values))


@dataclass(frozen=True, slots=True)
class RandomRanges(_OnTables[RandomRangesOptions]):
    """select_random_ranges."""

    name: ClassVar[str] = "select_random_ranges"
    transaction_names: ClassVar[tuple[str, ...]] = ("select_random_ranges",)
    writes: ClassVar[bool] = False
    changes_per_transaction: ClassVar[float] = 0.0

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One query a transaction."""
        del dialect
        values = selects.random_ranges(self.options, terminal, terminals)
        return SingleCallProgram(draws.calls((selects.ranges_statement(self.options),), values))


@dataclass(frozen=True, slots=True)
class BulkInsert(_Sysbench[BulkInsertOptions]):
    """bulk_insert: a table of two integers for each terminal, filled as fast as it goes."""

    name: ClassVar[str] = "bulk_insert"
    transaction_names: ClassVar[tuple[str, ...]] = ("bulk_insert",)
    slice_bound: ClassVar[SliceBound] = SliceBound.COUNT
    slice_count_min: ClassVar[int] = 100_000
    """Several full INSERTs: in a shorter slice the last, partly filled one would decide."""
    writes: ClassVar[bool] = True
    changes_per_transaction: ClassVar[float] = 0.0
    """Nearly none: tens of thousands of transactions share one INSERT."""

    def data(self, dialect: Dialect, seed: int, terminals: int) -> DataSet:
        """One empty table for each terminal."""
        del seed
        numbers = range(1, terminals + 1)
        return DataSet(
            key=f"sysbench:bulk_insert,terminals={terminals}",
            tables=tuple(_bulk_table(dialect, number) for number in numbers),
            drop=tuple(tables.drop_statement(number) for number in numbers),
        )

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        """One row a transaction, into the terminal's own table."""
        del dialect, terminals
        return BulkInsertProgram(terminal)

    def conditions(self, dialect: Dialect) -> tuple[Condition, ...]:
        """In the first terminal's table, which is always there, both columns are equal."""
        del dialect
        query = Statement(
            "check_equal_columns",
            f"SELECT id FROM {statements.table_name(1)} WHERE id <> k",
            StatementKind.QUERY,
        )
        return (Condition("equal_columns", "sbtest1: id and k are equal", query),)


def _bulk_table(dialect: Dialect, number: int) -> BulkTable:
    name = statements.table_name(number)
    text = (
        f"CREATE TABLE IF NOT EXISTS {name} (id INTEGER NOT NULL, "
        f"k INTEGER DEFAULT 0 NOT NULL, PRIMARY KEY (id)) {dialect.table_options()}"
    )
    create = Statement(f"create_{number}", text.rstrip(), StatementKind.CONTROL)
    return BulkTable(name, ("id", "k"), 0, (create,), (), _no_chunks)


def _no_chunks() -> tables.Chunks:
    return iter(())
