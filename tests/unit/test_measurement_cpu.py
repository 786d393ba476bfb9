"""CPU clocks of this process and of children."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ciphermark.errors import MeasurementError
from ciphermark.measurement import cpu
from ciphermark.measurement.cpu import CPUMeter, own_cpu_ns, process_cpu_ns, process_tree

WAITING = "import sys; print('ready', flush=True); sys.stdin.read()"
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {WAITING!r}], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
child.communicate()
"""


def burn(duration_ns: int) -> None:
    """Uses CPU time of this process."""
    end_ns = own_cpu_ns() + duration_ns
    while own_cpu_ns() < end_ns:
        pass


@pytest.fixture
def family() -> Iterator[tuple[int, int]]:
    """The ids of a process and of its child, both waiting."""
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        lines = sorted([parent.stdout.readline().strip(), parent.stdout.readline().strip()])
        yield parent.pid, int(lines[0])


def test_the_clock_of_a_process_is_its_own_clock() -> None:
    before_ns = process_cpu_ns(os.getpid())
    burn(5_000_000)
    used_ns = process_cpu_ns(os.getpid()) - before_ns
    assert 5_000_000 <= used_ns < 5_000_000_000
    assert abs(process_cpu_ns(os.getpid()) - own_cpu_ns()) < 100_000_000


def test_a_process_that_is_gone_is_an_error() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    with pytest.raises(MeasurementError, match=f"process {child.pid} is gone"):
        process_cpu_ns(child.pid)
    with pytest.raises(MeasurementError, match="is gone"):
        CPUMeter([child.pid]).read_ns()


def test_the_tree_of_a_process_holds_its_descendants(family: tuple[int, int]) -> None:
    parent, child = family
    assert process_tree([parent]) == (parent, child)
    assert child in process_tree([os.getpid()])
    assert process_tree([parent, child, parent]).count(child) == 1


def test_the_meter_sums_over_the_tree(family: tuple[int, int]) -> None:
    parent, child = family
    together = CPUMeter([parent]).read_ns()
    alone = CPUMeter([parent], follow_children=False).read_ns()
    assert together >= alone + process_cpu_ns(child) * 0.5
    assert alone > 0


def fake_processes(monkeypatch: pytest.MonkeyPatch, used_ns: dict[int, int]) -> None:
    """Makes the meter see root 1 with the processes in `used_ns` below it."""

    def clock(pid: int) -> int:
        if pid not in used_ns:
            raise MeasurementError(f"process {pid} is gone")
        return used_ns[pid]

    monkeypatch.setattr(cpu, "process_tree", lambda roots: tuple(used_ns))
    monkeypatch.setattr(cpu, "process_cpu_ns", clock)


def test_a_child_that_ended_keeps_what_it_used(monkeypatch: pytest.MonkeyPatch) -> None:
    used_ns = {1: 100, 2: 50}
    fake_processes(monkeypatch, used_ns)
    meter = CPUMeter([1])
    assert meter.read_ns() == 150
    del used_ns[2]
    used_ns[1] = 130
    assert meter.read_ns() == 180


def test_a_number_that_is_used_again_is_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    used_ns = {1: 100, 2: 50}
    fake_processes(monkeypatch, used_ns)
    meter = CPUMeter([1])
    meter.read_ns()
    used_ns[2] = 7
    assert meter.read_ns() == 157
    used_ns[2] = 9
    assert meter.read_ns() == 159
