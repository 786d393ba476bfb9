"""No key leaves its file: not to the terminal, a process list, a result, a report or a journal."""

from __future__ import annotations

import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PLAN = """
schema_version = 1

[experiment]
name = "secrets"

[data]
copies = 2

[[arm]]
name = "plain"

[[arm]]
protection = { kind = "tde", cipher = ["chacha20", "aes256cbc"] }

[[workload]]
kind = "oltp_read_write"
table_size = 200
terminals = 2
modes = ["blocks"]
block_s = 0.2
block_rounds = 2
warm_up_s = 0.1
"""


@dataclass(frozen=True)
class Traces:
    """What a run left behind and what others could see of it meanwhile."""

    folder: Path
    printed: bytes
    command_lines: frozenset[bytes]
    environments: frozenset[bytes]


def process_file(pid: int, name: str) -> bytes:
    """What the system tells others of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def processes_below(pid: int) -> list[int]:
    """A process and all that it started."""
    children = process_file(pid, f"task/{pid}/children").split()
    return [pid, *(found for child in children for found in processes_below(int(child)))]


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    """A run that keeps its data, watched from outside."""
    desk = tmp_path_factory.mktemp("secrets")
    (desk / "plan.toml").write_text(PLAN)
    program = "from ciphermark.cli.main import main; main()"
    command = [sys.executable, "-c", program, "--debug", "run", "plan.toml", "--out", "out"]
    command_lines: set[bytes] = set()
    environments: set[bytes] = set()
    with subprocess.Popen(
        [*command, "--keep-data", "--progress", "plain"],
        cwd=desk,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as running:
        while True:
            for process in processes_below(running.pid):
                command_lines.add(process_file(process, "cmdline"))
                environments.add(process_file(process, "environ"))
            try:
                printed, _ = running.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                continue
    assert running.returncode in (0, 4), printed.decode()  # so short a run may be too noisy
    return Traces(desk / "out", printed, frozenset(command_lines), frozenset(environments))


def key_files(folder: Path) -> list[Path]:
    """The files of the arms' keys."""
    found = [path for path in (folder / "keys").rglob("*") if path.is_file()]
    assert len(found) == 2
    return found


def forms(path: Path) -> list[bytes]:
    """The ways in which a key could be written."""
    text = path.read_text().strip()
    key = bytes.fromhex(text)
    assert len(key) == 32
    return [key, text.lower().encode(), text.upper().encode(), str(list(key)).encode()]


def test_a_key_is_in_no_file_but_its_own(traces: Traces) -> None:
    keys = key_files(traces.folder)
    others = [path for path in traces.folder.rglob("*") if path.is_file() and path not in keys]
    assert {"result.json", "report.html", "report.md", "journal.jsonl"} <= {p.name for p in others}
    for key in keys:
        for path in others:
            content = path.read_bytes()
            assert not any(form in content for form in forms(key)), path


def test_a_key_is_neither_printed_nor_seen_in_a_process_list(traces: Traces) -> None:
    assert len(traces.command_lines) > 1, "no worker was seen"
    seen = traces.command_lines | traces.environments
    for key in key_files(traces.folder):
        for form in forms(key):
            assert form not in traces.printed
            assert not any(form in text for text in seen)


def test_only_the_owner_can_read_a_key(traces: Traces) -> None:
    assert stat.S_IMODE((traces.folder / "keys").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in key_files(traces.folder)} == {0o600}


def test_every_arm_has_a_key_of_its_own(traces: Traces) -> None:
    first, second = (path.read_text() for path in key_files(traces.folder))
    assert first != second
