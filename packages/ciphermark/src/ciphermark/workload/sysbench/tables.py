"""The tables sbtest1, sbtest2, …: their definition, their rows, and what must hold of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import (
    BulkTable,
    Condition,
    DataSet,
    Statement,
    StatementKind,
)
from ciphermark.workload.streams import generator_of
from ciphermark.workload.sysbench.options import TableOptions
from ciphermark.workload.sysbench.statements import table_name
from ciphermark.workload.sysbench.strings import C_LENGTH, PAD_LENGTH, c_and_pad

__all__ = ["COLUMNS", "Chunks", "conditions", "data_set", "drop_statement"]

Chunks: TypeAlias = "Iterator[tuple[Sequence[Any], ...]]"

COLUMNS = ("id", "k", "c", "pad")

_CHUNK_ROWS = 10_000
"""Rows of one chunk. Each chunk has a seed of its own, so this is part of what the data are."""


def data_set(
    options: TableOptions, dialect: Dialect, seed: int, *, empty: bool = False, suffix: str = ""
) -> DataSet:
    """The tables of `options`; `suffix` keeps data apart that a workload does not leave as is."""
    rows = 0 if empty else options.table_size
    numbers = range(1, options.tables + 1)
    # Model fields in their order: equal options give equal keys.
    shared = ",".join(
        f"{name}={getattr(options, name)}" for name in sorted(TableOptions.model_fields)
    )
    return DataSet(
        key=f"sysbench:seed={seed},rows={rows},{shared}{suffix}",
        tables=tuple(_table(options, dialect, seed, number, rows) for number in numbers),
        drop=tuple(drop_statement(number) for number in numbers),
    )


def drop_statement(number: int) -> Statement:
    """Drops a table, if it is there."""
    return _schema(f"drop_{number}", f"DROP TABLE IF EXISTS {table_name(number)}")


def _table(options: TableOptions, dialect: Dialect, seed: int, number: int, rows: int) -> BulkTable:
    return BulkTable(
        name=table_name(number),
        columns=COLUMNS,
        rows=rows,
        create=_create(options, dialect, number),
        after=_after(options, number),
        chunks=partial(_chunks, options, seed, number, rows),
    )


def _create(options: TableOptions, dialect: Dialect, number: int) -> tuple[Statement, ...]:
    """CREATE TABLE, and what stands in for the primary key if there is to be none."""
    name = table_name(number)
    key_inline = dialect.name == "mysql"
    key = "PRIMARY KEY (id)" if not options.secondary else "KEY xid (id)" if key_inline else ""
    parts = (
        f"id {dialect.integer_key(options.auto_inc)}"
        + (" NOT NULL" if options.secondary and not key_inline else ""),
        "k INTEGER DEFAULT 0 NOT NULL",
        "c CHAR(120) DEFAULT '' NOT NULL",
        "pad CHAR(60) DEFAULT '' NOT NULL",
        *((key,) if key else ()),
    )
    text = f"CREATE TABLE {name} ({', '.join(parts)}) {dialect.table_options()}".rstrip()
    create: tuple[Statement, ...] = (_schema(f"create_{number}", text),)
    if options.secondary and not key_inline:
        index = f"CREATE INDEX xid_{number} ON {name} (id)"
        create = (*create, _schema(f"create_key_{number}", index))
    return create


def _after(options: TableOptions, number: int) -> tuple[Statement, ...]:
    if not options.create_secondary:
        return ()
    text = f"CREATE INDEX k_{number} ON {table_name(number)} (k)"
    return (_schema(f"create_index_{number}", text),)


def _schema(name: str, text: str) -> Statement:
    return Statement(name, text, StatementKind.CONTROL)


def _chunks(options: TableOptions, seed: int, table: int, rows: int) -> Chunks:
    distribution = options.distribution
    for first in range(1, rows + 1, _CHUNK_ROWS):
        count = min(_CHUNK_ROWS, rows + 1 - first)
        chunk_seed = np.random.SeedSequence(seed, spawn_key=(table, first // _CHUNK_ROWS))
        generator = generator_of(chunk_seed)
        c, pad = c_and_pad(generator, count)
        k = distribution.draw(generator, 1, options.table_size, count).tolist()
        yield range(first, first + count), k, c, pad


def conditions(
    options: TableOptions, *, exact_rows: int | None, fewest_rows: int = 0
) -> tuple[Condition, ...]:
    """What must hold of every table: how many rows, which ids, and the form of the strings."""
    found: list[Condition] = []
    for number in range(1, options.tables + 1):
        found.append(_row_count(number, exact_rows, fewest_rows))
        if exact_rows is not None:
            found.append(_all_ids(number, exact_rows))
        found.append(_forms(number))
    return tuple(found)


def _condition(name: str, number: int, description: str, text: str) -> Condition:
    return Condition(
        name=f"{name}_{number}",
        description=f"{table_name(number)}: {description}",
        query=Statement(f"check_{name}_{number}", text, StatementKind.QUERY),
    )


def _row_count(number: int, exact: int | None, fewest: int) -> Condition:
    counted = f"SELECT n FROM (SELECT COUNT(*) AS n FROM {table_name(number)}) AS counted"
    if exact is not None:
        return _condition("row_count", number, f"{exact} rows", f"{counted} WHERE n <> {exact}")
    return _condition(
        "row_count", number, f"at least {fewest} rows", f"{counted} WHERE n < {fewest}"
    )


def _all_ids(number: int, rows: int) -> Condition:
    text = (
        "SELECT lowest, highest, n FROM (SELECT MIN(id) AS lowest, MAX(id) AS highest, "
        f"COUNT(DISTINCT id) AS n FROM {table_name(number)}) AS ids "
        f"WHERE lowest <> 1 OR highest <> {rows} OR n <> {rows}"
    )
    return _condition("all_ids", number, f"every id from 1 to {rows} once", text)


def _forms(number: int) -> Condition:
    """One dash tells a random group from anything else that has the right length."""
    text = (
        f"SELECT id FROM {table_name(number)} WHERE k < 1 "
        f"OR LENGTH(c) <> {C_LENGTH} OR SUBSTR(c, 12, 1) <> '-' "
        f"OR LENGTH(pad) <> {PAD_LENGTH} OR SUBSTR(pad, 12, 1) <> '-'"
    )
    return _condition("forms", number, "k above 0, c and pad made of groups of digits", text)
