"""Opens a connection to a copy and sets it up as the options say."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from ciphermark.engine.base import Copy
from ciphermark.engine.sqlite.busy import busy_handler
from ciphermark.engine.sqlite.encryption import apply_key
from ciphermark.engine.sqlite.errors import mapped_errors
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import EngineError

__all__ = ["bare_connection", "configure", "connect", "set_journal_mode"]


def connect(copy: Copy, options: SQLiteOptions) -> apsw.Connection:
    """An open connection with its key and settings; raises `WrongKey` and `EngineError`."""
    connection = _open(copy, options)
    try:
        with mapped_errors(copy.location):
            _verify_key(connection)
            configure(connection, options, copy.location)
    except BaseException:
        connection.close(True)
        raise
    return connection


def configure(connection: apsw.Connection, options: SQLiteOptions, where: str) -> None:
    """Sets everything that the options name; the connection has its key."""
    connection.pragma("synchronous", options.durability.upper())
    connection.pragma("cache_size", -options.cache_kib)
    connection.pragma("mmap_size", options.mmap_mib * 1024 * 1024)
    connection.pragma("wal_autocheckpoint", options.wal_autocheckpoint_pages)
    connection.pragma("temp_store", options.temp_store.upper())
    # The journal mode is kept in the file: this switches only when the plan sweeps it.
    if connection.pragma("journal_mode") != options.journal_mode:
        set_journal_mode(connection, options.journal_mode, where)


@contextlib.contextmanager
def bare_connection(copy: Copy, options: SQLiteOptions) -> Iterator[apsw.Connection]:
    """A connection that has its key and has read nothing yet; closed at the end of the block."""
    connection = _open(copy, options)
    with contextlib.closing(connection), mapped_errors(copy.location, quote=True):
        yield connection


def set_journal_mode(connection: apsw.Connection, mode: str, where: str) -> None:
    """Switches the journal mode; SQLite answers with the old one when it did not."""
    answer = connection.pragma("journal_mode", mode)
    if answer != mode:
        raise EngineError(
            f"the journal mode stays {answer} instead of {mode}",
            where=where,
            remedy="Put the database on a local file system that no other program uses",
        )


def _open(copy: Copy, options: SQLiteOptions) -> apsw.Connection:
    """A connection with its key and a busy timeout, and nothing read yet.

    Never creates a file: what is not there is an error.
    """
    if not Path(copy.location).is_file():
        raise EngineError(
            "the database file is not there",
            where=copy.location,
            remedy="It was dropped or never loaded: start the run anew",
        )
    with mapped_errors(copy.location):
        connection = apsw.Connection(
            copy.location,
            flags=apsw.SQLITE_OPEN_READWRITE,
            statementcachesize=options.statement_cache,
        )
    try:
        with mapped_errors(copy.location):
            if copy.encryption is not None:
                apply_key(connection, copy.encryption)
            connection.set_busy_handler(busy_handler(options.busy_timeout_ms))
    except BaseException:
        connection.close(True)
        raise
    return connection


def _verify_key(connection: apsw.Connection) -> None:
    """Reads the first page: a wrong key shows here, not in the first transaction."""
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
