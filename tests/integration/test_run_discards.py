"""No figure comes from a broken slice: what is discarded, and what makes a point invalid."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_plans import LIGHT, RecordingProgress, small_plan

from ciphermark.errors import ResultFileError
from ciphermark.loadgen.orders import BatchReport, CellTotals, SliceOrder
from ciphermark.loadgen.pool import WorkerPool
from ciphermark.measurement.clock import ClockFindings, ClockWatch
from ciphermark.results.check import Severity, check
from ciphermark.results.journal import Journal
from ciphermark.run import run_experiment


class JumpingClock:
    """Reports a suspended machine at every `period`-th check."""

    def __init__(self, period: int) -> None:
        self.period = period
        self.checks = 0

    def check(self) -> ClockFindings:
        self.checks += 1
        suspended_ns = 3_000_000_000 if self.checks % self.period == 0 else 0
        return ClockFindings(1_000_000, suspended_ns, 0)


def test_a_batch_in_which_the_machine_was_suspended_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = JumpingClock(period=6)  # two checks a batch: every third batch is broken
    monkeypatch.setattr(ClockWatch, "check", lambda watch: clock.check())
    progress = RecordingProgress()
    document = run_experiment(small_plan(), tmp_path / "out", progress).document
    (point,) = document.points
    assert point.discarded_batches >= 1
    assert [batch.index for batch in document.batches] == list(range(point.batches))
    assert any("suspended for 3.0 s" in message for message in progress.messages)
    assert document.valid, document.reasons


def test_a_machine_that_is_suspended_all_the_time_gives_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = JumpingClock(period=2)
    monkeypatch.setattr(ClockWatch, "check", lambda watch: clock.check())
    outcome = run_experiment(small_plan(), tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 1
    assert not outcome.document.comparisons
    assert "suspended" in outcome.document.experiment.stopped_by


def _without_transactions(report: BatchReport, arm: int) -> BatchReport:
    """The report as if an arm had finished nothing."""
    for cell, totals in report.cells.items():
        if cell[0] == arm:
            report.cells[cell] = CellTotals(rounds=totals.rounds, time_ns=totals.time_ns)
    return report


def test_an_arm_that_finished_nothing_has_no_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = WorkerPool.run

    def starve(self: WorkerPool, orders: list[SliceOrder]) -> BatchReport:
        return _without_transactions(original(self, orders), arm=2)

    monkeypatch.setattr(WorkerPool, "run", starve)
    outcome = run_experiment(small_plan(), tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 4
    arms = {comparison.arm for comparison in outcome.document.comparisons}
    assert arms == {"plain (A/A)"}
    assert any("tde chacha20" in reason for reason in outcome.document.reasons)


def test_a_single_slice_without_transactions_is_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stall that fills a slice is part of the cost: its time counts, its work is zero."""
    original = WorkerPool.run
    stalled: list[int] = []

    def stall(self: WorkerPool, orders: list[SliceOrder]) -> BatchReport:
        report = original(self, orders)
        cell = (2, 0)
        if cell in report.cells and not stalled:
            totals = report.cells[cell]
            stalled.append(totals.time_ns)
            report.cells[cell] = CellTotals(rounds=totals.rounds, time_ns=10 * totals.time_ns)
        return report

    monkeypatch.setattr(WorkerPool, "run", stall)
    plan = small_plan(data={"copies": 3})
    document = run_experiment(plan, tmp_path / "out", RecordingProgress()).document
    assert stalled
    assert document.valid, document.reasons


def test_slices_that_hold_few_transactions_make_no_verdict(tmp_path: Path) -> None:
    plan = small_plan(
        workload=[{"kind": "oltp_read_only", "table_size": 3000, "slice_s": 1e-6, "warm_up_s": 0.1}]
    )
    outcome = run_experiment(plan, tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 4
    assert any("held only 1.0 transactions" in reason for reason in outcome.document.reasons)
    assert all(c.verdict.startswith("No verdict") for c in outcome.document.comparisons)


def test_deletes_that_find_nothing_make_no_verdict(tmp_path: Path) -> None:
    """Most ids of the special distribution come again and again, and are gone by then."""
    deletes = {"kind": "oltp_delete", "table_size": 500, "warm_up_s": 0.1, "slice_s": 0.005}
    plan = small_plan(workload=[LIGHT, deletes])
    outcome = run_experiment(plan, tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 4
    said = outcome.document.reasons
    assert said
    assert all("changed nothing" in reason for reason in said)
    assert all(reason.startswith("oltp_delete, 1 terminal, slices: ") for reason in said)
    errors = [one for one in check(outcome.document) if one.severity is Severity.ERROR]
    assert [str(one) for one in errors] == list(said), "the check says each of them once"


def test_a_journal_that_cannot_be_written_ends_the_run_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Journal.write

    def full(self: Journal, kind: str, content: dict[str, object]) -> None:
        if kind == "batch":
            raise ResultFileError("the journal cannot be written: No space left on device")
        original(self, kind, content)

    monkeypatch.setattr(Journal, "write", full)
    outcome = run_experiment(small_plan(), tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 1
    assert "No space left" in outcome.document.experiment.stopped_by


def test_an_open_loop_keeps_its_rate_and_counts_what_is_late(tmp_path: Path) -> None:
    plan = small_plan(
        workload=[
            {
                **{key: value for key, value in LIGHT.items() if key != "slice_s"},
                "modes": ["blocks"],
                "rate_tps": 100,
                "latency_limit_ms": 1e-6,
                "terminals": 2,
                "block_s": 1.0,
                "block_rounds": 2,
            }
        ]
    )
    document = run_experiment(plan, tmp_path / "out", RecordingProgress()).document
    (point,) = document.points
    assert point.rate_tps == 100
    for arm in ("plain", "plain (A/A)", "tde chacha20"):
        batches = [batch for batch in document.batches if arm in batch.transactions]
        finished = sum(batch.transactions[arm] for batch in batches)
        # 200 arrivals expected; more than six standard deviations do not happen by chance
        assert 115 < finished < 285
        assert point.late[arm] == finished, "nothing is faster than a nanosecond"
        assert point.schedule_lag_ms[arm] >= 0
