"""Help, version, completion, and how little is imported for them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command_line import Shell

from ciphermark import __version__
from ciphermark.cli.lazy import COMMANDS, PASSED_THROUGH

HEAVY = ("numpy", "scipy", "pydantic", "rich", "apsw", "altair", "sqlglot", "jinja2")
LIST_MODULES = """
import json, sys
from ciphermark.cli.main import main
try:
    main({words!r})
except SystemExit as exit_:
    assert not exit_.code, exit_.code
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def modules_after(*words: str) -> set[str]:
    """Modules that a fresh Python has imported once the command is done."""
    program = LIST_MODULES.format(words=list(words))
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("--version",)])
def test_help_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    assert not modules_after(*words).intersection(HEAVY)


def test_the_help_of_a_command_imports_no_more_than_the_options_need() -> None:
    # Typer converts the values of options with Pydantic.
    assert modules_after("run", "--help").intersection(HEAVY) <= {"pydantic"}


def test_help_imports_no_command() -> None:
    imported = modules_after("--help")
    assert not [name for name in imported if name.startswith("ciphermark.cli.commands.")]


def test_the_version_is_shown(shell: Shell) -> None:
    answer = shell("--version")
    assert (answer.code, answer.out) == (0, f"ciphermark {__version__}\n")


def test_the_help_lists_every_command(shell: Shell) -> None:
    lines = [line.split() for line in shell("--help").out.splitlines()]
    listed = [words[0] for words in lines if words and words[0] in COMMANDS]
    assert listed == list(COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in PASSED_THROUGH])
def test_every_command_and_option_has_help(shell: Shell, name: str) -> None:
    for word in ("--help", "-h"):
        answer = shell(name, word)
        assert answer.code == 0
        assert answer.out.startswith(f"Usage: ciphermark {name}")
    body = answer.out.partition("Options:")[2]
    entries = [line for line in body.splitlines() if line.startswith("  -")]
    assert entries
    following = dict(zip(body.splitlines(), [*body.splitlines()[1:], ""], strict=True))
    for entry in entries:
        described = "   " in entry.strip() or following[entry].startswith("      ")
        assert described or "  " in entry.strip(), entry


def test_the_one_liner_is_the_beginning_of_the_help(shell: Shell) -> None:
    for name, entry in COMMANDS.items():
        if name not in PASSED_THROUGH:
            words = " ".join(shell(name, "--help").out.split())
            assert entry.summary.rstrip(".")[:40] in words, name


def test_completion_offers_commands_and_options() -> None:
    def completed(line: str) -> str:
        program = "from ciphermark.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={
                "_CIPHERMARK_COMPLETE": "complete_bash",
                "COMP_WORDS": line,
                "COMP_CWORD": str(line.count(" ")),
                "PATH": "",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    assert "validate" in completed("ciphermark ").split()
    assert "--resume" in completed("ciphermark run --").split()
