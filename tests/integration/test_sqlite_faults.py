"""What breaks beneath an SQLite database comes out as a clear message, and nothing is lost."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ciphermark.engine.base import Copy, Encryption, StatementMode
from ciphermark.engine.sqlite.encryption import CIPHERS
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import EngineError, Fatal, Retryable, WrongKey
from ciphermark.workload.base import BulkTable, Statement, StatementKind

QUERY, CHANGE, CONTROL = StatementKind.QUERY, StatementKind.CHANGE, StatementKind.CONTROL
ENGINE = SQLiteEngine(SQLiteOptions())
NOBODY = 65534
PAGE = 4096
ROWS = 2000
AUTHENTICATED = [name for name, cipher in CIPHERS.items() if cipher.authenticated]
TABLE = BulkTable(
    "t",
    ("id", "c"),
    ROWS,
    (Statement("create", "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT)", CONTROL),),
    (),
    lambda: iter([(range(1, ROWS + 1), ["x" * 100] * ROWS)]),
)
SUM = Statement("sum", "SELECT count(*), sum(length(c)) FROM t", QUERY)
GROW = Statement("grow", "UPDATE t SET c = c || c", CHANGE)


def nothing(rows: int) -> None:
    del rows


def made(folder: Path, cipher: str | None = None, engine: SQLiteEngine = ENGINE) -> Copy:
    encryption = None
    if cipher is not None:
        encryption = Encryption(cipher, folder / "arm.key")
        engine.make_key(cipher, encryption.key_file)
    copy = Copy("arm", 0, str(folder / "arm.db"), encryption)
    engine.create(copy)
    engine.load(copy, TABLE, nothing)
    return copy


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Lets no file of this process grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def without_privileges() -> Iterator[None]:
    """Lets file modes count, for root too."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter and nobody but its owner may write to."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        yield Path(folder)


def test_a_file_that_cannot_grow_is_told_while_loading(tmp_path: Path) -> None:
    copy = Copy("arm", 0, str(tmp_path / "arm.db"))
    ENGINE.create(copy)
    with file_size_limit(10 * PAGE), pytest.raises(Fatal) as caught:
        ENGINE.load(copy, TABLE, nothing)
    assert "arm.db" in str(caught.value)
    assert caught.value.code.startswith(("SQLITE_IOERR", "SQLITE_FULL"))
    assert "space" in caught.value.remedy
    ENGINE.drop(copy)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_grow_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    copy = made(tmp_path)
    session = ENGINE.connect(copy)
    before = session.execute(SUM, ())
    with file_size_limit(20 * PAGE), pytest.raises(Fatal):
        session.execute(GROW, ())
    assert session.execute(SUM, ()) == before
    session.close()


def test_a_clone_that_cannot_grow_leaves_no_file(tmp_path: Path) -> None:
    copy = made(tmp_path)
    target = Copy("arm", 1, str(tmp_path / "clone.db"))
    before = sorted(path.name for path in tmp_path.iterdir())
    digests = ENGINE.digests(copy, ["t"])
    with file_size_limit(10 * PAGE), pytest.raises(Fatal):
        ENGINE.clone(copy, target)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert ENGINE.digests(copy, ["t"]) == digests
    assert ENGINE.clone(copy, target)


def test_a_full_database_is_told(tmp_path: Path) -> None:
    session = ENGINE.connect(made(tmp_path))
    session.execute(Statement("limit", "PRAGMA max_page_count = 1", QUERY), ())
    with pytest.raises(Fatal, match="disk is full") as caught:
        session.execute(GROW, ())
    assert caught.value.code == "SQLITE_FULL"
    session.close()


def test_a_folder_without_write_permission_is_named(open_folder: Path) -> None:
    copy = Copy("arm", 0, str(open_folder / "arm.db"))
    with without_privileges(), pytest.raises(EngineError) as caught:
        ENGINE.create(copy)
    assert "Permission denied" in str(caught.value)
    assert "may write" in caught.value.remedy
    assert list(open_folder.iterdir()) == []


def test_a_database_without_write_permission_is_told(open_folder: Path) -> None:
    open_folder.chmod(0o755)
    copy = made(open_folder)
    Path(copy.location).chmod(0o444)
    open_folder.chmod(0o555)
    with without_privileges(), pytest.raises(Fatal) as caught:
        ENGINE.connect(copy).execute(GROW, ())
    assert caught.value.code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))
    assert caught.value.remedy


