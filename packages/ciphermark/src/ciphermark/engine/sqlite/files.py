"""The files of a copy: their names, how they are made, found and removed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

import apsw

from ciphermark.engine.base import DataFile
from ciphermark.engine.sqlite.errors import mapped_errors
from ciphermark.errors import EngineError

__all__ = [
    "COMPACT_SUFFIX",
    "COMPANIONS",
    "data_files",
    "file_name",
    "has_plain_header",
    "remove",
    "reserve",
]

FILE_MODE = 0o600
MAGIC = b"SQLite format 3\x00"
COMPANIONS = {"-wal": "wal", "-journal": "journal", "-shm": "wal index"}
"""Files that SQLite keeps beside a database. The index of the log holds page numbers, no data."""

COMPACT_SUFFIX = "-compact"
"""The file that replaces a loaded database by its vacuumed self; gone unless that was cut off."""


def file_name(arm: str, index: int) -> str:
    """A name for copy `index` of `arm`; arms of different names never share one."""
    plain = re.sub(r"[^a-z0-9]+", "-", arm.lower()).strip("-")
    if plain != arm:
        plain += "-" + hashlib.sha256(arm.encode()).hexdigest()[:6]
    return f"{plain.lstrip('-')}-{index}.db"


def reserve(location: str) -> None:
    """Makes the empty file, or raises `EngineError` when anything of that name is there."""
    for suffix in COMPANIONS:
        if os.path.lexists(location + suffix):
            raise _occupied(location + suffix)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        os.close(os.open(location, flags, FILE_MODE))
    except FileExistsError as error:
        raise _occupied(location) from error
    except OSError as error:
        raise EngineError(
            f"the database cannot be created: {error.strerror}",
            where=location,
            remedy="Check that the folder exists and that you may write in it",
        ) from error


def _occupied(location: str) -> EngineError:
    return EngineError(
        "the file exists already",
        where=location,
        remedy="Ciphermark overwrites nothing: name another folder with --out, or remove the file",
    )


def remove(location: str) -> None:
    """Removes the database and what SQLite put beside it; silent about what is gone."""
    for path in (location, *(location + suffix for suffix in COMPANIONS)):
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise EngineError("this is not a database file, so it stays", where=path)
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise EngineError(
                f"the file cannot be removed: {error.strerror}", where=path
            ) from error


def data_files(location: str) -> tuple[DataFile, ...]:
    """The files that hold rows of the copy, as far as they exist now."""
    named = (
        (Path(location), "data"),
        (Path(location + "-wal"), "wal"),
        (Path(location + "-journal"), "journal"),
    )
    return tuple(DataFile(path, role) for path, role in named if path.is_file())


def has_plain_header(location: str) -> bool:
    """Whether the file begins as every unencrypted SQLite database does.

    Reads through SQLite's own file layer: closing a file of one's own would drop the locks that
    this process holds on it (POSIX advisory locks belong to the process, not to the descriptor).
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    with mapped_errors(location):
        file = apsw.VFSFile("unix", location, flags)
        try:
            return file.xRead(len(MAGIC), 0) == MAGIC
        finally:
            file.xClose()
