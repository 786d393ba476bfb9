"""The folder of a run: results, journal, data and keys, and the lock that keeps others out."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from ciphermark.errors import ResultFileError
from ciphermark.results.journal import JOURNAL_NAME

__all__ = ["RunFolder"]

OURS = (JOURNAL_NAME, "data", "keys", "lock", "result.json", "report.html", "report.md")


class RunFolder:
    """A result folder that this process owns until it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = path / JOURNAL_NAME
        self._lock: int | None = None

    @property
    def data(self) -> Path:
        """Where the copies are put."""
        return self.path / "data"

    @property
    def keys(self) -> Path:
        """Where the arms' keys are; only its owner can enter."""
        return self.path / "keys"

    @classmethod
    def create(cls, path: Path | None, name: str) -> Self:
        """A new folder; raises `ResultFileError` when there is something in it already."""
        if path is None:
            moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
            path = Path("results") / f"{re.sub(r'[^A-Za-z0-9._-]', '-', name)}-{moment}"
        try:
            path.mkdir(parents=True, exist_ok=True)
            occupied = any(path.iterdir())
        except OSError as error:
            raise ResultFileError(
                f"the result folder cannot be made: {error.strerror}",
                where=str(path),
                remedy="Name another folder with --out",
            ) from error
        if occupied:
            raise ResultFileError(
                "the result folder is not empty",
                where=str(path),
                remedy="Name a new folder with --out, or go on with the run in it by --resume",
            )
        folder = cls(path)
        folder._take_lock()
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The folder of an earlier run, to go on with it."""
        folder = cls(path)
        if not folder.journal.is_file():
            raise ResultFileError(
                "there is no run to go on with",
                where=str(path),
                remedy="Name a folder that `ciphermark run` has made",
            )
        folder._take_lock()
        return folder

    def make_keys(self) -> Path:
        """The folder of keys, made if it is not there."""
        self.keys.mkdir(mode=0o700, exist_ok=True)
        return self.keys

    def remove_data(self) -> None:
        """Removes the folders of data and keys when nothing of ours is left in them."""
        for folder in (self.data, self.keys):
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Gives the folder free; may be called twice."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            (self.path / "lock").unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def _take_lock(self) -> None:
        """The kernel frees the lock when the process ends, however it ends."""
        try:
            self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise ResultFileError(
                f"the result folder cannot be written: {error.strerror}",
                where=str(self.path),
                remedy="Name another folder with --out",
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            self._lock = None
            raise ResultFileError(
                "another run is at work in this folder", where=str(self.path)
            ) from error
