"""What an engine, the database under test, must do.

An `Engine` is made by the plug-in's factory from the options of the plan, holds no connection, and
can be pickled: each worker process gets one and opens its own sessions. It knows how its own
encryption is switched on: a protection hands it an `Encryption` and the engine applies it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Final, Protocol

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import Answer, BulkTable, Parameters, Statement

__all__ = [
    "PENDING",
    "ColdConnection",
    "Copy",
    "DataFile",
    "Demand",
    "Encryption",
    "EncryptionFacts",
    "Engine",
    "LoadProgress",
    "MultiplexedSession",
    "Pending",
    "Session",
    "SessionKind",
    "StatementCounters",
    "StatementMode",
    "TableDigest",
]


class SessionKind(Enum):
    """How terminals use the engine's sessions."""

    BLOCKING = "blocking"
    """`execute` waits for the answer; a terminal has a thread or a process of its own."""
    MULTIPLEXED = "multiplexed"
    """`submit` and `receive` never wait; one loop serves all terminals of a worker."""


class StatementMode(StrEnum):
    """How statements reach the engine; part of an arm's identity."""

    PREPARED = "prepared"
    TEXT = "text"


@dataclass(slots=True)
class StatementCounters:
    """Statements that succeeded, by what they were answered with; only ever counts up."""

    queries: int = 0
    changes: int = 0
    """CHANGE statements, those that changed nothing included."""
    unchanged: int = 0
    """CHANGE statements that changed no row."""
    controls: int = 0


@dataclass(frozen=True, slots=True)
class Encryption:
    """What a protection asks of the engine's own encryption.

    `key_file` is a file of mode 0600 that holds the key, in the form that the engine's
    `make_key` wrote; the key itself never enters this object, so that it is in no repr, log or
    pickle. `options` holds engine-specific switches (which logs to encrypt, say).
    """

    cipher: str
    key_file: Path
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Copy:
    """One loaded instance of an arm's data.

    `location` is what the engine needs to find it: a file for embedded engines, a URL without
    password and a schema name for servers.
    """

    arm: str
    index: int
    location: str
    encryption: Encryption | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file in which the engine keeps data of a copy; `role` is "data", "wal", "journal", …"""

    path: Path
    role: str


@dataclass(frozen=True, slots=True)
class Demand:
    """What the points of a data group ask of a copy's server at most.

    `sessions` are open at once on one copy, `statements` are prepared in each of them.
    """

    sessions: int
    statements: int
    tables: int
    rows: int


@dataclass(frozen=True, slots=True)
class EncryptionFacts:
    """What is known of a copy's pages; counts in pages, sizes in bytes."""

    cipher: str
    authenticated: bool
    reserved_bytes_per_page: int
    page_size: int
    page_count: int


