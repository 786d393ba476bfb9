"""A session of one terminal: the hot path of the embedded engine."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from ciphermark.engine.base import StatementCounters, StatementMode
from ciphermark.engine.dialect import interpolate
from ciphermark.engine.sqlite.errors import damaged_text, mapped, mapped_errors
from ciphermark.workload.base import Answer, Parameters, Statement, StatementKind

__all__ = ["CacheStatus", "PreparedSession", "TextSession", "new_session"]

QUERY = StatementKind.QUERY
CHANGE = StatementKind.CHANGE


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """What the page cache of one connection did since it was opened, in pages.

    SQLite counts per connection: sum the sessions of an arm to have the arm's hit ratio.
    """

    hits: int
    misses: int
    writes: int
    spills: int


class PreparedSession:
    """Values are bound to prepared statements, which apsw keeps by their text."""

    __slots__ = ("_changes", "_connection", "_execute", "_where", "counters")

    def __init__(self, connection: apsw.Connection, where: str) -> None:
        self._connection = connection
        # One cursor for good: making one for each statement costs a third of a point select.
        self._execute = connection.cursor().execute
        self._changes = connection.changes
        self._where = where
        self.counters = StatementCounters()

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:  # hot path
        """See `Session.execute`; raises `Retryable` and `Fatal`."""
        if statement.always_text:
            return self._execute_text(statement, parameters)
        try:
            cursor = self._execute(statement.text, parameters)
            if statement.kind is QUERY:
                rows = cursor.fetchall()
                self.counters.queries += 1
                return rows
        except apsw.Error as error:
            raise mapped(error, self._place(statement), quote=True) from error
        except UnicodeDecodeError:
            raise damaged_text(self._place(statement)) from None
        return self._count(statement)

    def rollback(self) -> None:
        """Leaves no transaction open."""
        if self._connection.in_transaction:
            with mapped_errors(self._where):
                self._execute("ROLLBACK")

    def close(self) -> None:
        """Closes the connection; may be called twice."""
        self._connection.close(True)

    def cache_status(self) -> CacheStatus:
        """The page cache of this connection since it was opened."""
        hits, misses, writes, spills = (
            self._connection.status(counter)[0]
            for counter in (
                apsw.SQLITE_DBSTATUS_CACHE_HIT,
                apsw.SQLITE_DBSTATUS_CACHE_MISS,
                apsw.SQLITE_DBSTATUS_CACHE_WRITE,
                apsw.SQLITE_DBSTATUS_CACHE_SPILL,
            )
        )
        return CacheStatus(hits, misses, writes, spills)

    def _execute_text(self, statement: Statement, parameters: Parameters) -> Answer:
        """Executes with the values written into the text, which is parsed each time."""
        try:
            text = interpolate(statement.text, parameters)
            cursor = self._execute(text, None, can_cache=False)
            if statement.kind is QUERY:
                rows = cursor.fetchall()
                self.counters.queries += 1
                return rows
        except apsw.Error as error:
            # SQLite's own words, and the cause, could quote a value of the text.
            raise mapped(error, self._place(statement)) from None
        except UnicodeDecodeError:
            raise damaged_text(self._place(statement)) from None
        return self._count(statement)

    def _count(self, statement: Statement) -> int:
        """Counts a statement without rows, and answers it."""
        if statement.kind is CHANGE:
            changed = self._changes()
            self.counters.changes += 1
            if not changed:
                self.counters.unchanged += 1
            return changed
        self.counters.controls += 1
        return 0

    def _place(self, statement: Statement) -> str:
        return f"{self._where}, statement {statement.name}"


class TextSession(PreparedSession):
    """Values are written into the text of each statement, and nothing is kept prepared."""

    __slots__ = ()

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:  # hot path
        """See `Session.execute`; raises `Retryable` and `Fatal`."""
        return self._execute_text(statement, parameters)


def new_session(
    connection: apsw.Connection, where: str, mode: StatementMode
) -> PreparedSession | TextSession:
    """A session of the given statement mode on an open connection, which it owns."""
    kind = PreparedSession if mode is StatementMode.PREPARED else TextSession
    return kind(connection, where)
