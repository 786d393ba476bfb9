"""Every command, and every way to show progress, is told of in a document written by hand."""

from __future__ import annotations

import re

import pytest
from tree import ROOT, prose_files

from ciphermark.cli.lazy import COMMANDS

GENERATED = ROOT / "docs" / "reference"
TOLD = "\n".join(
    path.read_text(encoding="utf-8") for path in prose_files() if GENERATED not in path.parents
)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_told_of(name: str) -> None:
    assert re.search(rf"\bciphermark {name}\b", TOLD), f"no document shows: ciphermark {name}"


@pytest.mark.parametrize("event", ["phase", "progress", "message", "end"])
def test_the_events_of_json_progress_are_told_of(event: str) -> None:
    assert f"| `{event}` |" in TOLD
