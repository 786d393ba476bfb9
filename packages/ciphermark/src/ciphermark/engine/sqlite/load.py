"""The bulk path of SQLite: one transaction per table, indexes last, one fsync at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from ciphermark.engine.base import LoadProgress
from ciphermark.engine.sqlite.connection import set_journal_mode
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.workload.base import BulkTable

__all__ = ["COMPACT", "LOADED", "load_table", "make_durable"]

# Kept in the database's user_version: which order its pages are in.
LOADED = 1
COMPACT = 2


def load_table(
    connection: apsw.Connection,
    table: BulkTable,
    options: SQLiteOptions,
    progress: LoadProgress,
    where: str,
) -> None:
    """Creates and fills `table` on a connection that no other one shares the database with.

    The pages go straight into the database file: a write-ahead log would write each of them twice.
    Until the last step a crash of the machine may damage the file; a copy that was not finished is
    never used. The connection is left with the settings of the load: close it.
    """
    set_journal_mode(connection, "memory", where)
    connection.pragma("synchronous", "OFF")
    connection.pragma("cache_size", -max(1, round(options.load_cache_mib * 1024)))
    with connection:
        _fill(connection, table, progress)
    make_durable(connection, options, where, LOADED)


def make_durable(
    connection: apsw.Connection, options: SQLiteOptions, where: str, layout: int
) -> None:
    """Flushes all that was written without fsync, and returns to the plan's journal mode."""
    connection.pragma("synchronous", "FULL")
    set_journal_mode(connection, "delete", where)
    # A commit in a rollback mode fsyncs the whole database file, whatever wrote the pages.
    connection.pragma("user_version", layout)
    set_journal_mode(connection, options.journal_mode, where)


def _fill(connection: apsw.Connection, table: BulkTable, progress: LoadProgress) -> None:
    for statement in table.create:
        connection.execute(statement.text)
    places = ", ".join("?" * len(table.columns))
    insert = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({places})"
    for chunk in table:
        columns = [_plain(column) for column in chunk]
        connection.executemany(insert, zip(*columns, strict=True))
        progress(len(columns[0]))
    for statement in table.after:
        connection.execute(statement.text)


def _plain(column: Sequence[Any]) -> Sequence[Any]:
    """The column with Python's own numbers; SQLite cannot bind those of NumPy."""
    convert = getattr(column, "tolist", None)
    return column if convert is None else convert()
