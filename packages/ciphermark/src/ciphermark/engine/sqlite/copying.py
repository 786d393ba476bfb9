"""Further copies of a loaded database, all with the same page layout."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ciphermark.engine.base import Copy
from ciphermark.engine.sqlite import files
from ciphermark.engine.sqlite.connection import bare_connection, set_journal_mode
from ciphermark.engine.sqlite.load import COMPACT, make_durable
from ciphermark.engine.sqlite.options import SQLiteOptions

__all__ = ["clone_by_vacuum"]


def clone_by_vacuum(source: Copy, target: Copy, options: SQLiteOptions) -> None:
    """Makes `target` by VACUUM INTO, with the cipher and the key of the source.

    SQLite writes the target's pages encrypted, straight into its file. VACUUM orders pages in
    another way than a load does, and copies of different layout differ in speed. So a source that
    was loaded is first brought into VACUUM's order itself; VACUUM of a vacuumed database changes
    nothing more.
    """
    if not _is_compact(source, options):
        _compact(source, options)
    _vacuum_into(source, target, options)


def _is_compact(copy: Copy, options: SQLiteOptions) -> bool:
    with bare_connection(copy, options) as connection:
        return bool(connection.pragma("user_version") == COMPACT)


def _compact(copy: Copy, options: SQLiteOptions) -> None:
    """Replaces the database by its vacuumed self; raises `Retryable` while others use it."""
    with bare_connection(copy, options) as connection:
        # Leaving the write-ahead log needs the database alone: nobody keeps the old file open.
        set_journal_mode(connection, "delete", copy.location)
    fresh = replace(copy, location=copy.location + files.COMPACT_SUFFIX)
    files.remove(fresh.location)
    _vacuum_into(copy, fresh, options)
    os.replace(fresh.location, copy.location)
    _sync_folder(Path(copy.location).parent)


def _vacuum_into(source: Copy, target: Copy, options: SQLiteOptions) -> None:
    with _new_file(target.location):
        with bare_connection(source, options) as connection:
            connection.execute("VACUUM INTO ?", (target.location,))
        with bare_connection(target, options) as connection:
            make_durable(connection, options, target.location, COMPACT)


@contextlib.contextmanager
def _new_file(location: str) -> Iterator[None]:
    """Reserves a file and removes it when the block fails."""
    files.reserve(location)
    try:
        yield
    except BaseException:
        files.remove(location)
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
