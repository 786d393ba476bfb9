"""Kills and signals: nothing outlives a run, nothing that was finished is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from small_plans import RecordingProgress, small_plan

from ciphermark.loadgen.pool import WorkerPool
from ciphermark.results.journal import read_journal
from ciphermark.run import run_experiment

PLAN = """
[experiment]
name = "long"
time_limit_s = 60
precision = 0.00001
[engine]
durability = "off"
[data]
copies = 2
[[arm]]
name = "plain"
[[arm]]
protection = {kind = "tde", cipher = "chacha20"}
[[workload]]
kind = "oltp_read_only"
table_size = 300
range_selects = false
slice_s = 0.005
terminals = 2
warm_up_s = 0.1
"""


def batches_in(folder: Path) -> int:
    try:
        return sum(kind == "batch" for kind, _ in read_journal(folder / "journal.jsonl"))
    except Exception:
        return 0


def start(tmp_path: Path) -> tuple[subprocess.Popen[bytes], Path, list[psutil.Process]]:
    """A long run of the command in its own process, past its first two batches."""
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(PLAN)
    command = [sys.executable, "-m", "ciphermark", "run", str(plan), "--out", str(out)]
    process = subprocess.Popen(
        [*command, "--progress", "none"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while batches_in(out) < 2:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        assert time.monotonic() < deadline, "no batch was finished"
        time.sleep(0.05)
    workers = psutil.Process(process.pid).children(recursive=True)
    assert workers
    return process, out, workers


def ended(processes: list[psutil.Process]) -> bool:
    """Whether all of them are gone within ten seconds."""
    _, alive = psutil.wait_procs(processes, timeout=10)
    return not alive


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_and_keeps_what_is_finished(
    tmp_path: Path, number: signal.Signals
) -> None:
    process, out, workers = start(tmp_path)
    process.send_signal(number)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error.decode()
    assert b"Traceback" not in error
    assert ended(workers)
    finished = batches_in(out)
    assert finished >= 2
    assert (out / "result.json").is_file()
    assert (out / "report.html").is_file()


def test_killing_the_coordinator_leaves_no_worker_and_a_journal_to_go_on_with(
    tmp_path: Path,
) -> None:
    process, out, workers = start(tmp_path)
    process.kill()
    process.communicate()
    assert ended(workers)
    finished = batches_in(out)
    text = (out / "journal.jsonl").read_text()
    (out / "journal.jsonl").write_text(text + '{"kind":"batch","point":"cut o')
    progress = RecordingProgress(on_update=_interrupt_after(2))
    outcome = run_experiment(None, None, progress, resume=out)
    assert outcome.exit_code == 130
    assert len(outcome.document.batches) >= finished + 2


def _interrupt_after(count: int) -> object:
    def interrupt(progress: RecordingProgress) -> None:
        if len([text for _, _, text in progress.updates if text]) >= count:
            raise KeyboardInterrupt

    return interrupt


def test_a_killed_worker_ends_the_run_and_its_batch_is_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = WorkerPool.run
    batches: list[object] = []
    workers: list[psutil.Process] = []

    def kill_in_the_third(self: WorkerPool, orders: object) -> object:
        batches.append(orders)
        if len(batches) == 4:  # behind the warm-up
            workers.extend(psutil.Process(pid) for pid in self.pids)
            os.kill(self.pids[1], signal.SIGKILL)
        return original(self, orders)  # type: ignore[arg-type]

    monkeypatch.setattr(WorkerPool, "run", kill_in_the_third)
    plan = small_plan(
        workload=[
            {
                "kind": "oltp_read_only",
                "table_size": 300,
                "range_selects": False,
                "slice_s": 0.005,
                "terminals": 2,
                "warm_up_s": 0.1,
            }
        ],
        experiment={"name": "small", "time_limit_s": 30.0, "precision": 0.00001},
    )
    outcome = run_experiment(plan, tmp_path / "out", RecordingProgress())
    assert outcome.exit_code == 1
    assert "signal 9" in outcome.document.experiment.stopped_by
    assert len(outcome.document.batches) == 2
    assert len(workers) == 2
    assert ended(workers)
