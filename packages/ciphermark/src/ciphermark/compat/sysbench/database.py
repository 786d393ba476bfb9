"""The database that a command line names, reached through the engine's own interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ciphermark import registry
from ciphermark.compat.sysbench.command_line import Settings, UsageError
from ciphermark.engine.base import Copy, Encryption, Engine, Session, StatementMode

__all__ = ["Database", "open_database"]

_NOT_YET = ("mysql", "pgsql")
_SYNCHRONOUS = ("off", "normal", "full", "extra")
_MODES = {"auto": StatementMode.PREPARED, "disable": StatementMode.TEXT}


@dataclass(frozen=True, slots=True)
class Database:
    """An engine and the one database that it works on."""

    engine: Engine
    copy: Copy
    mode: StatementMode

    @property
    def exists(self) -> bool:
        """Whether the file is there."""
        return Path(self.copy.location).exists()

    def connect(self) -> Session:
        """A new session."""
        return self.engine.connect(self.copy, self.mode)

    def create(self) -> bool:
        """Makes the database, and its key, if they are not there; True when it made a key."""
        if self.exists:
            return False
        encryption = self.copy.encryption
        made_key = encryption is not None and not encryption.key_file.exists()
        if encryption is not None and made_key:
            self.engine.make_key(encryption.cipher, encryption.key_file)
        self.engine.create(self.copy)
        return made_key

    def require(self) -> None:
        """Raises `UsageError` unless database and key are there."""
        if not self.exists:
            raise UsageError(
                f"the database {self.copy.location} is not there; make it with the command prepare"
            )
        encryption = self.copy.encryption
        if encryption is not None and not encryption.key_file.is_file():
            raise UsageError(f"the key file {encryption.key_file} is not there")


def open_database(settings: Settings) -> Database:
    """The database of the options; opens nothing yet. Raises `UsageError`."""
    driver = settings.text("db_driver")
    if driver in _NOT_YET:
        raise UsageError(
            f"the database driver '{driver}' is not available yet; "
            "use --db-driver=sqlite --sqlite-db=FILE"
        )
    if driver != "sqlite":
        raise UsageError(f"invalid database driver name: '{driver}'; available: sqlite")
    if settings.text("db_ps_mode") not in _MODES:
        raise UsageError(f"Invalid value for db-ps-mode: {settings.text('db_ps_mode')}")
    if not settings.text("sqlite_db"):
        raise UsageError("--sqlite-db=FILE is missing: the name of the database file")
    plugin = registry.find("engine", "sqlite")
    engine: Engine = plugin.load()(plugin.load_options()(durability=_synchronous(settings)))
    return Database(
        engine,
        Copy("sysbench", 0, settings.text("sqlite_db"), _encryption(settings, engine.ciphers)),
        _MODES[settings.text("db_ps_mode")],
    )


def _synchronous(settings: Settings) -> str:
    value = settings.text("sqlite_synchronous").lower()
    if value not in _SYNCHRONOUS:
        raise UsageError(
            f"Invalid value for --sqlite-synchronous: '{value}'; one of {', '.join(_SYNCHRONOUS)}"
        )
    return value


def _encryption(settings: Settings, ciphers: tuple[str, ...]) -> Encryption | None:
    key_file, cipher = settings.text("sqlite_key_file"), settings.text("sqlite_cipher")
    if not key_file:
        if "sqlite_cipher" in settings.given:
            raise UsageError("--sqlite-cipher needs --sqlite-key-file=FILE")
        return None
    if cipher not in ciphers:
        raise UsageError(
            f"Invalid value for --sqlite-cipher: '{cipher}'; one of {', '.join(ciphers)}"
        )
    return Encryption(cipher, Path(key_file))
