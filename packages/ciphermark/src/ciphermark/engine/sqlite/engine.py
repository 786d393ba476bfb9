"""The SQLite engine: the one object through which everything above reaches a database file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import apsw

from ciphermark.engine.base import (
    ColdConnection,
    Copy,
    DataFile,
    Demand,
    Encryption,
    EncryptionFacts,
    LoadProgress,
    SessionKind,
    StatementMode,
    TableDigest,
)
from ciphermark.engine.sqlite import files
from ciphermark.engine.sqlite.cold_connection import measure_cold_connection
from ciphermark.engine.sqlite.connection import bare_connection, connect, set_journal_mode
from ciphermark.engine.sqlite.copying import clone_by_vacuum
from ciphermark.engine.sqlite.dialect import SQLiteDialect
from ciphermark.engine.sqlite.digest import digest_rows
from ciphermark.engine.sqlite.encryption import CIPHERS, cipher_named, make_key
from ciphermark.engine.sqlite.errors import mapped_errors
from ciphermark.engine.sqlite.load import LOADED, load_table
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.engine.sqlite.session import PreparedSession, new_session
from ciphermark.engine.sqlite.settings import EXPECTED_DIFFERENCES, read_settings
from ciphermark.errors import Retryable, WrongKey
from ciphermark.workload.base import BulkTable

__all__ = ["SQLiteEngine"]


class SQLiteEngine:
    """SQLite with the options of a plan; implements `Engine`, holds no connection.

    >>> SQLiteEngine(SQLiteOptions()).ciphers[0]
    'chacha20'
    """

    __slots__ = ("options",)

    def __init__(self, options: SQLiteOptions) -> None:
        self.options = options

    def __repr__(self) -> str:
        return f"SQLiteEngine({self.options!r})"

    @property
    def kind(self) -> str:
        return "sqlite"

    @property
    def session_kind(self) -> SessionKind:
        return SessionKind.BLOCKING

    @property
    def dialect(self) -> SQLiteDialect:
        return SQLiteDialect()

    @property
    def ciphers(self) -> tuple[str, ...]:
        return tuple(CIPHERS)

    def version(self) -> str:
        """Such as "SQLite 3.54.0 (SQLite3 Multiple Ciphers 2.6.1)"."""
        ciphers = getattr(apsw, "mc_version", "")
        return f"SQLite {apsw.sqlite_lib_version()}" + (f" ({ciphers})" if ciphers else "")

    def drivers(self) -> Mapping[str, str]:
        return {"apsw-sqlite3mc": apsw.apsw_version()}

    def make_key(self, cipher: str, path: Path) -> None:
        """Writes a fresh key of 32 random bytes, in hexadecimal; all ciphers take that size."""
        cipher_named(cipher)
        make_key(path)

    def deploy(
        self,
        arms: Mapping[str, Encryption | None],
        copies: int,
        demand: Demand,
        folder: Path,
    ) -> contextlib.nullcontext[SQLiteEngine]:
        """The engine itself: it needs no server."""
        del arms, copies, demand, folder
        return contextlib.nullcontext(self)

    def locate(self, arm: str, index: int, folder: Path) -> str:
        return str(folder / files.file_name(arm, index))

    def create(self, copy: Copy) -> None:
        """Creates an empty database of the plan's page size and journal mode."""
        files.reserve(copy.location)
        try:
            with bare_connection(copy, self.options) as connection:
                connection.pragma("page_size", self.options.page_size)
                # The first write decides page size and encryption; every later one finds them.
                connection.pragma("user_version", LOADED)
                set_journal_mode(connection, self.options.journal_mode, copy.location)
        except BaseException:
            files.remove(copy.location)
            raise

    def clone(self, source: Copy, target: Copy) -> bool:
        """Makes `target` by VACUUM INTO, which keeps cipher and key: False when these differ.

        Raises `Retryable` when the source has yet to be put into VACUUM's page order while another
        connection uses it.
        """
        if source.encryption != target.encryption:
            return False
        clone_by_vacuum(source, target, self.options)
        return True

    def exists(self, copy: Copy) -> bool:
        """Whether a file, or anything else, is at the copy's location."""
        return os.path.lexists(copy.location)

    def renew(self, copy: Copy) -> bool:
        """False: nothing of an embedded copy outlives its connections but the file."""
        return False

    def drop(self, copy: Copy) -> None:
        """Removes the database and what SQLite or a cut-off `clone` left beside it."""
        files.remove(copy.location)
        files.remove(copy.location + files.COMPACT_SUFFIX)

    def connect(self, copy: Copy, mode: StatementMode = StatementMode.PREPARED) -> PreparedSession:
        """A new session; raises `WrongKey` when the file does not open with the copy's key."""
        return new_session(connect(copy, self.options), copy.location, mode)

    def load(self, copy: Copy, table: BulkTable, progress: LoadProgress) -> None:
        """Creates and fills a table in one transaction, indexes after the rows."""
        with self._connection(copy) as connection:
            load_table(connection, table, self.options, progress, copy.location)

    def flush(self, copy: Copy) -> None:
        """Moves the write-ahead log into the database file and empties it.

        Raises `Retryable` when a reader keeps the log from being emptied for longer than the busy
        timeout.
        """
        if not self._checkpoint(copy, self.options.busy_timeout_ms):
            raise Retryable(
                f"{copy.location}: another connection keeps the write-ahead log from being emptied",
                kind="busy",
                code="SQLITE_BUSY",
            )

    def files(self, copy: Copy) -> tuple[DataFile, ...]:
        return files.data_files(copy.location)

    def settings(self, copy: Copy) -> Mapping[str, str]:
        with self._connection(copy) as connection:
            return read_settings(connection, copy, self.options)

    def expected_differences(self) -> frozenset[str]:
        return EXPECTED_DIFFERENCES

    def encryption_facts(self, copy: Copy) -> EncryptionFacts:
        """Geometry as SQLite reports it; cipher "none" for a plain copy."""
        with self._connection(copy) as connection:
            name = str(connection.pragma("cipher")) if copy.encryption else "none"
            return EncryptionFacts(
                cipher=name,
                authenticated=name in CIPHERS and CIPHERS[name].authenticated,
                reserved_bytes_per_page=connection.reserve_bytes("main"),
                page_size=connection.pragma("page_size"),
                page_count=connection.pragma("page_count"),
            )

    def cold_connection(self, copy: Copy) -> ColdConnection:
        return measure_cold_connection(copy, self.options)

    def cache_bytes(self, copy: Copy) -> int | None:
        """The page cache of each connection; every terminal has a connection of its own."""
        return self.options.cache_kib * 1024

    def encryption_status(self, copy: Copy) -> bool | None:
        """What the file's header says: SQLite has no catalogue of encrypted databases."""
        return not files.has_plain_header(copy.location)

    def opens_without_key(self, copy: Copy) -> bool:
        """Whether SQLite reads the schema without a key."""
        keyless = Copy(copy.arm, copy.index, copy.location)
        try:
            with self._connection(keyless):
                return True
        except WrongKey:
            return False

    def digests(self, copy: Copy, tables: Sequence[str]) -> tuple[TableDigest, ...]:
        with self._connection(copy) as connection:
            return tuple(
                digest_rows(table, connection.execute(f'SELECT * FROM "{table}"'))
                for table in tables
            )

    def server_pids(self, copy: Copy) -> tuple[int, ...]:
        return ()

    def counters(self, copy: Copy) -> Mapping[str, float]:
        """Empty: SQLite counts per connection, see `PreparedSession.cache_status`."""
        return {}

    def quiesce(self, copy: Copy, timeout_s: float) -> bool:
        """Empties the write-ahead log, which is all that SQLite leaves for later."""
        return self._checkpoint(copy, round(timeout_s * 1000))

    def _checkpoint(self, copy: Copy, timeout_ms: int) -> bool:
        """Empties the write-ahead log; False when others kept it busy for so long."""
        with self._connection(copy) as connection:
            connection.set_busy_timeout(timeout_ms)
            ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return busy == 0

    @contextlib.contextmanager
    def _connection(self, copy: Copy) -> Iterator[apsw.Connection]:
        """A connection with all settings, closed at the end; its errors are ours."""
        connection = connect(copy, self.options)
        with contextlib.closing(connection), mapped_errors(copy.location, quote=True):
            yield connection
