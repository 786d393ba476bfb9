"""The command line from the outside: real processes, a real database, Ctrl-C included."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ciphermark.results.files import read_result

PLAN = """
[experiment]
name = "short"
time_limit_s = {time_limit_s}

[data]
copies = 2

[[arm]]
name = "plain"

[[arm]]
protection = {{ kind = "tde", cipher = "aegis" }}

[[workload]]
kind = "oltp_point_select"
table_size = 200
warm_up_s = 0.1
"""
PROGRAM = [sys.executable, "-c", "from ciphermark.cli.main import main; main()"]
WAIT_S = 90


def ciphermark(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the folder."""
    return subprocess.run(
        [*PROGRAM, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with a plan of one second of measuring, and one of an hour."""
    (tmp_path / "short.toml").write_text(PLAN.format(time_limit_s=1.0))
    (tmp_path / "long.toml").write_text(PLAN.format(time_limit_s=3600.0))
    return tmp_path


def test_a_run_prints_verdicts_and_its_report_last(desk: Path) -> None:
    done = ciphermark(desk, "run", "short.toml", "--out", "r", "--progress", "json")
    assert done.returncode in {0, 4}, done.stderr  # two copies make a wide interval, not an error
    assert done.stdout.splitlines()[-1].endswith("r/report.html")
    assert (desk / "r" / "report.html").is_file()
    verdicts = [one.verdict for one in read_result(desk / "r").comparisons]
    assert verdicts
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"phase", "progress", "end"} <= {event["event"] for event in events}
    assert events[-1] == {"event": "end"}
    assert {"r"} == {path.name for path in desk.iterdir() if path.is_dir()}
    assert not (desk / "r" / "data").exists()


def test_a_folder_that_is_in_use_is_left_alone(desk: Path) -> None:
    (desk / "r").mkdir()
    (desk / "r" / "mine.txt").write_text("mine")
    done = ciphermark(desk, "run", "short.toml", "--out", "r")
    assert done.returncode in {1, 2}
    assert "Traceback" not in done.stderr
    assert [path.name for path in (desk / "r").iterdir()] == ["mine.txt"]


def test_an_interrupted_run_is_kept_resumed_and_cleaned_up(desk: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "run", "long.toml", "--out", "r", "--progress", "json"],
        cwd=desk,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for_batches(desk / "r" / "journal.jsonl", 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, err
    assert "ciphermark run --resume" in out
    assert "Traceback" not in err
    kept = read_result(desk / "r")
    assert kept.experiment.status == "interrupted"
    assert sum(point.batches for point in kept.points) >= 2
    refused = ciphermark(desk, "run", "short.toml", "--resume", "r")
    assert refused.returncode == 2
    removed = ciphermark(desk, "cleanup", "r")
    assert removed.returncode == 0, removed.stderr
    assert "removed" in removed.stdout
    assert not (desk / "r" / "data").exists()
    assert not (desk / "r" / "keys").exists()
    assert (desk / "r" / "result.json").exists()


def test_prepared_data_are_measured_later(desk: Path) -> None:
    prepared = ciphermark(desk, "prepare", "short.toml", "--out", "r", "--progress", "none")
    assert prepared.returncode == 0, prepared.stderr
    assert (desk / "r" / "data").is_dir()
    resumed = ciphermark(desk, "run", "--resume", "r", "--progress", "json")
    assert resumed.returncode in {0, 4}, resumed.stderr
    phases = {
        event["name"]
        for event in map(json.loads, resumed.stderr.splitlines())
        if event["event"] == "phase"
    }
    assert "load" not in phases
    assert "measure" in phases


def wait_for_batches(journal: Path, count: int) -> None:
    """Waits until the run has finished so many batches."""
    for _ in range(WAIT_S * 20):
        if journal.exists() and journal.read_text().count('"kind":"batch"') >= count:
            return
        time.sleep(0.05)
    pytest.fail("no batch was finished in time")