@dataclass(frozen=True, slots=True)
class ColdConnection:
    """Median time from opening a connection to its first row; None where it does not apply."""

    key_ms: float | None = None
    """With the raw key."""
    passphrase_ms: float | None = None
    """With a passphrase, from which the engine first derives the key."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """Equal for two tables that hold the same rows, whatever their order on disk."""

    table: str
    rows: int
    sha256: str


class Pending:
    """The type of `PENDING`."""

    __slots__ = ()


PENDING: Final = Pending()
"""What `receive` returns when the whole answer is not there yet."""


class Session(Protocol):
    """One connection to one copy, used by one terminal at a time.

    Driver errors leave it only as `Retryable`, `Fatal`, `ConnectionLost`: nothing above knows a
    driver's codes.
    """

    @property
    def counters(self) -> StatementCounters:
        """What this session has executed since it was opened."""

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:
        """Executes and waits for the whole answer; hot path of blocking engines."""

    def rollback(self) -> None:
        """Leaves no transaction open, after an error; not counted."""

    def close(self) -> None:
        """Closes the connection; may be called twice."""


class MultiplexedSession(Session, Protocol):
    """A session that never waits while under load."""

    def fileno(self) -> int:
        """The socket to poll."""

    def submit(self, statement: Statement, parameters: Parameters) -> None:
        """Sends a call, or queues what the socket does not take; hot path."""

    def receive(self) -> Answer | Pending:
        """The answer to the last call, or PENDING; called when the socket is readable; hot path.

        Raises what the call failed with.
        """

    @property
    def wants_write(self) -> bool:
        """Whether queued bytes wait for the socket to become writable."""

    def flush(self) -> None:
        """Sends queued bytes; called when the socket is writable."""


class LoadProgress(Protocol):
    """Called by the loader with the number of rows that were added since the last call."""

    def __call__(self, rows: int) -> None: ...


class Engine(Protocol):
    """A database product with the options of a plan."""

    @property
    def kind(self) -> str:
        """Name of the plug-in."""

    @property
    def session_kind(self) -> SessionKind:
        """Whether sessions wait for their answers or are multiplexed."""

    @property
    def dialect(self) -> Dialect:
        """How this engine spells the statements that differ between engines."""

    @property
    def ciphers(self) -> tuple[str, ...]:
        """Ciphers of the engine's own encryption, the default one first; empty if it has none."""

    def version(self) -> str:
        """Product and version, such as "SQLite 3.54.0 (SQLite3 Multiple Ciphers 2.6.1)"."""

    def drivers(self) -> Mapping[str, str]:
        """Driver packages and their versions."""

    def make_key(self, cipher: str, path: Path) -> None:
        """Writes a fresh random key for `cipher` to `path`, mode 0600."""

    def deploy(
        self,
        arms: Mapping[str, Encryption | None],
        copies: int,
        demand: Demand,
        folder: Path,
    ) -> AbstractContextManager[Engine]:
        """The engine as long as its servers run: those that it starts for `arms` in `folder`.

        Each arm is encrypted as its `Encryption` says and has `copies` copies. An embedded engine,
        or one that uses a given server, is itself. Raises `EngineError` before anything is started
        when the server or the machine cannot meet the demand. When the context ends the servers
        are stopped; their data stay in the folder, and the next deployment finds them.
        """

    def locate(self, arm: str, index: int, folder: Path) -> str:
        """The location of copy `index` of `arm` within the experiment's folder."""

    def create(self, copy: Copy) -> None:
        """Creates an empty database; raises `EngineError` if something is there already."""

    def clone(self, source: Copy, target: Copy) -> bool:
        """Makes `target` a copy of `source` without loading anew; False if the engine cannot."""

    def exists(self, copy: Copy) -> bool:
        """Whether there is something at the copy's location."""

    def renew(self, copy: Copy) -> bool:
        """Makes the copy another one without loading it, by restarting its server.

        False when the engine has no server, or asks for the data to be loaded anew.
        """

    def drop(self, copy: Copy) -> None:
        """Removes what `create` or `clone` made, and nothing else; silent if it is gone."""

    def connect(
        self, copy: Copy, mode: StatementMode = StatementMode.PREPARED
    ) -> Session | MultiplexedSession:
        """A new session; raises `WrongKey` when the data do not open with the copy's key."""

    def load(self, copy: Copy, table: BulkTable, progress: LoadProgress) -> None:
        """Creates and fills a table by the engine's bulk path."""

    def flush(self, copy: Copy) -> None:
        """Writes everything that is in memory or in a log to the data files (checkpoint)."""

    def files(self, copy: Copy) -> tuple[DataFile, ...]:
        """The files that hold the copy's data; empty when they are on another machine."""

    def settings(self, copy: Copy) -> Mapping[str, str]:
        """Every setting that could make two copies differ, by name."""

    def expected_differences(self) -> frozenset[str]:
        """The settings that may differ between a plain and an encrypted copy."""

    def encryption_facts(self, copy: Copy) -> EncryptionFacts:
        """Cipher and page geometry, as read from the opened copy."""

    def cold_connection(self, copy: Copy) -> ColdConnection:
        """How long opening the encrypted copy takes, key derivation apart."""

    def cache_bytes(self, copy: Copy) -> int | None:
        """Size of the page cache that one connection or the server has for the copy."""

    def encryption_status(self, copy: Copy) -> bool | None:
        """Whether the engine's own catalogue says that the copy is encrypted; None: no word."""

    def opens_without_key(self, copy: Copy) -> bool:
        """Whether a row can be read by a client that has no key."""

    def digests(self, copy: Copy, tables: Sequence[str]) -> tuple[TableDigest, ...]:
        """Row count and order-independent digest of each table."""

    def server_pids(self, copy: Copy) -> tuple[int, ...]:
        """Processes of the copy's server on this machine; empty for embedded engines."""

    def counters(self, copy: Copy) -> Mapping[str, float]:
        """The engine's own counters (page cache hits, pages written, …), ever-growing."""

    def quiesce(self, copy: Copy, timeout_s: float) -> bool:
        """Waits until background work of the copy is done; False when it was not in time."""
