"""The journal of a run: one JSON line for each finished thing, on disk before the next one starts.

A run that is interrupted has lost nothing that stands here, and `--resume` goes on behind the last
line. A line that a crash cut off is dropped when the journal is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from ciphermark.errors import ResultFileError
from ciphermark.measurement.histogram import Histogram

__all__ = [
    "JOURNAL_NAME",
    "JOURNAL_VERSION",
    "BatchRecord",
    "CellRecord",
    "Journal",
    "read_journal",
]

JOURNAL_NAME = "journal.jsonl"

# History of the format:
# 1  first version
JOURNAL_VERSION = 1


@dataclass(frozen=True, slots=True)
class CellRecord:
    """What one copy of one arm did in one batch.

    `cpu_ns` is the CPU of the load generator's processes and, for an embedded engine, of the
    database in them; `server_cpu_ns` that of the copy's server, None where there is none or where
    several arms share it. `read_bytes` and `written_bytes` went through system calls, whether the
    kernel's cache or the disk served them.
    """

    arm: str
    copy: int
    rounds: int
    transactions: int
    planned_rollbacks: int
    queries: int
    changes: int
    unchanged: int
    controls: int
    time_ns: int
    cpu_ns: int
    server_cpu_ns: int | None
    late: int
    lag_ns: int
    unstarted: int
    abandoned: int
    read_bytes: int
    written_bytes: int
    cache_hits: int
    cache_misses: int
    errors: Mapping[str, int] = field(default_factory=dict)
    error_examples: Mapping[str, str] = field(default_factory=dict)
    histograms: Mapping[int, Histogram] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As JSON values; histograms encoded."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "histograms"}
        values["histograms"] = {
            str(kind): histogram.encode() for kind, histogram in self.histograms.items()
        }
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        histograms = {
            int(kind): Histogram.decode(text) for kind, text in values["histograms"].items()
        }
        return cls(**{**values, "histograms": histograms})


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch of one point: the unit of the statistics.

    `draw` counts how often the copies had been made anew before it, `ended_s` from the run's start.
    """

    point: str
    index: int
    draw: int
    first_round: int
    rounds: int
    ended_s: float
    measured_s: float
    cells: tuple[CellRecord, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "point": self.point,
            "index": self.index,
            "draw": self.draw,
            "first_round": self.first_round,
            "rounds": self.rounds,
            "ended_s": self.ended_s,
            "measured_s": self.measured_s,
            "cells": [cell.to_json() for cell in self.cells],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        cells = tuple(CellRecord.from_json(cell) for cell in values["cells"])
        return cls(**{**values, "cells": cells})


class Journal:
    """Appends lines to a journal file; each line is on disk when `write` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            _drop_torn_line(path)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise _unwritable(path, error) from error

    def write(self, kind: str, content: Mapping[str, Any]) -> None:
        """Appends one line; raises `ResultFileError` when the disk does not take it."""
        try:
            self._file.write(json.dumps({"kind": kind, **content}, separators=(",", ":")) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


def read_journal(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(kind, content) of each line; a last line that was cut off is left out.

    Raises `ResultFileError` when the file cannot be read or a line in its middle is damaged.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultFileError(
            "the journal cannot be read",
            where=str(path),
            remedy="Name a folder that `ciphermark run` has made",
        ) from error
    for number, line in enumerate(lines[:-1], start=1):
        try:
            content = json.loads(line)
            kind = content.pop("kind")
        except (ValueError, KeyError, AttributeError) as error:
            raise ResultFileError(
                "is not a line of a journal",
                where=f"{path}:{number}",
                remedy="Everything before it is whole: cut the file off there to go on",
            ) from error
        yield kind, content


def _drop_torn_line(path: Path) -> None:
    """Cuts off what follows the last line end, so that the next line starts on its own."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole != len(content):
        with path.open("r+b") as file:
            file.truncate(whole)


def _unwritable(path: Path, error: OSError) -> ResultFileError:
    return ResultFileError(
        f"the journal cannot be written: {error.strerror}",
        where=str(path),
        remedy="What was finished before is kept; free some space and go on with --resume",
    )
