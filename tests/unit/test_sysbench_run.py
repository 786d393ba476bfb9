"""The run loop on made-up sessions: limits, restarts, the open loop, warm-up, failures."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ciphermark import registry
from ciphermark.compat.sysbench.command_line import parse
from ciphermark.compat.sysbench.database import Database, open_database
from ciphermark.compat.sysbench.log import Log
from ciphermark.compat.sysbench.plan import run_plan
from ciphermark.compat.sysbench.report import Report, parse_interval, parse_report
from ciphermark.compat.sysbench.run_command import CUT_OFF, FAILED, run
from ciphermark.engine.base import StatementCounters
from ciphermark.errors import Fatal, Retryable
from ciphermark.workload.base import Answer, Parameters, Statement, StatementKind, Workload


@dataclass
class Scripted:
    """A session that answers with ones, after what `act` does."""

    act: Callable[[Statement], object] = lambda statement: None
    counters: StatementCounters = field(default_factory=StatementCounters)
    rollbacks: int = 0
    closed: bool = False

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:
        del parameters
        self.act(statement)
        if statement.kind is StatementKind.QUERY:
            self.counters.queries += 1
            return [(1,)]
        if statement.kind is StatementKind.CHANGE:
            self.counters.changes += 1
            return 1
        self.counters.controls += 1
        return 0

    def rollback(self) -> None:
        self.rollbacks += 1

    def close(self) -> None:
        self.closed = True


@dataclass
class Ended:
    """What a run has left."""

    code: int
    text: str
    sessions: list[Scripted]

    @property
    def report(self) -> Report:
        return parse_report(self.text)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Runs a command line on sessions that `act` describes."""

    def execute(text: str, act: Callable[[Statement], object] = lambda _: None) -> Ended:
        sessions: list[Scripted] = []

        def connect(database: Database) -> Scripted:
            del database
            sessions.append(Scripted(act))
            return sessions[-1]

        monkeypatch.setattr(Database, "connect", connect)
        line = parse(f"--db-driver=sqlite --sqlite-db=none {text} run".split())
        plugin = registry.find("workload", line.test)
        workload: Workload = plugin.load()(plugin.load_options()())
        stream = io.StringIO()
        database = open_database(line.settings)
        code = run(run_plan(line.settings), workload, database, Log(3, stream))
        return Ended(code, stream.getvalue(), sessions)

    return execute


def busy_once_in(number: int) -> Callable[[Statement], object]:
    """Fails every so many statements."""
    lock, executed = threading.Lock(), [0]

    def act(statement: Statement) -> None:
        del statement
        with lock:
            executed[0] += 1
            if executed[0] % number == 0:
                raise Retryable("locked", kind="busy")

    return act


@pytest.mark.parametrize("threads", [1, 3])
def test_the_events_limit_is_exact(scripted: Callable[..., Ended], threads: int) -> None:
    ended = scripted(f"oltp_read_write --events=100 --time=0 --threads={threads}")
    assert ended.code == 0
    report = ended.report
    assert (report.read, report.write, report.other) == (1400, 400, 200)
    assert report.events == report.transactions.count == 100
    assert report.queries.count == 2000
    assert len(ended.sessions) == threads
    assert all(session.closed for session in ended.sessions)


def test_errors_restart_an_event_and_its_statements_stay_counted(
    scripted: Callable[..., Ended],
) -> None:
    ended = scripted("oltp_write_only --events=50 --time=0", busy_once_in(40))
    report = ended.report
    assert ended.code == 0
    assert report.events == 50
    assert report.ignored_errors.count == ended.sessions[0].rollbacks > 0
    assert report.queries.count > 50 * 6


def test_an_error_ends_the_run_with_a_partial_report(scripted: Callable[..., Ended]) -> None:
    executed = []

    def act(statement: Statement) -> None:
        executed.append(statement)
        if len(executed) > 70:
            raise Fatal("the disk is full")

    ended = scripted("oltp_write_only --threads=2 --time=30", act)
    assert ended.code == FAILED
    assert "FATAL: the disk is full\n" in ended.text
    assert "WARNING: The run has failed" in ended.text
    assert 0 < ended.report.events < 12


