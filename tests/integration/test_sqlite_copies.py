"""Copies of an SQLite arm: equal page layout, equal data, and no plaintext on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import apsw
import pytest

from ciphermark.engine.base import Copy, Encryption
from ciphermark.engine.sqlite.connection import set_journal_mode
from ciphermark.engine.sqlite.encryption import CIPHERS, apply_key
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import EngineError, Retryable
from ciphermark.proof.markers import claim, owner
from ciphermark.workload.base import BulkTable, Statement, StatementKind

NAMES = [None, *CIPHERS]
ENGINE = SQLiteEngine(SQLiteOptions())
TEXT = "plaintext that must not be seen %06d"


def table(name: str, rows: int = 3000) -> BulkTable:
    control = StatementKind.CONTROL

    def chunks() -> Iterator[tuple[Any, ...]]:
        for start in range(1, rows + 1, 1000):
            ids = range(start, min(start + 1000, rows + 1))
            yield ids, [i * 7919 % rows for i in ids], [TEXT % i for i in ids]

    create = f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, k INTEGER, c CHAR(120))"
    return BulkTable(
        name,
        ("id", "k", "c"),
        rows,
        (Statement("create", create, control),),
        (Statement("index", f"CREATE INDEX {name}_k ON {name} (k)", control),),
        chunks,
    )


def engine_with(**options: Any) -> SQLiteEngine:
    return SQLiteEngine(SQLiteOptions(**options))


def nothing(rows: int) -> None:
    del rows


def key_for(cipher: str | None, folder: Path, name: str = "arm") -> Encryption | None:
    if cipher is None:
        return None
    path = folder / f"{name}.key"
    if not path.exists():
        ENGINE.make_key(cipher, path)
    return Encryption(cipher, path)


def place(cipher: str | None, folder: Path, index: int) -> Copy:
    return Copy("arm", index, str(folder / f"arm-{index}.db"), key_for(cipher, folder))


def loaded(cipher: str | None, folder: Path, engine: SQLiteEngine = ENGINE) -> Copy:
    copy = place(cipher, folder, 0)
    engine.create(copy)
    claim(engine, copy, "experiment")
    for name in ("one", "two"):
        engine.load(copy, table(name), nothing)
    return copy


def layout(copy: Copy) -> list[tuple[Any, ...]]:
    """Which b-tree owns each page, its kind and fill, as SQLite itself tells."""
    connection = apsw.Connection(copy.location, flags=apsw.SQLITE_OPEN_READWRITE)
    if copy.encryption is not None:
        apply_key(connection, copy.encryption)
    query = "SELECT pageno, name, path, pagetype, ncell, unused FROM dbstat ORDER BY pageno"
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize("cipher", NAMES)
def test_every_copy_has_the_same_pages(tmp_path: Path, cipher: str | None) -> None:
    source = loaded(cipher, tmp_path)
    fresh = layout(source)
    copies = [place(cipher, tmp_path, index) for index in (1, 2)]
    for copy in copies:
        assert ENGINE.clone(source, copy)
    assert len(fresh) == len(layout(source))
    assert layout(source) == layout(copies[0]) == layout(copies[1])
    tables = ["one", "two", "ciphermark_marker"]
    assert len({ENGINE.digests(copy, tables) for copy in (source, *copies)}) == 1
    assert owner(ENGINE, copies[1]) == "experiment"


def test_plain_copies_are_equal_byte_for_byte(tmp_path: Path) -> None:
    source = loaded(None, tmp_path)
    copies = [place(None, tmp_path, index) for index in (1, 2)]
    for copy in copies:
        ENGINE.clone(source, copy)
    first, second = (Path(copy.location).read_bytes() for copy in copies)
    assert first == second


class Watched(apsw.VFSFile):
    """A file that keeps every write to it."""

    writes: ClassVar[list[bytes]] = []

    def xWrite(self, data: bytes, offset: int) -> None:
        self.writes.append(bytes(data))
        super().xWrite(data, offset)


class WatchingVFS(apsw.VFS):
    """SQLite's file layer below the ciphers: sees what is really written, temporary files too."""

    def __init__(self) -> None:
        super().__init__("watching", "unix", makedefault=False)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return Watched("unix", name, flags)


