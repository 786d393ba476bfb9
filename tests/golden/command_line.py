"""Runs the command line in this process, as the shell would."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ciphermark.cli.main import main

__all__ = ["Shell"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


class Shell:
    """Calls `ciphermark` with words and catches what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Answer:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(word) for word in words])
        out, err = self._capsys.readouterr()
        code = exit_.value.code
        assert isinstance(code, int)
        return Answer(code, out, err)
