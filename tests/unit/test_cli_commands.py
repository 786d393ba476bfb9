"""Each command prints what the library says, and ends with the code that follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Shell
from sample_documents import complete, invalid

from ciphermark.cli.commands.export import Table
from ciphermark.cli.exit_codes import ExitCode
from ciphermark.plan.build import build_experiment
from ciphermark.plan.estimate import estimate
from ciphermark.plan.files import read_plan
from ciphermark.plan.presets import default_plan, preset_names
from ciphermark.plan.schema import plan_schema
from ciphermark.plan.starter import starter_plan
from ciphermark.registry import GROUPS, Plugin, plugins
from ciphermark.report.markdown import MarkdownReporter
from ciphermark.report.terminal import TerminalReporter
from ciphermark.results.check import Severity, check
from ciphermark.results.document import ResultDocument
from ciphermark.results.export import TABLES, to_csv, to_json
from ciphermark.results.files import result_schema, write_result

PLAN = """
[[arm]]
name = "plain"

[[arm]]
protection = { kind = "tde", cipher = "aegis" }

[[workload]]
kind = "oltp_point_select"
table_size = 1000
"""
BROKEN = """
[experiment]
sed = 3

[engine]
kind = "sqllite"

[[arm]]
name = "plain"

[[workload]]
kind = "oltp_point_select"
terminals = "many"
"""


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def result(tmp_path: Path) -> Callable[[ResultDocument, str], Path]:
    """Writes a document into a folder of that name."""

    def write(document: ResultDocument, name: str) -> Path:
        return write_result(document, tmp_path / name)

    return write


def test_plan_shows_arms_points_and_the_estimate(shell: Shell, folder: Path) -> None:
    answer = shell("plan")
    experiment = build_experiment(default_plan())
    assert answer.code == 0
    assert all(arm.name in answer.out for arm in experiment.arms)
    assert all(point.workload.name in answer.out for point in experiment.points)
    assert all(line in answer.out for line in estimate(experiment).lines())
    assert list(folder.iterdir()) == []


def test_plan_as_json_is_the_effective_plan(shell: Shell, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)
    expected = build_experiment(read_plan(folder / "plan.toml")).plan
    assert json.loads(shell("plan", "plan.toml", "--json").out) == expected
    assert [path.name for path in folder.iterdir()] == ["plan.toml"]


def test_a_plan_and_a_preset_exclude_each_other(shell: Shell, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)
    answer = shell("plan", "plan.toml", "--preset", "embedded")
    assert answer.code == ExitCode.USAGE
    assert "a plan file is given too" in answer.err
    assert "Did you mean embedded?" in shell("plan", "--preset", "embeded").err
    assert shell("plan", "--preset", "embedded").out == shell("plan").out


def test_a_plan_from_init_is_valid_and_never_overwritten(shell: Shell, folder: Path) -> None:
    first = shell("init", "mine.toml")
    assert first.code == 0
    assert (folder / "mine.toml").read_text() == starter_plan("sqlite")
    assert shell("validate", "mine.toml").code == 0
    (folder / "mine.toml").write_text("mine")
    again = shell("init", "mine.toml")
    assert again.code == ExitCode.FAILURE
    assert "mine.toml: the file exists" in again.err
    assert (folder / "mine.toml").read_text() == "mine"


def test_validate_shows_every_problem_at_once(shell: Shell, folder: Path) -> None:
    (folder / "plan.toml").write_text(BROKEN)
    answer = shell("validate", "plan.toml")
    assert answer.code == ExitCode.USAGE
    assert answer.out == ""
    assert "did you mean seed?" in answer.err
    assert "workload[0].terminals" in answer.err
    assert [path.name for path in folder.iterdir()] == ["plan.toml"]


def test_validate_checks_options_of_plugins_too(shell: Shell, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN.replace("aegis", "aegid").replace("table_size", "rows"))
    answer = shell("validate", "plan.toml")
    assert answer.code == ExitCode.USAGE
    assert "did you mean aegis?" in answer.err
    assert "rows" in answer.err


def test_schemas_are_those_of_the_library(shell: Shell) -> None:
    assert json.loads(shell("schema").out) == plan_schema()
    assert json.loads(shell("schema", "result").out) == result_schema()


def test_list_names_every_plugin(shell: Shell) -> None:
    rows = json.loads(shell("list", "--json").out)
    found = {(row["group"], row["name"]) for row in rows}
    expected = {(group, name) for group in GROUPS for name in plugins(group)}
    assert found == expected | {("preset", name) for name in preset_names()}
    assert all(row["description"] for row in rows)
    text = shell("list", "engines").out
    assert "sqlite" in text
    assert "oltp_read_only" not in text


def test_list_shows_how_to_install_what_is_missing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark.cli import plugin_list

    absent = Plugin("mydb", "my database", "a:b", extra="mydb", requires=("no_such_module",))
    monkeypatch.setattr(plugin_list, "plugins", lambda group: {"mydb": absent})
    assert "not installed: pip install 'ciphermark[mydb]'" in shell("list", "engines").out


def test_doctor_finds_this_machine_fit(shell: Shell, folder: Path) -> None:
    answer = shell("doctor")
    assert answer.code == 0
    assert "sqlite ciphers" in answer.out
    findings = json.loads(shell("doctor", "--json").out)
    assert {"level", "subject", "what", "remedy"} == set(findings[0])
    assert shell("doctor", "--engine", "sqllite").code == ExitCode.USAGE
    assert list(folder.iterdir()) == []


def test_doctor_ends_with_one_when_a_check_fails(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark.doctor import examine
    from ciphermark.doctor.finding import fail

    monkeypatch.setattr(examine, "examine", lambda folder, engines: [fail("disk", "full", "x")])
    answer = shell("doctor")
    assert answer.code == ExitCode.FAILURE
    assert "fail  disk  full" in answer.out


def test_check_says_what_the_library_finds(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    good, bad = complete(), invalid()
    for document, name in ((good, "good"), (bad, "bad")):
        findings = check(document)
        answer = shell("check", result(document, name), "--json")
        assert [row["text"] for row in json.loads(answer.out)] == [one.text for one in findings]
        broken = any(one.severity is Severity.ERROR for one in findings)
        assert answer.code == (ExitCode.INVALID if broken else ExitCode.DONE)
    assert shell("check", result(good, "good")).code == ExitCode.DONE
    text = shell("check", result(bad, "bad"))
    assert text.code == ExitCode.INVALID
    assert text.out.startswith("error")


def test_check_takes_the_folder_too(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    path = result(complete(), "good")
    assert shell("check", path.parent).out == shell("check", path).out


def test_compare_fails_only_when_a_condition_holds(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    path = result(complete(), "good")
    plain = shell("compare", path, path)
    assert plain.code == ExitCode.DONE
    assert "not distinguishable from zero" in plain.out
    passed = shell("compare", path, path, "--fail-if", "throughput.change>1%")
    assert passed.code == ExitCode.DONE
    assert "passed: throughput.change>1%" in passed.out
    gates = ("--fail-if", "throughput.change>1%", "--fail-if", "throughput.overhead>0.1%")
    failed = shell("compare", path, path, *gates)
    assert failed.code == ExitCode.GATE
    assert "passed: throughput.change>1%" in failed.out
    assert "FAILED: throughput.overhead>0.1%" in failed.out


def test_compare_refuses_an_invalid_result_when_told_to(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    base, new = result(complete(), "good"), result(invalid(), "bad")
    assert shell("compare", base, new, "--fail-if", "invalid").code == ExitCode.GATE
    row = next(line for line in shell("compare", base, new).out.splitlines() if " p95 " in line)
    assert row.count("invalid: ") == 1, "only the new result's figure is"
    wrong = shell("compare", base, new, "--fail-if", "speed>3")
    assert wrong.code == ExitCode.USAGE
    assert "--fail-if" in wrong.err
    assert wrong.out == ""


def test_reports_are_those_of_the_library(
    shell: Shell, tmp_path: Path, result: Callable[[ResultDocument, str], Path]
) -> None:
    document = complete()
    path = result(document, "good")
    assert shell("report", path).out.rstrip() == TerminalReporter().render(document).rstrip()
    target = tmp_path / "out.md"
    answer = shell("report", path, "--format", "markdown", "--output", target)
    assert (answer.code, answer.out) == (0, f"{target}\n")
    assert target.read_text() == MarkdownReporter().render(document)
    unknown = shell("report", path, "--format", "markdwon")
    assert unknown.code == ExitCode.USAGE
    assert "Did you mean markdown?" in unknown.err


def test_exports_are_those_of_the_library(
    shell: Shell, tmp_path: Path, result: Callable[[ResultDocument, str], Path]
) -> None:
    document = complete()
    path = result(document, "good")
    rows = to_csv(document).replace("\r\n", "\n")
    assert shell("export", path).out.replace("\r\n", "\n") == rows
    assert shell("export", path, "--format", "json").out == to_json(document)
    target = tmp_path / "batches.csv"
    shell("export", path, "--table", "batches", "--output", target)
    assert target.read_bytes() == to_csv(document, "batches").encode()
    assert shell("export", path, "--table", "batch").code == ExitCode.USAGE
    assert "there is no journal" in shell("export", path, "--format", "hdr").err


def test_every_table_can_be_exported() -> None:
    assert [str(table) for table in Table] == list(TABLES)


@pytest.mark.parametrize("name", ["check", "report", "export"])
def test_a_result_that_is_not_there_is_named(shell: Shell, name: str) -> None:
    answer = shell(name, "nowhere/result.json")
    assert answer.code == ExitCode.FAILURE
    assert "nowhere/result.json" in answer.err
    assert "Traceback" not in answer.err


def test_compare_tells_what_is_not_in_both_results(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    document = complete()
    fewer = document.model_copy(
        update={
            "comparisons": document.comparisons[:1],
            "experiment": document.experiment.model_copy(
                update={"versions": {**document.experiment.versions, "Python": "4.0"}}
            ),
        }
    )
    path, other = result(document, "all"), result(fewer, "fewer")
    assert "only in the base result: " in shell("compare", path, other).out
    answer = shell("compare", other, path).out
    assert "only in the new result: " in answer
    assert "differs: version of Python: 4.0 → " in answer


def test_a_file_that_cannot_be_written_is_named(
    shell: Shell, result: Callable[[ResultDocument, str], Path]
) -> None:
    path = result(complete(), "good")
    answer = shell("report", path, "--output", path / "below" / "a-file.md")
    assert answer.code == ExitCode.FAILURE
    assert "a-file.md" in answer.err


def test_plan_shows_swept_levels_and_rates(shell: Shell, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN + 'modes = ["blocks"]\nrate_tps = 50\n')
    answer = shell("plan", "plan.toml")
    assert answer.code == 0, answer.err
    assert "rate_tps=50" in answer.out