# Never unregistered: the layer of ciphers that SQLite puts on top of it stays for good.
VFS = WatchingVFS()


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All bytes that SQLite writes during the test."""
    opened = apsw.Connection

    def connection(filename: str, **options: Any) -> apsw.Connection:
        return opened(filename, vfs="multipleciphers-watching", **options)

    monkeypatch.setattr(apsw, "Connection", connection)
    Watched.writes.clear()
    return Watched.writes


@pytest.mark.parametrize("cipher", NAMES)
@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_only_the_plain_arm_ever_writes_plaintext(
    tmp_path: Path, cipher: str | None, journal_mode: str, writes: list[bytes]
) -> None:
    engine = engine_with(journal_mode=journal_mode, load_cache_mib=0.1)
    source = loaded(cipher, tmp_path, engine)
    assert engine.clone(source, place(cipher, tmp_path, 1))
    session = engine.connect(source)
    change = Statement("change", "UPDATE one SET c = c || ?", StatementKind.CHANGE)
    assert session.execute(change, ("!",)) == 3000
    session.close()
    assert len(writes) > 100
    readable = [data for data in writes if b"plaintext that must not be seen" in data]
    assert bool(readable) == (cipher is None)


def test_a_clone_needs_the_same_key(tmp_path: Path) -> None:
    source = loaded("chacha20", tmp_path)
    other = Copy("arm", 1, str(tmp_path / "x.db"), key_for("chacha20", tmp_path, "other"))
    plain = Copy("arm", 1, str(tmp_path / "x.db"))
    assert not ENGINE.clone(source, other)
    assert not ENGINE.clone(source, plain)
    assert not (tmp_path / "x.db").exists()


def test_a_database_in_use_is_not_replaced(tmp_path: Path) -> None:
    engine = SQLiteEngine(SQLiteOptions(busy_timeout_ms=20))
    source = loaded(None, tmp_path)
    session = engine.connect(source)
    inode = os.stat(source.location).st_ino
    with pytest.raises(Retryable):
        engine.clone(source, place(None, tmp_path, 1))
    assert os.stat(source.location).st_ino == inode
    session.close()
    assert engine.clone(source, place(None, tmp_path, 1))


def test_what_a_cut_off_clone_left_is_cleared_away(tmp_path: Path) -> None:
    source = loaded(None, tmp_path)
    left = Path(source.location + "-compact")
    left.write_bytes(b"half a database")
    assert ENGINE.clone(source, place(None, tmp_path, 1))
    assert not left.exists()
    left.write_bytes(b"half a database")
    ENGINE.drop(source)
    assert not left.exists()


def test_a_failed_clone_leaves_no_file(tmp_path: Path) -> None:
    source = loaded(None, tmp_path)
    target = place(None, tmp_path, 1)
    Path(source.location).write_bytes(b"not a database at all" * 400)
    with pytest.raises(EngineError):
        ENGINE.clone(source, target)
    assert not Path(target.location).exists()


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_a_load_leaves_the_plans_settings(tmp_path: Path, journal_mode: str) -> None:
    engine = engine_with(journal_mode=journal_mode, page_size=8192, cache_mib=2)
    settings = engine.settings(loaded(None, tmp_path, engine))
    assert settings["journal_mode"] == journal_mode
    assert settings["page_size"] == "8192"
    assert settings["cache_size"] == "-2048"
    assert settings["synchronous"] == "2"
    assert settings["temp_store"] == "2"


def test_the_journal_mode_of_a_copy_can_be_swept(tmp_path: Path) -> None:
    copy = loaded(None, tmp_path)
    other = SQLiteEngine(SQLiteOptions(journal_mode="delete"))
    assert other.settings(copy)["journal_mode"] == "delete"
    assert ENGINE.settings(copy)["journal_mode"] == "wal"


@pytest.mark.parametrize("cipher", list(CIPHERS))
def test_the_pages_are_as_the_table_of_ciphers_says(tmp_path: Path, cipher: str) -> None:
    facts = ENGINE.encryption_facts(loaded(cipher, tmp_path))
    assert facts.cipher == cipher
    assert facts.reserved_bytes_per_page == CIPHERS[cipher].reserved_bytes
    assert facts.authenticated == CIPHERS[cipher].authenticated
    assert facts.page_count == Path(tmp_path / "arm-0.db").stat().st_size // facts.page_size


def test_a_journal_mode_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    """A database in memory has no log: SQLite answers with another mode and reports no error."""
    with pytest.raises(EngineError, match="stays memory instead of wal") as caught:
        set_journal_mode(apsw.Connection(":memory:"), "wal", "bench.db")
    assert caught.value.remedy
