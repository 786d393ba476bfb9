"""The whole way on the embedded engine: from a plan to the files of a result folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_plans import LIGHT, RecordingProgress, small_plan

from ciphermark.engine.base import Encryption, Engine
from ciphermark.errors import Fatal, PlanError, ResultFileError
from ciphermark.plan.files import plan_hash
from ciphermark.protection.none import NoProtection
from ciphermark.protection.options import TDEOptions
from ciphermark.protection.tde import TransparentEncryption
from ciphermark.results.files import read_result
from ciphermark.run import cleanup, prepare, run_experiment


def test_a_run_leaves_a_valid_result_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = small_plan(
        workload=[
            {"kind": "oltp_read_only", "table_size": 300, "warm_up_s": 0.1, "slice_s": 0.01},
            {**LIGHT, "modes": ["slices", "blocks"], "block_s": 0.05, "block_rounds": 4},
        ]
    )
    outcome = run_experiment(plan, out, RecordingProgress())
    assert outcome.exit_code == 0, outcome.document.reasons
    assert {path.name for path in out.iterdir()} == {
        "journal.jsonl",
        "result.json",
        "report.html",
        "report.md",
    }
    document = read_result(out)
    assert document == outcome.document
    assert document.valid
    assert document.experiment.plan_hash == plan_hash(plan)
    assert [arm.name for arm in document.arms] == ["plain", "plain (A/A)", "tde chacha20"]
    assert all(arm.proof.status == "proven" for arm in document.arms)
    assert document.arms[0].proof.marker_hits > 0
    assert document.arms[2].proof.marker_hits == 0
    assert {(point.workload, point.mode) for point in document.points} == {
        ("oltp_read_only", "slices"),
        ("oltp_read_write", "slices"),
        ("oltp_read_write", "blocks"),
    }
    compared = {(c.workload, c.mode, c.arm, c.metric) for c in document.comparisons}
    for workload, mode in (("oltp_read_only", "slices"), ("oltp_read_write", "blocks")):
        for metric in ("throughput", "cpu_per_transaction", "latency_p95"):
            assert (workload, mode, "tde chacha20", metric) in compared
            assert (workload, mode, "plain (A/A)", metric) in compared
    assert all(result.passed for result in document.consistency)
    assert {result.moment for result in document.consistency} == {
        "after load",
        "after replay",
        "after run",
    }


def test_all_arms_do_the_same_transactions(tmp_path: Path) -> None:
    """Count-bound slices: every arm and copy executes as many statements of each kind."""
    plan = small_plan(workload=[{"kind": "oltp_insert", "table_size": 50, "warm_up_s": 0.1}])
    document = run_experiment(plan, tmp_path / "out", RecordingProgress()).document
    assert document.batches
    for batch in document.batches:
        assert len(set(batch.transactions.values())) == 1
        assert len(set(batch.queries.values())) == 1


def test_encryption_silently_off_makes_the_result_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TransparentEncryption, "prepare", lambda *arguments: None)
    progress = RecordingProgress()
    outcome = run_experiment(small_plan(), tmp_path / "out", progress)
    assert outcome.exit_code == 4
    document = outcome.document
    assert not document.valid
    arm = document.arms[2]
    assert arm.proof.status == "refuted"
    assert arm.proof.marker_hits > 0
    concerned = [c for c in document.comparisons if c.arm == "tde chacha20"]
    assert concerned
    assert all(not c.valid and c.verdict.startswith("No verdict") for c in concerned)
    assert any("refuted" in message for message in progress.messages)
    assert "refuted" in (tmp_path / "out" / "report.html").read_text()


def test_an_encrypted_control_makes_the_result_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def encrypt(self: NoProtection, engine: Engine, arm: str, keys: Path) -> Encryption | None:
        return TransparentEncryption(TDEOptions(cipher="aegis")).prepare(engine, arm, keys)

    monkeypatch.setattr(NoProtection, "prepare", encrypt)
    outcome = run_experiment(small_plan(), tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 4
    assert outcome.document.arms[0].proof.status == "refuted"
    assert not any(comparison.valid for comparison in outcome.document.comparisons)


def test_an_interrupted_run_keeps_its_batches_and_goes_on(tmp_path: Path) -> None:
    def interrupt(progress: RecordingProgress) -> None:
        measured = [text for _, _, text in progress.updates if text]
        if len(measured) == 1:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    plan = small_plan(data={"copies": 3})
    first = run_experiment(plan, out, RecordingProgress(on_update=interrupt))
    assert first.exit_code == 130
    assert first.document.experiment.status == "interrupted"
    before = [(batch.index, batch.transactions) for batch in first.document.batches]
    assert len(before) == 2, "the first estimate needs two batches"
    assert (out / "data").is_dir(), "the data are kept to go on with"

    second = run_experiment(None, None, RecordingProgress(), resume=out)
    assert second.exit_code == 0, second.document.reasons
    after = [(batch.index, batch.transactions) for batch in second.document.batches]
    assert after[: len(before)] == before
    assert [index for index, _ in after] == list(range(len(after)))
    assert len(after) > len(before)
    assert not (out / "data").exists()


def test_interrupted_while_loading_starts_the_load_again(tmp_path: Path) -> None:
    def interrupt(name: str, detail: str) -> None:
        if name == "load" and "tde" in detail:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    first = run_experiment(small_plan(), out, RecordingProgress(on_phase=interrupt))
    assert first.exit_code == 130
    assert not first.document.comparisons
    assert not first.document.valid
    assert "not_checked" in {arm.proof.status for arm in first.document.arms}
    second = run_experiment(None, None, RecordingProgress(), resume=out)
    assert second.exit_code == 0, second.document.reasons


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run_experiment(small_plan(), out, RecordingProgress())
    second = run_experiment(None, None, RecordingProgress(), resume=out)
    assert second.document.comparisons == first.document.comparisons
    assert second.document.batches == first.document.batches


def test_another_plan_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(small_plan(), out, RecordingProgress())
    other = small_plan(data={"copies": 4})
    with pytest.raises(ResultFileError, match="another plan"):
        run_experiment(other, None, RecordingProgress(), resume=out)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(ResultFileError, match="not empty"):
        run_experiment(small_plan(), tmp_path, RecordingProgress())
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused: list[ResultFileError] = []

    def second(name: str, detail: str) -> None:
        if name == "measure" and not refused:
            with pytest.raises(ResultFileError, match="another run") as caught:
                run_experiment(None, None, RecordingProgress(), resume=out)
            refused.append(caught.value)

    outcome = run_experiment(small_plan(), out, RecordingProgress(on_phase=second))
    assert outcome.exit_code == 0
    assert refused


def test_a_bad_plan_creates_nothing(tmp_path: Path) -> None:
    plan = small_plan(
        arm=[{"name": "plain"}, {"protection": {"kind": "tde", "cipher": "chaha20"}}],
        workload=[
            {"kind": "oltp_read_wite"},
            {"kind": "oltp_read_only", "table_siez": 10, "terminals": [0, 4], "workers": 9},
        ],
    )
    with pytest.raises(PlanError) as caught:
        run_experiment(plan, tmp_path / "out", RecordingProgress())
    text = str(caught.value)
    for expected in ("chacha20", "oltp_read_write", "table_size", "terminals", "workers"):
        assert expected in text
    assert not (tmp_path / "out").exists()


def test_an_error_in_mid_run_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark.loadgen.pool import WorkerPool

    original = WorkerPool.run
    calls = []

    def fail_later(self: WorkerPool, orders: object) -> object:
        calls.append(orders)
        if len(calls) > 3:
            raise Fatal("disk I/O error", where="copy 0", remedy="Look at the disk")
        return original(self, orders)  # type: ignore[arg-type]

    monkeypatch.setattr(WorkerPool, "run", fail_later)
    out = tmp_path / "out"
    outcome = run_experiment(small_plan(), out, RecordingProgress())
    assert outcome.exit_code == 1
    assert outcome.document.experiment.status == "failed"
    assert "disk I/O error" in outcome.document.experiment.stopped_by
    assert len(outcome.document.batches) == 2  # one call was the warm-up
    assert (out / "report.html").is_file()
    monkeypatch.undo()
    assert run_experiment(None, None, RecordingProgress(), resume=out).exit_code == 0


def test_prepared_data_are_measured_by_resume_and_removed_by_cleanup(tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(small_plan(), out, RecordingProgress())
    assert len(list(out.glob("data/*/*.db"))) == 6
    removed = cleanup(out)
    assert len([line for line in removed if line.endswith(".db")]) == 6
    assert {path.name for path in out.iterdir()} == {"journal.jsonl"}


def test_cleanup_leaves_what_it_did_not_make(tmp_path: Path) -> None:
    import sqlite3

    from ciphermark.errors import EngineError

    out = tmp_path / "out"
    prepare(small_plan(), out, RecordingProgress())
    foreign = next(out.glob("data/*/plain-*.db"))
    foreign.unlink()
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE precious (id INTEGER)")
    connection.close()
    with pytest.raises(EngineError, match="does not belong"):
        cleanup(out)
    assert foreign.exists()


def test_copies_that_are_made_anew_count_as_further_copies(tmp_path: Path) -> None:
    plan = small_plan(
        data={"copies": 2, "draws": 3},
        workload=[{**LIGHT, "modes": ["slices", "blocks"], "block_s": 0.05, "block_rounds": 5}],
    )
    progress = RecordingProgress()
    outcome = run_experiment(plan, tmp_path / "out", progress)
    assert outcome.exit_code == 0, outcome.document.reasons
    assert [name for name, _ in progress.phases].count("renew") == 4
    throughput = [c for c in outcome.document.comparisons if c.metric == "throughput"]
    by_mode = {c.mode: c for c in throughput if c.arm == "tde chacha20"}
    assert by_mode["slices"].copies == 6
    assert by_mode["blocks"].batches == 5
    assert by_mode["slices"].batches >= 6, "two batches at least of each draw"
