"""The documents keep their word: commands run, links lead somewhere, plans are valid."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from documents import Block, anchors, blocks, links
from tree import ROOT, prose_files

from ciphermark.plan.build import build_experiment
from ciphermark.plan.files import parse_plan

TIME_LIMIT_S = 120
NOT_RUN_HERE = {
    "make demo": "three minutes of a whole machine; the same run is started by every other block",
    "make test": "it is what runs this test",
    "make check": "`make test` has just run it",
    "ciphermark run": "the embedded experiment: 90 seconds of measuring",
}
SHELL = {"bash", "sh", "shell", "shell-session"}


def named(path: Path) -> str:
    """The name under which a document is reported."""
    return str(path.relative_to(ROOT))


def skipped(command: str) -> bool:
    """Whether a command is listed above, word for word."""
    return command in NOT_RUN_HERE


def console(path: Path) -> list[Block]:
    """The blocks of commands of a document."""
    return [block for block in blocks(path) if block.language == "console"]


DOCUMENTS = prose_files()
WITH_COMMANDS = [
    path
    for path in DOCUMENTS
    if any(not skipped(command) for block in console(path) for command in block.commands)
]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder like a fresh clone, as far as commands in documents need one."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def run(command: str, desk: Path) -> subprocess.CompletedProcess[str]:
    """Types a command in the folder, with the programs of this environment."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-c", command],
        cwd=desk,
        env={**os.environ, "PATH": programs, "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=named)
def test_every_command_does_what_the_document_says(path: Path, desk: Path) -> None:
    for block in console(path):
        for command in block.commands:
            if skipped(command):
                continue
            expected = block.exit_code if command == block.commands[-1] else 0
            done = run(command, desk)
            assert done.returncode == expected, (
                f"{named(path)}:{block.line}: $ {command}\n{done.stdout}\n{done.stderr}"
            )


def test_commands_are_in_console_blocks() -> None:
    assert not [
        f"{named(path)}:{block.line}"
        for path in DOCUMENTS
        for block in blocks(path)
        if block.language in SHELL or (block.language == "console" and not block.commands)
    ]


def test_every_exception_is_still_in_a_document() -> None:
    written = {
        command for path in DOCUMENTS for block in console(path) for command in block.commands
    }
    assert sorted(NOT_RUN_HERE.keys() - written) == []


def test_every_link_leads_somewhere() -> None:
    broken = []
    for path in DOCUMENTS:
        for target in links(path):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            file, _, anchor = target.partition("#")
            there = (path.parent / file).resolve() if file else path
            if not there.exists() or (anchor and anchor not in anchors(there)):
                broken.append(f"{named(path)}: {target}")
    assert broken == []


def test_every_plan_in_a_document_is_valid() -> None:
    plans = [
        (f"{named(path)}:{block.line}", block.body)
        for path in DOCUMENTS
        for block in blocks(path)
        if block.language == "toml" and "[[workload]]" in block.body and "[[arm]]" in block.body
    ]
    assert plans
    for where, text in plans:
        build_experiment(parse_plan(tomllib.loads(text), where=where), where=where)


def test_every_document_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        reached.add(path)
        found = {(path.parent / target.partition("#")[0]).resolve() for target in links(path)}
        waiting += [one for one in found - reached if one.suffix == ".md" and one.exists()]
    assert sorted(named(path) for path in set((ROOT / "docs").rglob("*.md")) - reached) == []


def test_python_in_a_document_runs() -> None:
    for path in DOCUMENTS:
        code = [block.body for block in blocks(path) if block.language == "python"]
        exec(compile("\n".join(code), named(path), "exec"), {"__name__": "document"})
