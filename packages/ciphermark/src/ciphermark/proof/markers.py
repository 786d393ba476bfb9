"""Marker rows: texts that are looked for in the raw files, and the sign of what is ours.

Every database that Ciphermark creates holds a table of them. Row 0 names the experiment; cleanup
drops only what carries it. The other rows hold texts that nothing else writes: found in a file,
they prove that it is readable; not found, and found in the plain twin, that it is not.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ciphermark.engine.base import Copy, Engine, Session
from ciphermark.errors import EngineError, Fatal
from ciphermark.workload.base import Statement, StatementKind

__all__ = [
    "MARKER_TABLE",
    "Markers",
    "claim",
    "drop_owned",
    "make_markers",
    "owner",
    "rewrite_markers",
    "write_markers",
]

MARKER_TABLE: Final = "ciphermark_marker"
PREFIX_CHARACTERS = 16
BODY_CHARACTERS = 48
MARKER_ROWS = 200

CREATE = Statement(
    "create marker table",
    f"CREATE TABLE IF NOT EXISTS {MARKER_TABLE} (id INTEGER NOT NULL PRIMARY KEY, "
    "experiment VARCHAR(64) NOT NULL, marker VARCHAR(64) NOT NULL)",
    StatementKind.CONTROL,
)
INSERT = Statement(
    "insert marker",
    f"INSERT INTO {MARKER_TABLE} (id, experiment, marker) VALUES (?, ?, ?)",
    StatementKind.CHANGE,
)
DELETE = Statement(
    "delete markers", f"DELETE FROM {MARKER_TABLE} WHERE id > 0", StatementKind.CHANGE
)
OWNER = Statement(
    "read owner", f"SELECT experiment FROM {MARKER_TABLE} WHERE id = 0", StatementKind.QUERY
)
COMMIT = Statement("commit", "COMMIT", StatementKind.CONTROL)


@dataclass(frozen=True, slots=True)
class Markers:
    """The marker texts of one experiment: ASCII, of equal length, with a common beginning.

    The common beginning makes one pass over a file enough for all of them; 80 bits of a hash do
    not turn up by chance.
    """

    experiment_id: str
    prefix: str
    texts: tuple[str, ...]


def make_markers(experiment_id: str, count: int = MARKER_ROWS) -> Markers:
    """The markers of an experiment; the same id gives the same ones, so that a run can resume.

    >>> len(make_markers("example").texts[0])
    64
    """
    prefix = _letters(f"{experiment_id}/prefix", PREFIX_CHARACTERS)
    bodies = (_letters(f"{experiment_id}/{number}", BODY_CHARACTERS) for number in range(count))
    return Markers(experiment_id, prefix, tuple(prefix + body for body in bodies))


def claim(engine: Engine, copy: Copy, experiment_id: str) -> None:
    """Marks a database as the experiment's; call it right after `Engine.create`."""
    session = engine.connect(copy)
    try:
        session.execute(CREATE, ())
        session.execute(INSERT, (0, experiment_id, ""))
    finally:
        session.close()


def owner(engine: Engine, copy: Copy) -> str | None:
    """The id of the experiment that made the database; None when it carries no marker."""
    session = engine.connect(copy)
    try:
        rows = session.execute(OWNER, ())
    except Fatal:
        return None
    finally:
        session.close()
    return str(rows[0][0]) if isinstance(rows, list) and rows else None


def drop_owned(engine: Engine, copy: Copy, experiment_id: str) -> None:
    """Drops the database if the experiment made it; raises `EngineError` if not."""
    found = owner(engine, copy)
    if found != experiment_id:
        raise EngineError(
            f"this database does not belong to experiment {experiment_id}"
            + (f" but to {found}" if found else ": it carries no marker"),
            where=copy.location,
            remedy="Ciphermark drops only what it made; drop it yourself if you are sure",
        )
    engine.drop(copy)


def write_markers(engine: Engine, session: Session, markers: Markers) -> None:
    """Writes the marker rows and commits; rows of an earlier call are replaced."""
    session.execute(CREATE, ())
    rewrite_markers(engine, session, markers)
    session.execute(COMMIT, ())


def rewrite_markers(engine: Engine, session: Session, markers: Markers) -> None:
    """Replaces the marker rows in a transaction that it leaves open."""
    session.execute(_begin(engine), ())
    session.execute(DELETE, ())
    for row in _rows(markers):
        session.execute(INSERT, row)


def _begin(engine: Engine) -> Statement:
    return Statement("begin", engine.dialect.begin_write, StatementKind.CONTROL)


def _rows(markers: Markers) -> Iterator[tuple[int, str, str]]:
    for number, text in enumerate(markers.texts, start=1):
        yield number, markers.experiment_id, text


def _letters(seed: str, count: int) -> str:
    """`count` letters and digits that look random and depend on `seed` alone."""
    return base64.b32encode(hashlib.sha256(seed.encode()).digest())[:count].decode("ascii")