def damage(copy: Copy, page: int, at: int = 2000) -> None:
    """Flips one bit of a page, counted from 0."""
    with open(copy.location, "r+b") as file:
        file.seek(page * PAGE + at)
        byte = file.read(1)[0]
        file.seek(page * PAGE + at)
        file.write(bytes([byte ^ 0x10]))


@pytest.mark.parametrize("cipher", AUTHENTICATED)
@pytest.mark.parametrize("at", [100, 2000, PAGE - 1])
def test_a_flipped_bit_fails_the_tag_of_an_authenticated_cipher(
    tmp_path: Path, cipher: str, at: int
) -> None:
    copy = made(tmp_path, cipher)
    damage(copy, page=20, at=at)
    session = ENGINE.connect(copy)
    with pytest.raises(Fatal, match="authentication tag") as caught:
        session.execute(SUM, ())
    assert caught.value.code.startswith("SQLITE_CORRUPT")
    assert "anew" in caught.value.remedy
    session.close()


LENGTHS = Statement("lengths", "SELECT count(*), sum(length(CAST(c AS BLOB))) FROM t", QUERY)


@pytest.mark.parametrize("cipher", ["aes256cbc", "aes128cbc"])
def test_a_flipped_bit_passes_unseen_without_authentication(tmp_path: Path, cipher: str) -> None:
    """What the report means by "not authenticated": SQLite reads on as if nothing were wrong."""
    copy = made(tmp_path, cipher)
    damage(copy, page=20, at=3000)
    session = ENGINE.connect(copy)
    assert session.execute(LENGTHS, ()) == [(ROWS, 100 * ROWS)]
    session.close()


@pytest.mark.parametrize("cipher", ["aes256cbc", "aes128cbc"])
@pytest.mark.parametrize("mode", list(StatementMode))
def test_text_that_came_out_as_noise_is_told_without_showing_it(
    tmp_path: Path, cipher: str, mode: StatementMode
) -> None:
    copy = made(tmp_path, cipher)
    damage(copy, page=20, at=3000)
    session = ENGINE.connect(copy, mode)
    read_all = Statement("all", "SELECT c FROM t", QUERY)
    for read in (lambda: session.execute(read_all, ()), lambda: ENGINE.digests(copy, ["t"])):
        with pytest.raises(Fatal, match="UTF-8") as caught:
            read()
        assert caught.value.__suppress_context__
        assert "xxx" not in str(caught.value)
    session.close()


def test_a_damaged_plain_page_is_told(tmp_path: Path) -> None:
    copy = made(tmp_path)
    with open(copy.location, "r+b") as file:
        file.seek(20 * PAGE)
        file.write(b"\xff" * 64)
    with pytest.raises(Fatal) as caught:
        ENGINE.digests(copy, ["t"])
    assert caught.value.code.startswith("SQLITE_CORRUPT")
    assert str(tmp_path) in str(caught.value)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.db"
    path.write_bytes(b"something else" * 1000)
    with pytest.raises(WrongKey, match="not an SQLite database"):
        ENGINE.connect(Copy("arm", 0, str(path)))
    assert path.read_bytes() == b"something else" * 1000


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="not there"):
        ENGINE.connect(Copy("arm", 0, str(tmp_path / "arm.db")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cipher", list(CIPHERS))
def test_a_lost_key_file_is_named(tmp_path: Path, cipher: str) -> None:
    copy = made(tmp_path, cipher)
    (tmp_path / "arm.key").unlink()
    with pytest.raises(EngineError, match=r"arm\.key"):
        ENGINE.connect(copy)


def test_a_failed_create_leaves_nothing(tmp_path: Path) -> None:
    copy = Copy("arm", 0, str(tmp_path / "arm.db"), Encryption("chacha20", tmp_path / "no.key"))
    with pytest.raises(EngineError, match=r"no\.key"):
        ENGINE.create(copy)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_blocks_the_checkpoint_is_told(tmp_path: Path) -> None:
    engine = SQLiteEngine(SQLiteOptions(busy_timeout_ms=20))
    copy = made(tmp_path)
    reader, writer = engine.connect(copy), engine.connect(copy)
    reader.execute(Statement("begin", "BEGIN", CONTROL), ())
    reader.execute(SUM, ())
    writer.execute(GROW, ())
    with pytest.raises(Retryable) as caught:
        engine.flush(copy)
    assert caught.value.kind == "busy"
    assert not engine.quiesce(copy, 0.02)
    reader.rollback()
    engine.flush(copy)
    assert os.path.getsize(copy.location + "-wal") == 0
    reader.close()
    writer.close()
