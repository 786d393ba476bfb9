"""What `run`, `prepare` and `cleanup` hand to the library, and what they make of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from command_line import Shell
from sample_documents import complete

from ciphermark import run
from ciphermark.cli.exit_codes import ExitCode
from ciphermark.cli.plans import Overrides, choose_plan
from ciphermark.errors import CiphermarkError, EngineError, PlanError
from ciphermark.plan.presets import default_plan
from ciphermark.plan.schema import PlanFile
from ciphermark.progress import Progress
from ciphermark.run import RunOutcome


@dataclass
class Library:
    """Stands for `ciphermark.run` and remembers what it was asked for."""

    folder: Path
    exit_code: int = 0
    error: CiphermarkError | None = None
    asked: dict[str, Any] = field(default_factory=dict)

    def run_experiment(
        self,
        plan: PlanFile | None,
        out: Path | None,
        progress: Progress,
        resume: Path | None = None,
        *,
        keep_data: bool = False,
    ) -> RunOutcome:
        self.asked = {"plan": plan, "out": out, "resume": resume, "keep_data": keep_data}
        progress.phase("measure", "oltp")
        report = self.folder / "report.html"
        return RunOutcome(complete(), self.folder, report, self.exit_code, self.error)

    def prepare(self, plan: PlanFile, out: Path, progress: Progress) -> None:
        self.asked = {"plan": plan, "out": out}
        progress.phase("load", "plain")

    def cleanup(self, folder: Path) -> list[str]:
        self.asked = {"folder": folder}
        return ["data/plain-0.db", "keys"] if folder.name == "full" else []


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library(tmp_path)
    monkeypatch.setattr(run, "run_experiment", made.run_experiment)
    monkeypatch.setattr(run, "prepare", made.prepare)
    monkeypatch.setattr(run, "cleanup", made.cleanup)
    return made


def test_without_a_plan_the_embedded_experiment_runs(shell: Shell, library: Library) -> None:
    answer = shell("run")
    assert answer.code == 0
    assert library.asked == {
        "plan": default_plan(),
        "out": None,
        "resume": None,
        "keep_data": False,
    }
    assert answer.out.splitlines()[-1] == str(library.folder / "report.html")
    assert any(one.verdict[:30] in answer.out for one in complete().comparisons)
    assert answer.err == "measure: oltp\n"


def test_options_change_the_plan(shell: Shell, library: Library, tmp_path: Path) -> None:
    options = ("--seed", 7, "--precision", 0.02, "--time-limit", 5)
    shell("run", *options, "--out", tmp_path / "r", "--keep-data", "--progress", "none")
    section = library.asked["plan"].experiment
    assert (section.seed, section.precision, section.time_limit_s) == (7, 0.02, 5.0)
    assert section.name == default_plan().experiment.name
    assert library.asked["plan"].workload == default_plan().workload
    assert library.asked["out"] == tmp_path / "r"
    assert library.asked["keep_data"] is True


@pytest.mark.parametrize("option", [("--precision", "-1"), ("--time-limit", "0")])
def test_an_impossible_option_is_refused_before_anything_runs(
    shell: Shell, library: Library, option: tuple[str, str]
) -> None:
    answer = shell("run", *option)
    assert answer.code == ExitCode.USAGE
    assert "command line" in answer.err
    assert library.asked == {}


@pytest.mark.parametrize("code", [0, 1, 4, 130])
def test_the_code_of_the_outcome_is_the_code_of_the_command(
    shell: Shell, library: Library, code: int
) -> None:
    library.exit_code = code
    answer = shell("run")
    assert answer.code == code
    assert ("--resume" in answer.out) == (code in {1, 130})
    assert answer.out.splitlines()[-1].endswith("report.html")


def test_what_ended_a_run_is_told(shell: Shell, library: Library) -> None:
    library.exit_code = 1
    library.error = EngineError("the disk is full", where="copy 3", remedy="Free some space")
    answer = shell("run", "--progress", "none")
    assert answer.err == "Error: copy 3: the disk is full\nFree some space\n"


def test_a_run_is_resumed_with_its_own_plan(shell: Shell, library: Library) -> None:
    shell("run", "--resume", library.folder)
    assert library.asked["plan"] is None
    assert library.asked["resume"] == library.folder


def test_a_resumed_run_takes_no_other_plan(shell: Shell, library: Library) -> None:
    answer = shell("run", "p.toml", "--resume", library.folder, "--seed", 3, "--out", "x")
    assert answer.code == ExitCode.USAGE
    assert "leave out PLAN, --out, --seed" in " ".join(answer.err.split())
    assert library.asked == {}


def test_prepare_loads_and_says_how_to_go_on(
    shell: Shell, library: Library, tmp_path: Path
) -> None:
    answer = shell("prepare", "--out", tmp_path / "r")
    assert answer.code == 0
    assert library.asked == {"plan": default_plan(), "out": tmp_path / "r"}
    assert f"ciphermark run --resume {tmp_path / 'r'}" in answer.out


def test_cleanup_lists_what_it_removed(shell: Shell, library: Library) -> None:
    assert shell("cleanup", "full").out == "removed data/plain-0.db\nremoved keys\n"
    assert shell("cleanup", "empty").out == "There was nothing to remove.\n"


def test_overrides_leave_defaults_to_the_plan() -> None:
    assert choose_plan(None, None, Overrides()) == default_plan()
    changed = choose_plan(None, None, Overrides(seed=9))
    assert changed.experiment.seed == 9
    assert changed.model_fields_set == default_plan().model_fields_set
    with pytest.raises(PlanError):
        choose_plan(None, None, Overrides(precision=5.0))
