"""Probes of this process, of processes that cannot be seen, and of made-up ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ciphermark.measurement import probes
from ciphermark.measurement.probes import (
    MachineCPU,
    ProcessSample,
    Sampler,
    read_machine_cpu,
    read_process,
)


def test_this_process_can_be_seen() -> None:
    seen = read_process(os.getpid())
    assert seen is not None
    assert seen.rss_bytes > 1_000_000
    assert seen.cpu_ns > 1_000_000
    assert seen.pss_bytes is not None
    assert seen.pss_bytes <= seen.rss_bytes * 1.2
    assert seen.written_bytes is not None
    assert seen.minor_faults > 0
    unseen = read_process(os.getpid(), pss=False)
    assert unseen is not None
    assert unseen.pss_bytes is None


def test_a_process_that_is_gone_is_none() -> None:
    assert read_process(2**22 + 1) is None


def test_what_the_kernel_hides_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "7"
    folder.mkdir()
    fields = ["S", "1", "7", "7", "0", "-1", "0", "21", "0", "3", "0"]
    (folder / "stat").write_text("7 (a) name) (b) " + " ".join(fields))
    (folder / "statm").write_text("100 10 5 1 0 20 0")
    monkeypatch.setattr(probes, "PROC", tmp_path)
    monkeypatch.setattr(probes, "process_cpu_ns", lambda pid: 100 + pid)
    seen = read_process(7)
    assert seen == ProcessSample(107, 10 * probes.PAGE_BYTES, None, None, None, 21, 3)


def test_the_machines_cpu_is_read(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  10 1 5 70 4 0 2 8 3 0\ncpu0 1 2 3\n")
    assert read_machine_cpu(tmp_path) == MachineCPU(100, 70, 4, 8)
    assert read_machine_cpu().total > 0


class Machine:
    """Processes that a sampler sees instead of the real ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processes: dict[int, ProcessSample] = {}
        self.cpu = MachineCPU(1000, 500, 100, 10)
        monkeypatch.setattr(probes, "read_process", lambda pid, pss: self.processes.get(pid))
        monkeypatch.setattr(probes, "read_machine_cpu", lambda: self.cpu)

    def sampler(self) -> Sampler:
        """A sampler that samples only when it is told to."""
        return Sampler(lambda: tuple(self.processes), period_s=3600.0)


def test_figures_are_peaks_and_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.processes = {1: ProcessSample(10**9, 100, 90, 1000, 0, 5, 1)}
    sampler = machine.sampler()
    sampler.start()
    machine.processes = {
        1: ProcessSample(2 * 10**9, 300, 200, 1500, 4096, 8, 1),
        2: ProcessSample(0, 50, 40, 10, 0, 2, 0),
    }
    sampler.sample()
    machine.processes = {2: ProcessSample(5 * 10**8, 60, 50, 30, 8192, 3, 0)}
    machine.cpu = MachineCPU(1100, 540, 110, 15)
    assert sampler.stop() == {
        "rss_peak_bytes": 350.0,
        "pss_peak_bytes": 240.0,
        "read_bytes": 520.0,
        "written_bytes": 4096.0 + 8192.0,
        "minor_faults": 4.0,
        "major_faults": 0.0,
        "cpu_s": 1.5,
        "machine_cpu_busy": 0.5,
        "machine_cpu_waiting_for_io": 0.1,
        "machine_cpu_stolen": 0.05,
    }


def test_what_cannot_be_seen_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    machine.processes = {1: ProcessSample(7, 100, None, None, None, 5, 1)}
    sampler = machine.sampler()
    sampler.start()
    assert sampler.stop() == {
        "rss_peak_bytes": 100.0,
        "minor_faults": 0.0,
        "major_faults": 0.0,
        "cpu_s": 0.0,
    }


def test_a_sampler_works_until_it_is_stopped() -> None:
    with Sampler(period_s=0.001) as sampler:
        figures = sampler.stop()
    assert figures["rss_peak_bytes"] > 1_000_000
    assert figures["written_bytes"] >= 0
