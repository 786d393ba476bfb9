"""Errors end in words and in the documented code, never in a traceback, unless it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command_line import Shell

from ciphermark import registry
from ciphermark.cli.exit_codes import ExitCode, exit_code_of
from ciphermark.cli.lazy import COMMANDS
from ciphermark.errors import (
    CiphermarkError,
    EngineError,
    MissingDependency,
    PlanError,
    Problem,
    UnstableMeasurement,
    UnsupportedCapability,
)

SECRET = "0123456789abcdef"


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes `ciphermark cleanup X` raise an error."""

    def prepare(error: BaseException) -> None:
        def command(folder: str) -> None:
            raise error

        monkeypatch.setattr(registry, "import_object", lambda path: command)

    return prepare


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError((Problem("engine", "unknown"),)), 2),
        (UnsupportedCapability("there is no such engine"), 2),
        (UnstableMeasurement("too noisy"), 4),
        (EngineError("broken"), 1),
        (MissingDependency("absent", install="pip install x"), 1),
    ],
)
def test_the_kind_of_error_decides_the_code(error: CiphermarkError, code: int) -> None:
    assert exit_code_of(error) == code


def test_an_error_says_what_where_and_what_to_do(
    shell: Shell, failing: Callable[[BaseException], None]
) -> None:
    failing(EngineError("the disk is full", where="data/1.db", remedy="Free some space"))
    answer = shell("cleanup", "x")
    assert answer.code == ExitCode.FAILURE
    assert answer.out == ""
    assert answer.err == "Error: data/1.db: the disk is full\nFree some space\n"


def test_every_problem_of_a_plan_is_shown(
    shell: Shell, failing: Callable[[BaseException], None]
) -> None:
    failing(PlanError((Problem("arm", "empty"), Problem("engine.kind", "unknown", "sqlite?"))))
    answer = shell("cleanup", "x")
    assert answer.code == ExitCode.USAGE
    assert "arm: empty" in answer.err
    assert "engine.kind: unknown (sqlite?)" in answer.err


def test_debug_shows_where_an_error_arose(
    shell: Shell, failing: Callable[[BaseException], None]
) -> None:
    failing(PlanError((Problem("arm", "empty"),)))
    answer = shell("--debug", "cleanup", "x")
    assert answer.code == ExitCode.USAGE
    assert "Traceback" in answer.err


def test_a_foreign_error_shows_nothing_of_its_text(
    shell: Shell, failing: Callable[[BaseException], None]
) -> None:
    failing(ValueError(f"cannot use {SECRET}"))
    answer = shell("cleanup", "x")
    assert answer.code == ExitCode.FAILURE
    assert SECRET not in answer.out + answer.err
    assert "Traceback" not in answer.err
    assert "unexpected ValueError" in answer.err


def test_an_error_of_the_system_names_the_file(
    shell: Shell, failing: Callable[[BaseException], None]
) -> None:
    failing(PermissionError(13, "Permission denied", "data.db"))
    answer = shell("cleanup", "x")
    assert (answer.code, answer.err) == (1, "Error: data.db: permission denied\n")


def test_ctrl_c_has_its_own_code(shell: Shell, failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    answer = shell("cleanup", "x")
    assert answer.code == ExitCode.INTERRUPTED
    assert "Traceback" not in answer.err


def test_a_warning_is_a_message(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def command() -> None:
        warnings.simplefilter("default")
        warnings.warn("a plug-in is broken", stacklevel=1)

    monkeypatch.setattr(registry, "import_object", lambda path: command)
    assert shell("list").err == "Warning: a plug-in is broken\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runn"], "Did you mean 'run'?"),
        (["run", "--tim-limit", "3"], "No such option: --tim-limit"),
        (["run", "--time-limit", "soon"], "--time-limit"),
        (["run", "--progress", "loud"], "--progress"),
        (["cleanup"], "Missing argument"),
        (["schema", "reports"], "reports"),
    ],
)
def test_wrong_usage_ends_with_two(shell: Shell, words: list[str], message: str) -> None:
    answer = shell(*words)
    assert answer.code == ExitCode.USAGE
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_without_a_command_the_help_is_shown(shell: Shell) -> None:
    answer = shell()
    assert answer.code == ExitCode.USAGE
    assert all(f"  {name} " in answer.out + answer.err for name in COMMANDS)