def test_a_connection_that_cannot_be_made(
    scripted: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    del scripted

    def refuse(database: Database) -> None:
        raise Fatal("no such database")

    monkeypatch.setattr(Database, "connect", refuse)
    stream = io.StringIO()
    line = parse(["--db-driver=sqlite", "--sqlite-db=none", "oltp_read_only", "run"])
    plugin = registry.find("workload", "oltp_read_only")
    made: Any = plugin.load()(plugin.load_options()())
    code = run(run_plan(line.settings), made, open_database(line.settings), Log(3, stream))
    assert code == FAILED
    assert "FATAL: no such database\nFATAL: Thread initialization failed!\n" in stream.getvalue()
    assert "SQL statistics" not in stream.getvalue()


def slow(statement: Statement) -> None:
    del statement
    time.sleep(0.02)


def test_the_queue_of_the_open_loop_is_part_of_the_latency(
    scripted: Callable[..., Ended],
) -> None:
    ended = scripted("oltp_point_select --rate=1000 --time=1 --report-interval=1", slow)
    assert ended.code == 0
    (length,) = (int(n) for n in re.findall(r"\[ 1s \] queue length: (\d+), conc", ended.text))
    assert length > 500
    report = ended.report
    assert report.percentile is not None
    assert report.percentile[1] > 500
    assert report.latency_min_ms > 19


def test_a_slow_rate_is_kept(scripted: Callable[..., Ended]) -> None:
    ended = scripted("oltp_point_select --rate=50 --time=2 --threads=2 --rand-seed=3")
    assert 50 < ended.report.events < 160


def test_the_warm_up_is_not_counted(scripted: Callable[..., Ended]) -> None:
    ended = scripted(
        "oltp_point_select --warmup-time=1 --events=10 --time=5 --report-interval=1", slow
    )
    assert "Warming up for 1 seconds..." in ended.text
    report = ended.report
    assert 10 <= report.events <= 12
    assert report.total_s < 4
    in_warm_up = ended.sessions[0].counters.queries - report.read
    assert 10 < in_warm_up <= 50


def test_checkpoints_start_a_new_report_and_the_total_time_goes_on(
    scripted: Callable[..., Ended],
) -> None:
    ended = scripted("oltp_point_select --time=2 --report-checkpoints=1", slow)
    head, _, tail = ended.text.partition("[ 1s ] Checkpoint report:\n")
    assert "SQL statistics" not in head
    first, second = (parse_report("SQL" + part) for part in tail.split("SQL")[1:])
    assert first.events + second.events == ended.sessions[0].counters.queries
    assert first.total_s < 1.5
    assert second.total_s >= 2
    assert second.transactions.per_s > 1.5 * second.events / second.total_s


def test_a_forced_shutdown_leaves_what_hangs(scripted: Callable[..., Ended]) -> None:
    release = threading.Event()

    def hang(statement: Statement) -> None:
        del statement
        release.wait(20)

    try:
        ended = scripted("oltp_point_select --time=1 --forced-shutdown=0 --threads=2", hang)
    finally:
        release.set()
    assert ended.code == CUT_OFF
    assert "Forcing shutdown in 1 seconds\n" in ended.text
    assert "FATAL: The --max-time limit has expired, forcing shutdown...\n" in ended.text
    assert ended.report.unfinished == 2


def test_interval_lines_add_up(scripted: Callable[..., Ended]) -> None:
    ended = scripted("oltp_read_only --time=2 --report-interval=1 --threads=2 --percentile=99")
    lines = [found for text in ended.text.splitlines() if (found := parse_interval(text))]
    assert [line.elapsed_s for line in lines] == [1, 2]
    assert all(line.threads == 2 and line.percentile[0] == 99 for line in lines)
    assert sum(line.tps for line in lines) == pytest.approx(ended.report.events, rel=0.1)


def test_the_histogram_stands_before_the_report(scripted: Callable[..., Ended]) -> None:
    ended = scripted("oltp_point_select --events=50 --time=0 --histogram")
    histogram, _, rest = ended.text.partition("SQL statistics:")
    rows = re.findall(r"^ +[\d.]+ \|\**\s+(\d+)$", histogram, flags=re.MULTILINE)
    assert sum(int(count) for count in rows) == 50
    assert rest


def test_the_seed_is_announced(scripted: Callable[..., Ended]) -> None:
    ended = scripted("oltp_point_select --events=1 --rand-seed=42")
    assert "Initializing random number generator from seed (42).\n\n\n" in ended.text
    ended = scripted("oltp_point_select --events=1")
    assert "Initializing random number generator from current time\n\n\n" in ended.text


def test_a_report_without_events() -> None:
    empty = replace(parse_report(_EMPTY), events=0)
    assert "         min:                                    0.00" in empty.lines()


_EMPTY = "\n".join(
    [
        "SQL statistics:",
        *(f"    {name}: 0" for name in ("read", "write", "other", "total")),
        *(
            f"    {name}: 0 (0.00 per sec.)"
            for name in ("transactions", "queries", "ignored errors", "reconnects")
        ),
        "General statistics:",
        "    total time: 1.0s",
        "    total number of events: 0",
        *(f"    {name}: 0.00" for name in ("min", "avg", "max", "sum")),
        "    events (avg/stddev): 0.0/0.0",
        "    execution time (avg/stddev): 0.0/0.0",
    ]
)
