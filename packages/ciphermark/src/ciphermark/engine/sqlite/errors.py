"""Turns every exception of apsw into one of Ciphermark's errors, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import apsw

from ciphermark.errors import EngineError, Fatal, Retryable, WrongKey

__all__ = [
    "MEANINGS",
    "RETRYABLE",
    "damaged_text",
    "mapped",
    "mapped_errors",
    "result_code",
]

RETRYABLE: dict[type[apsw.Error], str] = {
    apsw.BusyError: "the database is locked by another connection",
    apsw.LockedError: "a table is locked by another statement of this process",
}
"""Errors after which the transaction may be started anew, all of the kind "busy"."""


class Meaning(NamedTuple):
    """What an exception means, and what to do about it."""

    what: str
    remedy: str = ""


_DAMAGED = "Drop this copy and load it anew; check the disk if it happens again"
_OWN_FAULT = "This is a fault of Ciphermark's SQLite engine: please report it with the code"

MEANINGS: dict[type[apsw.Error], Meaning] = {
    # The file and the disk.
    apsw.CorruptError: Meaning("a page is damaged or fails its authentication tag", _DAMAGED),
    apsw.IOError: Meaning(
        "the operating system could not read or write the database",
        "Check that the disk works, is mounted and has free space",
    ),
    apsw.FullError: Meaning(
        "the disk is full", "Free space, or name another folder with --out, and resume"
    ),
    apsw.ReadOnlyError: Meaning(
        "the database or its folder cannot be written",
        "Give yourself write permission on the folder, or name another one with --out",
    ),
    apsw.CantOpenError: Meaning(
        "the database file, or a file beside it, cannot be opened",
        "Check that the folder exists and that you may read and write in it",
    ),
    apsw.PermissionsError: Meaning(
        "the access mode of the file does not allow this", "Check owner and mode of the file"
    ),
    apsw.NoLFSError: Meaning(
        "the file is larger than this file system allows", "Use another file system"
    ),
    apsw.ProtocolError: Meaning(
        "the locks of the write-ahead log do not work here",
        "Put the database on a local file system; network file systems break these locks",
    ),
    apsw.FormatError: Meaning("the database has an unknown format", _DAMAGED),
    apsw.EmptyError: Meaning("the database is empty where data are expected", _DAMAGED),
    # The statement.
    apsw.SQLError: Meaning("the statement is wrong, or names something that is not there"),
    apsw.ConstraintError: Meaning("a row breaks a constraint of its table"),
    apsw.MismatchError: Meaning("a value has the wrong type for its column"),
    apsw.TooBigError: Meaning("a value or the statement is longer than SQLite allows"),
    apsw.RangeError: Meaning("a parameter's number is out of range", _OWN_FAULT),
    apsw.BindingsError: Meaning("the number of parameters differs from the statement's markers"),
    apsw.AuthError: Meaning("the statement was refused by an authorizer"),
    apsw.AbortError: Meaning("the statement was aborted by a callback"),
    apsw.InterruptError: Meaning("the statement was interrupted"),
    apsw.ExecTraceAbort: Meaning("the statement was refused by a trace callback"),
    apsw.SchemaChangeError: Meaning("the schema changed while the statement was running"),
    # Memory, libraries.
    apsw.NoMemError: Meaning(
        "there is not enough memory", "Lower cache_mib or the number of terminals"
    ),
    apsw.ExtensionLoadingError: Meaning("an SQLite extension cannot be loaded"),
    apsw.NoFTS5Error: Meaning("this SQLite lacks full-text search"),
    apsw.NotFoundError: Meaning("SQLite does not know this control operation", _OWN_FAULT),
    # Misuse of the driver.
    apsw.ConnectionClosedError: Meaning("the session is closed", _OWN_FAULT),
    apsw.ConnectionNotClosedError: Meaning("the session was left open", _OWN_FAULT),
    apsw.CursorClosedError: Meaning("the session's cursor is closed", _OWN_FAULT),
    apsw.ExecutionCompleteError: Meaning("the statement has no further row", _OWN_FAULT),
    apsw.IncompleteExecutionError: Meaning("a statement is still running", _OWN_FAULT),
    apsw.ForkingViolationError: Meaning("a session was used after a fork", _OWN_FAULT),
    apsw.ThreadingViolationError: Meaning("two threads used one session at a time", _OWN_FAULT),
    apsw.InvalidContextError: Meaning("a callback's context is gone", _OWN_FAULT),
    apsw.InternalError: Meaning("SQLite found a fault in itself", _OWN_FAULT),
    apsw.MisuseError: Meaning("SQLite was called in a wrong way", _OWN_FAULT),
    apsw.VFSFileClosedError: Meaning("a file was used after it was closed", _OWN_FAULT),
    apsw.VFSNotImplementedError: Meaning("a file operation is not there", _OWN_FAULT),
    apsw.Error: Meaning("SQLite reported an error"),
}
"""Errors that come back however often the statement is tried."""

NOT_A_DATABASE = "the key does not open this file, or it is not an SQLite database"

_SAFE_TO_QUOTE = (apsw.SQLError, apsw.ConstraintError, apsw.BindingsError)


def mapped(error: apsw.Error, where: str, *, quote: bool = False) -> EngineError:
    """The error that tells a reader what `error` means for the database or statement `where`.

    `quote` adds SQLite's own words where they name tables and columns. It must be False when
    values stand in the text of the statement, which SQLite would quote.
    """
    code = result_code(error)
    if isinstance(error, apsw.NotADBError):
        return WrongKey(NOT_A_DATABASE, where=where, remedy="Check the arm's key file and cipher")
    for kind, what in RETRYABLE.items():
        if isinstance(error, kind):
            return Retryable(f"{where}: {what}" if where else what, kind="busy", code=code)
    meaning = next(MEANINGS[kind] for kind in type(error).__mro__ if kind in MEANINGS)
    detail = f" ({error})" if quote and isinstance(error, _SAFE_TO_QUOTE) else ""
    return Fatal(meaning.what + detail, code=code, where=where, remedy=meaning.remedy)


def damaged_text(where: str) -> Fatal:
    """The error for stored text that is no text: a damaged page that no tag protects.

    Python's own error must not be chained to it, for it holds the bytes.
    """
    what = "stored text is not valid UTF-8, so a page is damaged"
    return Fatal(what, code="SQLITE_CORRUPT", where=where, remedy=_DAMAGED)


def result_code(error: apsw.Error) -> str:
    """SQLite's extended result code by name, such as "SQLITE_BUSY_SNAPSHOT"; "" without one."""
    number = getattr(error, "extendedresult", getattr(error, "result", None))
    if number is None:
        return ""
    for names in (apsw.mapping_extended_result_codes, apsw.mapping_result_codes):
        if number in names:
            return str(names[number])
    return str(number)


@contextmanager
def mapped_errors(where: str, *, quote: bool = False) -> Iterator[None]:
    """Lets no exception of apsw out of its block; not for hot paths."""
    try:
        yield
    except apsw.Error as error:
        raise mapped(error, where, quote=quote) from (error if quote else None)
    except UnicodeDecodeError:
        raise damaged_text(where) from None
