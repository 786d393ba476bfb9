"""CPU of servers, by copy; child processes stand in for servers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermark.engine.base import Copy
from ciphermark.run.server_cpu import ServerCPU

BURN = "import sys\nfor line in sys.stdin:\n    sum(range(2_000_000)); print('done', flush=True)\n"


def copies(arms: int, count: int) -> list[list[Copy]]:
    return [[Copy(f"arm{arm}", index, "") for index in range(count)] for arm in range(arms)]


def engine_with(pids: dict[tuple[str, int], Sequence[int]]) -> Any:
    return SimpleNamespace(server_pids=lambda copy: tuple(pids.get((copy.arm, copy.index), ())))


@pytest.fixture
def servers() -> Iterator[list[subprocess.Popen[str]]]:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    yield started
    for server in started:
        server.communicate()


def burn(server: subprocess.Popen[str]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("\n")
    server.stdin.flush()
    server.stdout.readline()


def test_each_copy_is_charged_with_its_own_server(servers: list[subprocess.Popen[str]]) -> None:
    for server in servers:
        burn(server)  # both have started by now
    engine = engine_with({("arm0", 0): [servers[0].pid], ("arm1", 0): [servers[1].pid]})
    meter = ServerCPU(engine, copies(2, 1))
    assert meter.apart
    before = meter.read()
    burn(servers[1])
    used = ServerCPU.between(before, meter.read())
    assert used[1, 0] > 1_000_000
    assert used[1, 0] > 10 * used[0, 0]


def test_copies_that_share_a_server_are_not_told_apart() -> None:
    import os

    engine = engine_with({("arm0", 0): [os.getpid()], ("arm1", 0): [os.getpid()]})
    assert not ServerCPU(engine, copies(2, 1)).apart


def test_an_embedded_engine_has_no_server() -> None:
    meter = ServerCPU(engine_with({}), copies(3, 2))
    assert meter.read() == {}
    assert meter.read([(0, 0)]) == {}
