"""CPU, memory, I/O and page faults of processes, and the CPU of the whole machine, over a stretch.

Probes run in the coordinating process, never in a worker: a thread reads /proc a few times a
second and keeps peaks and differences only, so its memory does not grow with the run.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ciphermark.errors import MeasurementError
from ciphermark.measurement.cpu import process_cpu_ns

__all__ = ["MachineCPU", "ProcessSample", "Sampler", "read_machine_cpu", "read_process"]

PROC = Path("/proc")
PERIOD_S = 0.25
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """One process at one moment; the counters grow from its start.

    `pss_bytes` (memory, shared pages divided among their users) and the bytes read and written are
    None when the kernel does not let us see them.
    """

    cpu_ns: int
    rss_bytes: int
    pss_bytes: int | None
    read_bytes: int | None
    written_bytes: int | None
    minor_faults: int
    major_faults: int


def read_process(pid: int, *, pss: bool = True) -> ProcessSample | None:
    """What process `pid` uses now; None when it is gone.

    Reading PSS walks all pages of the process: leave it out for servers with large caches.
    """
    folder = PROC / str(pid)
    try:
        stat = (folder / "stat").read_text().rpartition(")")[2].split()
        resident_pages = int((folder / "statm").read_text().split()[1])
        cpu_ns = process_cpu_ns(pid)
    except (OSError, IndexError, MeasurementError):
        return None
    io = _named_numbers(folder / "io")
    rollup = _named_numbers(folder / "smaps_rollup") if pss else {}
    return ProcessSample(
        cpu_ns=cpu_ns,
        rss_bytes=resident_pages * PAGE_BYTES,
        pss_bytes=rollup["Pss"] * 1024 if "Pss" in rollup else None,
        read_bytes=io.get("read_bytes"),
        written_bytes=io.get("write_bytes"),
        minor_faults=int(stat[7]),
        major_faults=int(stat[9]),
    )


def _named_numbers(path: Path) -> dict[str, int]:
    try:
        text = path.read_text()
    except OSError:  # another user's process, or one that ended
        return {}
    numbers = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        number = value.split()[:1]
        if number and number[0].isdigit():
            numbers[name] = int(number[0])
    return numbers


@dataclass(frozen=True, slots=True)
class MachineCPU:
    """CPU time of the whole machine since it was started, in ticks of all cores together."""

    total: int
    idle: int
    waiting_for_io: int
    stolen: int


def read_machine_cpu(root: Path = Path("/")) -> MachineCPU:
    """The first line of /proc/stat: user nice system idle iowait irq softirq steal guest …"""
    fields = (root / "proc/stat").read_text().split("\n", 1)[0].split()[1:]
    ticks = [int(field) for field in fields] + [0] * 8
    # Guests' time is contained in user and nice.
    return MachineCPU(sum(ticks[:8]), ticks[3], ticks[4], ticks[7])


class Sampler:
    """Samples processes in a thread of its own, from `start` to `stop`.

    `pids` is asked anew each time, so that processes which are started meanwhile are seen.
    """

    def __init__(
        self,
        pids: Callable[[], Sequence[int]] = lambda: (os.getpid(),),
        *,
        period_s: float = PERIOD_S,
        pss: bool = True,
    ) -> None:
        self._pids = pids
        self._period_s = period_s
        self._pss = pss
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._first: dict[int, ProcessSample] = {}
        self._last: dict[int, ProcessSample] = {}
        self._rss_peak_bytes = 0
        self._pss_peak_bytes = 0
        self._machine = read_machine_cpu()

    def start(self) -> None:
        """Takes the first sample and starts the thread."""
        assert self._thread is None
        self._machine = read_machine_cpu()
        self.sample()
        self._thread = threading.Thread(target=self._work, name="probes", daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """Takes the last sample and returns the figures of the stretch, by name."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.sample()
        return self._figures()

    def __enter__(self) -> Sampler:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def sample(self) -> None:
        """Reads all processes once."""
        now = {}
        for pid in self._pids():
            seen = read_process(pid, pss=self._pss)
            if seen is not None:
                now[pid] = seen
        for pid, seen in now.items():
            self._first.setdefault(pid, seen)
        self._last |= now
        self._rss_peak_bytes = max(
            self._rss_peak_bytes, sum(seen.rss_bytes for seen in now.values())
        )
        self._pss_peak_bytes = max(
            self._pss_peak_bytes, sum(seen.pss_bytes or 0 for seen in now.values())
        )

    def _work(self) -> None:
        while not self._stopped.wait(self._period_s):
            self.sample()

    def _figures(self) -> dict[str, float]:
        figures = {"rss_peak_bytes": float(self._rss_peak_bytes)}
        if self._pss_peak_bytes:
            figures["pss_peak_bytes"] = float(self._pss_peak_bytes)
        for name in ("read_bytes", "written_bytes", "minor_faults", "major_faults"):
            growth = self._growth(name)
            if growth is not None:
                figures[name] = float(growth)
        figures["cpu_s"] = (self._growth("cpu_ns") or 0) / 1e9
        return figures | self._machine_figures()

    def _growth(self, name: str) -> int | None:
        known = [
            getattr(last, name) - getattr(self._first[pid], name)
            for pid, last in self._last.items()
            if getattr(last, name) is not None and getattr(self._first[pid], name) is not None
        ]
        return sum(known) if known else None

    def _machine_figures(self) -> dict[str, float]:
        now, first = read_machine_cpu(), self._machine
        total = now.total - first.total
        if total <= 0:
            return {}
        idle = now.idle - first.idle + now.waiting_for_io - first.waiting_for_io
        return {
            "machine_cpu_busy": 1.0 - idle / total,
            "machine_cpu_waiting_for_io": (now.waiting_for_io - first.waiting_for_io) / total,
            "machine_cpu_stolen": (now.stolen - first.stolen) / total,
        }
