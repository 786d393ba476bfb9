"""Several terminals on one SQLite database: threads, processes, locks."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest

from ciphermark.engine.base import Copy, Encryption
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import Retryable
from ciphermark.workload.base import BulkTable, Statement, StatementKind

CHANGE, CONTROL = StatementKind.CHANGE, StatementKind.CONTROL
BEGIN_WRITE = Statement("begin", "BEGIN IMMEDIATE", CONTROL)
BEGIN = Statement("begin", "BEGIN", CONTROL)
COMMIT = Statement("commit", "COMMIT", CONTROL)
READ = Statement("read", "SELECT n FROM counter WHERE id = 1", StatementKind.QUERY)
WRITE = Statement("write", "UPDATE counter SET n = ? WHERE id = 1", CHANGE)
TRANSACTIONS = 40
TABLE = BulkTable(
    "counter",
    ("id", "n"),
    1,
    (Statement("create", "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER)", CONTROL),),
    (),
    lambda: iter([((1,), (0,))]),
)


def nothing(rows: int) -> None:
    del rows


def made(folder: Path, cipher: str | None, engine: SQLiteEngine) -> Copy:
    encryption = None
    if cipher is not None:
        encryption = Encryption(cipher, folder / "arm.key")
        engine.make_key(cipher, encryption.key_file)
    copy = Copy("arm", 0, str(folder / "arm.db"), encryption)
    engine.create(copy)
    engine.load(copy, TABLE, nothing)
    return copy


def count_up(engine: SQLiteEngine, copy: Copy) -> None:
    """Adds to the counter by reading and writing it; a lost update would show."""
    session = engine.connect(copy)
    for _ in range(TRANSACTIONS):
        session.execute(BEGIN_WRITE, ())
        rows = session.execute(READ, ())
        assert isinstance(rows, list)
        assert session.execute(WRITE, (rows[0][0] + 1,)) == 1
        session.execute(COMMIT, ())
    session.close()


def value(engine: SQLiteEngine, copy: Copy) -> int:
    session = engine.connect(copy)
    rows = session.execute(READ, ())
    session.close()
    assert isinstance(rows, list)
    return int(rows[0][0])


@pytest.mark.parametrize("options", [{"journal_mode": "wal"}, {"journal_mode": "delete"}])
@pytest.mark.parametrize("cipher", [None, "chacha20", "aes256cbc"])
def test_threads_lose_no_update(
    tmp_path: Path, cipher: str | None, options: dict[str, Any]
) -> None:
    engine = SQLiteEngine(SQLiteOptions(durability="off", **options))
    copy = made(tmp_path, cipher, engine)
    threads = [threading.Thread(target=count_up, args=(engine, copy)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(engine, copy) == 3 * TRANSACTIONS


@pytest.mark.parametrize("cipher", [None, "aegis"])
def test_processes_lose_no_update(tmp_path: Path, cipher: str | None) -> None:
    engine = SQLiteEngine(SQLiteOptions(durability="off"))
    copy = made(tmp_path, cipher, engine)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=count_up, args=(engine, copy)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert value(engine, copy) == 2 * TRANSACTIONS


def test_a_lock_that_is_not_given_up_is_retryable(tmp_path: Path) -> None:
    engine = SQLiteEngine(SQLiteOptions(busy_timeout_ms=20))
    copy = made(tmp_path, None, engine)
    holder, waiter = engine.connect(copy), engine.connect(copy)
    holder.execute(BEGIN_WRITE, ())
    with pytest.raises(Retryable) as caught:
        waiter.execute(BEGIN_WRITE, ())
    assert (caught.value.kind, caught.value.code) == ("busy", "SQLITE_BUSY")
    holder.execute(COMMIT, ())
    waiter.execute(BEGIN_WRITE, ())
    waiter.rollback()
    holder.close()
    waiter.close()


def test_a_reader_that_turns_writer_too_late_is_retryable(tmp_path: Path) -> None:
    """Why writing transactions begin with BEGIN IMMEDIATE."""
    engine = SQLiteEngine(SQLiteOptions())
    copy = made(tmp_path, None, engine)
    late, early = engine.connect(copy), engine.connect(copy)
    late.execute(BEGIN, ())
    late.execute(READ, ())
    early.execute(WRITE, (5,))
    with pytest.raises(Retryable) as caught:
        late.execute(WRITE, (6,))
    assert caught.value.code == "SQLITE_BUSY_SNAPSHOT"
    late.rollback()
    assert late.execute(WRITE, (6,)) == 1
    late.close()
    early.close()


def test_the_cache_is_counted_for_each_session(tmp_path: Path) -> None:
    engine = SQLiteEngine(SQLiteOptions())
    copy = made(tmp_path, None, engine)
    busy, idle = engine.connect(copy), engine.connect(copy)
    before = busy.cache_status()
    for _ in range(50):
        busy.execute(READ, ())
    after, other = busy.cache_status(), idle.cache_status()
    assert after.hits - before.hits >= 50
    assert after.misses - before.misses <= 2
    assert other.hits < 20
    busy.close()
    idle.close()


def test_a_small_cache_misses(tmp_path: Path) -> None:
    large, small = (SQLiteEngine(SQLiteOptions(cache_mib=size)) for size in (16, 0.05))
    copy = made(tmp_path, None, large)
    filler = Statement(
        "fill",
        "INSERT INTO counter WITH RECURSIVE s(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM s "
        "WHERE i < 60000) SELECT i, i FROM s",
        CHANGE,
    )
    total = Statement("total", "SELECT sum(n) FROM counter", StatementKind.QUERY)
    session = large.connect(copy)
    session.execute(filler, ())
    session.close()
    misses = []
    for engine in (large, small):
        session = engine.connect(copy)
        session.execute(total, ())
        first = session.cache_status().misses
        session.execute(total, ())
        misses.append(session.cache_status().misses - first)
        session.close()
    assert misses[0] == 0
    assert misses[1] > 100
