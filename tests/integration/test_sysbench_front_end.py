"""sysbench's command lines on real SQLite databases, plain and encrypted."""

from __future__ import annotations

import re
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.compat.sysbench.front_end import main
from ciphermark.compat.sysbench.option_list import TESTS
from ciphermark.compat.sysbench.report import Report, parse_report

Sysbench = Callable[..., str]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "sysbench.db"


@pytest.fixture
def sysbench(database: Path, capsys: pytest.CaptureFixture[str]) -> Sysbench:
    """Runs a command line on the test's database and returns what it printed."""

    def execute(text: str, code: int = 0) -> str:
        common = f"--db-driver=sqlite --sqlite-db={database} --sqlite-synchronous=off"
        assert main(f"{common} {text}".split()) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    return execute


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(database)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def report(text: str) -> Report:
    return parse_report(text)


def test_prepare_run_cleanup(sysbench: Sysbench, database: Path) -> None:
    text = sysbench("oltp_read_write --tables=2 --table-size=1000 prepare")
    assert text.split("\n\n", 1)[1] == (
        "Creating table 'sbtest1'...\n"
        "Inserting 1000 records into 'sbtest1'\n"
        "Creating a secondary index on 'sbtest1'...\n"
        "Creating table 'sbtest2'...\n"
        "Inserting 1000 records into 'sbtest2'\n"
        "Creating a secondary index on 'sbtest2'...\n"
    )
    assert rows(database, "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest2") == [(1000, 1, 1000)]
    ((c, pad),) = rows(database, "SELECT c, pad FROM sbtest1 WHERE id = 7")
    assert re.match(r"^\d{11}(-\d{11}){9}$", str(c))
    assert re.match(r"^\d{11}(-\d{11}){4}$", str(pad))
    found = report(sysbench("oltp_read_write --tables=2 --table-size=1000 --events=60 run"))
    assert (found.read, found.write + found.other, found.events) == (14 * 60, 6 * 60, 60)
    text = sysbench("oltp_read_write --tables=2 cleanup")
    assert "Dropping table 'sbtest1'...\nDropping table 'sbtest2'...\n" in text
    assert rows(database, "SELECT name FROM sqlite_schema") == []


def test_acceptance_counts(sysbench: Sysbench) -> None:
    sysbench("oltp_read_write --table-size=10000 prepare")
    text = sysbench("--events=100 --time=0 oltp_read_write run")
    found = report(text)
    assert (found.read, found.write, found.other) == (1400, 400, 200)
    assert (found.transactions.count, found.queries.count) == (100, 2000)
    found = report(sysbench("oltp_read_only --skip-trx --range-selects=off --events=10 run"))
    assert (found.read, found.write, found.other) == (100, 0, 0)
    found = report(sysbench("oltp_write_only --events=10 run"))
    assert (found.read, found.write, found.other) == (0, 40, 20)
    options = "--point-selects=3 --simple-ranges=2 --sum-ranges=0"
    found = report(sysbench(f"oltp_read_only {options} --events=10 run"))
    assert found.read == 10 * (3 + 2 + 0 + 1 + 1)


@pytest.mark.parametrize("mode", ["auto", "disable"])
@pytest.mark.parametrize("test", TESTS)
def test_every_test_runs(sysbench: Sysbench, test: str, mode: str) -> None:
    size = "" if test == "bulk_insert" else "--table-size=500 --tables=2"
    sysbench(f"{test} {size} --threads=2 prepare")
    text = sysbench(f"{test} {size} --threads=2 --events=40 --db-ps-mode={mode} run")
    assert report(text).events == 40
    assert "FATAL" not in text
    assert "Dropping table 'sbtest2'" in sysbench(f"{test} {size} --threads=2 cleanup")


def test_deletes_that_find_nothing_count_as_other(sysbench: Sysbench) -> None:
    sysbench("oltp_delete --table-size=20 prepare")
    found = report(sysbench("oltp_delete --table-size=20 --rand-type=uniform --events=200 run"))
    assert found.write <= 20
    assert found.write + found.other == 200


def test_client_made_ids_start_with_empty_tables(sysbench: Sysbench, database: Path) -> None:
    text = sysbench("oltp_insert --auto-inc=off prepare")
    assert "Inserting" not in text
    for _ in range(2):
        sysbench("oltp_insert --auto-inc=off --events=50 --threads=2 run")
    ((count,),) = rows(database, "SELECT COUNT(*) FROM sbtest1")
    assert count == 100


def test_bulk_insert_counts_rows_as_events(sysbench: Sysbench, database: Path) -> None:
    sysbench("bulk_insert --threads=2 prepare")
    found = report(sysbench("bulk_insert --threads=2 --events=100000 run"))
    assert found.events == 100_000
    assert 2 <= found.write <= 5
    counted = [rows(database, f"SELECT COUNT(*), MAX(id) FROM sbtest{n}")[0] for n in (1, 2)]
    assert sum(int(str(count)) for count, _ in counted) == 100_000
    text = sysbench("bulk_insert --threads=2 --events=100000 run", code=1)
    assert "FATAL: " in text
    assert "constraint" in text


