"""The sysbench workloads on a real SQLite database, several terminals and slices."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ciphermark import registry
from ciphermark.engine.base import Copy, Engine, Session, StatementMode
from ciphermark.loadgen.blocking import execute_transaction
from ciphermark.loadgen.orders import LoadSpec, SliceOrder
from ciphermark.loadgen.worker import Worker
from ciphermark.workload.base import Statement, StatementKind, TerminalProgram, Workload

TERMINALS = 2
WORKLOADS = sorted(
    name for name, plugin in registry.plugins("workload").items() if "sysbench" in plugin.factory
)
SIZES = {name: {"tables": 2, "table_size": 1000} for name in WORKLOADS}
SIZES["bulk_insert"] = {}
SIZES["select_random_points"] = SIZES["select_random_ranges"] = {"table_size": 1000}


def made(group: str, name: str, **options: Any) -> Any:
    plugin = registry.find(group, name)
    return plugin.load()(plugin.load_options()(**options))


def nothing(rows: int) -> None:
    del rows


class Loaded:
    """A loaded copy with a session and a program for each terminal."""

    def __init__(self, workload: Workload, folder: Path, mode: StatementMode) -> None:
        self.engine: Engine = made("engine", "sqlite", durability="off")
        self.workload = workload
        self.copy = Copy("plain", 0, str(folder / "plain.db"))
        self.engine.create(self.copy)
        dialect = self.engine.dialect
        for table in workload.data(dialect, 1, TERMINALS).tables:
            self.engine.load(self.copy, table, nothing)
        self.sessions: list[Session] = [
            self.engine.connect(self.copy, mode) for _ in range(TERMINALS)
        ]
        self.programs: list[TerminalProgram] = [
            workload.program(dialect, terminal, TERMINALS) for terminal in range(TERMINALS)
        ]

    def slice(self, round_number: int, transactions: int) -> None:
        """One slice, terminals in turn."""
        for terminal, program in enumerate(self.programs):
            seed = np.random.SeedSequence(1, spawn_key=(round_number, terminal))
            program.rewind(seed, transactions)
        for _ in range(transactions):
            for session, program in zip(self.sessions, self.programs, strict=True):
                assert execute_transaction(session, program.next_transaction()) == 0
        for session, program in zip(self.sessions, self.programs, strict=True):
            for last in (program.finish(), program.restore()):
                if last is not None:
                    execute_transaction(session, last)

    def broken(self) -> list[str]:
        """The conditions that do not hold."""
        return [
            condition.name
            for condition in self.workload.conditions(self.engine.dialect)
            if self.sessions[0].execute(condition.query, ())
        ]

    def rows(self) -> int:
        names = [table.name for table in self.workload.data(self.engine.dialect, 1, 2).tables]
        return sum(digest.rows for digest in self.engine.digests(self.copy, names))


@pytest.fixture
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Loaded]:
    name, mode, options = request.param
    found = Loaded(made("workload", name, **options), tmp_path, mode)
    yield found
    for session in found.sessions:
        session.close()


def cases(*names: str, **more: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "loaded",
        [
            pytest.param((name, mode, {**SIZES[name], **more}), id=f"{name}-{mode}")
            for name in names
            for mode in StatementMode
        ],
        indirect=True,
    )


@cases(*WORKLOADS)
def test_slices_keep_the_data_consistent(loaded: Loaded) -> None:
    assert loaded.broken() == []
    before = loaded.rows()
    for round_number in range(3):
        loaded.slice(round_number, 40)
    assert loaded.broken() == []
    grown = 3 * 40 * TERMINALS if loaded.workload.name in ("oltp_insert", "bulk_insert") else 0
    assert loaded.rows() == before + grown


@cases("oltp_insert", auto_inc=False)
def test_client_made_ids_go_into_empty_tables(loaded: Loaded) -> None:
    assert loaded.rows() == 0
    for round_number in range(3):
        loaded.slice(round_number, 40)
    assert loaded.rows() == 3 * 40 * TERMINALS
    assert loaded.broken() == []


@pytest.mark.parametrize(
    ("name", "options"), [("bulk_insert", {}), ("oltp_insert", {"auto_inc": False})]
)
def test_a_run_goes_on_where_an_interrupted_one_has_left_rows(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    loaded = Loaded(made("workload", name, **options), tmp_path, StatementMode.PREPARED)
    spec = LoadSpec(
        engine=loaded.engine,
        workload=loaded.workload,
        copies=((loaded.copy,),),
        statement_mode=StatementMode.PREPARED,
        terminals=TERMINALS,
        workers=1,
        seed=1,
        stream=0,
    )
    for _ in range(2):
        worker = Worker(spec, 0)
        worker.open()
        orders = [SliceOrder((0, 0), number, None, 30) for number in range(2)]
        worker.run_batch(orders, time.perf_counter_ns)
        worker.close()
        assert loaded.rows() == 2 * 30 * TERMINALS
    for session in loaded.sessions:
        session.close()


@cases("oltp_read_write", secondary=True)
def test_a_secondary_key_in_place_of_the_primary_one(loaded: Loaded) -> None:
    loaded.slice(1, 20)
    assert loaded.broken() == []


@cases("oltp_read_only", rand_type="uniform")
def test_every_query_finds_its_rows(loaded: Loaded) -> None:
    program, session = loaded.programs[0], loaded.sessions[0]
    program.rewind(np.random.SeedSequence(3), 1)
    transaction = program.next_transaction()
    assert not isinstance(transaction, tuple)
    answers = {}
    try:
        call = next(transaction)
        while True:
            answers[call[0].name.rsplit("_", 1)[0]] = (call[1], session.execute(*call))
            call = transaction.send(answers[call[0].name.rsplit("_", 1)[0]][1])
    except StopIteration:
        pass
    (_, point) = answers["point_select"]
    assert isinstance(point, list)
    assert len(point) == 1
    for kind in ("simple_range", "order_range", "distinct_range"):
        (first, last), rows = answers[kind]
        assert isinstance(rows, list)
        assert len(rows) == min(last, 1000) - first + 1
        if kind != "simple_range":
            assert rows == sorted(rows)
    ((total,),) = answers["sum_range"][1]  # type: ignore[misc]  # rows of a query
    assert total > 0


@cases("oltp_read_only")
def test_a_broken_table_is_noticed(loaded: Loaded) -> None:
    session = loaded.sessions[0]
    for text, condition in [
        ("DELETE FROM sbtest1 WHERE id = 500", {"row_count_1", "all_ids_1"}),
        ("UPDATE sbtest2 SET pad = 'x' WHERE id = 3", {"forms_2"}),
        ("UPDATE sbtest2 SET id = 5000 WHERE id = 1000", {"all_ids_2"}),
    ]:
        session.execute(Statement("damage", text, StatementKind.CHANGE), ())
        assert condition <= set(loaded.broken())
