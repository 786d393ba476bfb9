"""The sysbench command gets its words as they were typed, and its exit code is passed on."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from command_line import Shell

WORDS = ["--threads=4", "--table_size=10", "-h", "oltp_read_only", "--", "--help", "run", "--debug"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the front end was called with; it ends with 3."""
    calls: list[list[str]] = []

    def main(arguments: list[str]) -> int:
        calls.append(arguments)
        return 3

    module = ModuleType("front_end")
    vars(module)["main"] = main
    monkeypatch.setitem(sys.modules, "ciphermark.compat.sysbench.front_end", module)
    return calls


def test_every_word_is_passed_through(
    capsys: pytest.CaptureFixture[str], asked: list[list[str]]
) -> None:
    answer = Shell(capsys)("sysbench", *WORDS)
    assert asked == [WORDS]
    assert (answer.code, answer.out, answer.err) == (3, "", "")


@pytest.mark.parametrize("words", [["--help"], [], ["--version"], ["--"]])
def test_no_word_is_kept_by_the_command_itself(
    capsys: pytest.CaptureFixture[str], asked: list[list[str]], words: list[str]
) -> None:
    Shell(capsys)("sysbench", *words)
    assert asked == [words]