def test_prepare_refuses_a_table_that_is_there(sysbench: Sysbench, database: Path) -> None:
    sysbench("oltp_read_only --table-size=10 prepare")
    text = sysbench("oltp_read_only --table-size=20 prepare", code=1)
    assert "already exists" in text
    assert rows(database, "SELECT COUNT(*) FROM sbtest1") == [(10,)]


def test_prepare_without_rows(sysbench: Sysbench, database: Path) -> None:
    text = sysbench("oltp_read_only --table-size=0 prepare")
    assert "Inserting" not in text
    assert "Creating a secondary index on 'sbtest1'..." in text
    assert rows(database, "SELECT COUNT(*) FROM sbtest1") == [(0,)]


def test_prewarm(sysbench: Sysbench) -> None:
    sysbench("oltp_read_only --table-size=100 --tables=2 prepare")
    text = sysbench("oltp_read_only --table-size=100 --tables=2 --threads=2 prewarm")
    assert "Initializing worker threads...\n\nPrewarming table sbtest1\n" in text


def test_an_encrypted_database(sysbench: Sysbench, database: Path, tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    encrypted = f"--sqlite-key-file={key_file} --sqlite-cipher=aes256cbc"
    text = sysbench(f"oltp_read_only --table-size=300 {encrypted} prepare")
    assert f"Creating key file '{key_file}'...\n" in text
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert not database.read_bytes().startswith(b"SQLite format 3")
    text += sysbench(f"oltp_read_only --table-size=300 {encrypted} --events=20 run")
    assert report(text).events == 20
    text += sysbench("oltp_read_only --table-size=300 --events=20 run", code=1)
    assert "FATAL: " in text
    other = tmp_path / "other"
    other.write_text("00" * 32)
    other.chmod(0o600)
    text += sysbench(f"oltp_read_only --sqlite-key-file={other} --events=20 run", code=1)
    assert key_file.read_text().strip() not in text
    assert "00" * 32 not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oltp_read_only run", "make it with the command prepare"),
        ("oltp_read_only cleanup", "make it with the command prepare"),
        ("oltp_read_only --db-driver=mysql run", "'mysql' is not available yet"),
        ("oltp_read_only --db-driver=pgsql run", "'pgsql' is not available yet"),
        ("oltp_read_only --db-driver=x run", "invalid database driver name: 'x'"),
        ("oltp_read_only --sqlite-db= run", "--sqlite-db=FILE is missing"),
        ("oltp_read_only --sqlite-cipher=aegis run", "needs --sqlite-key-file"),
        ("oltp_read_only --sqlite-key-file=k --sqlite-cipher=x run", "--sqlite-cipher: 'x'"),
        ("oltp_read_only --sqlite-synchronous=x run", "--sqlite-synchronous: 'x'"),
        ("oltp_read_only --db-ps-mode=x run", "Invalid value for db-ps-mode: x"),
        ("oltp_read_only", "Command is required. Supported commands: prepare, prewarm, run,"),
        ("", "a test is missing"),
        ("oltp_read_only bogus", "Unknown command: bogus"),
        ("oltp_nothing run", "Cannot find benchmark 'oltp_nothing'"),
        ("oltp run", "sysbench 0.4"),
        ("oltp_read_only --xyz run", "invalid option: --xyz"),
        ("oltp_read_only --threads=0 run", "Invalid value for --threads: 0."),
        ("oltp_read_only --verbosity=9 run", "Invalid value for verbosity: 9"),
    ],
)
def test_what_cannot_be_done_exits_with_one(sysbench: Sysbench, text: str, message: str) -> None:
    assert message in sysbench(text, code=1)


def test_missing_rows_are_noticed(sysbench: Sysbench) -> None:
    sysbench("oltp_read_only --table-size=100 --tables=2 prepare")
    text = sysbench("oltp_read_only --table-size=100 --tables=2 --events=1 run")
    assert "WARNING" not in text
    text = sysbench("oltp_read_only --tables=2 --events=1 run")
    assert "WARNING: sbtest1 ends at id 100, but --table-size is 10000" in text
    assert "WARNING: sbtest2 ends at id 100" in text
    assert "sbtest2" not in sysbench("select_random_points --tables=2 --events=1 run")


def test_missing_tables_are_named(sysbench: Sysbench, database: Path) -> None:
    database.touch()
    text = sysbench("oltp_read_only --events=1 run", code=1)
    assert "sbtest1" in text


def test_help_and_version(sysbench: Sysbench) -> None:
    text = sysbench("--help")
    assert "  --threads=N " in text
    assert "sqlite options:" in text
    text = sysbench("oltp_read_only help")
    names = re.findall(r"^  --(\w+)", text, flags=re.MULTILINE)
    assert names == sorted(names)
    assert "--skip_trx[=on|off] " in text
    assert "[10000]" in text
    assert sysbench("--version").startswith("sysbench 1.0.20")


def test_a_low_verbosity_hides_the_report(sysbench: Sysbench) -> None:
    sysbench("oltp_read_only --table-size=100 prepare")
    assert sysbench("oltp_read_only --table-size=100 --events=5 --verbosity=2 run") == ""
