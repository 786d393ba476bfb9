"""How SQLite spells the statements that differ between engines."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SQLiteDialect"]


@dataclass(frozen=True, slots=True)
class SQLiteDialect:
    """SQLite's side of the `Dialect` protocol.

    A transaction that will write takes the write lock at once: one that began as a reader and
    finds another writer ahead of it in the WAL fails with SQLITE_BUSY without any waiting, because
    its snapshot can no longer be upgraded.
    """

    @property
    def name(self) -> str:
        return "sqlite"

    @property
    def begin(self) -> str:
        return "BEGIN"

    @property
    def begin_write(self) -> str:
        return "BEGIN IMMEDIATE"

    def integer_key(self, auto_increment: bool) -> str:
        """INTEGER in both cases: such a key is the row id, and a missing value is given one."""
        return "INTEGER"

    def table_options(self) -> str:
        return ""
