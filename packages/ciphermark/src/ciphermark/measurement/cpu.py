"""CPU time of processes, from their CPU clocks: every thread, ended ones included.

A process's CPU clock is a POSIX clock whose number is made from the process's id. Reading it takes
a few microseconds and has the resolution of the scheduler, nanoseconds; sums over
`/proc/PID/task` would lose the threads that have ended.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ciphermark.errors import MeasurementError

__all__ = ["CPUMeter", "own_cpu_ns", "process_cpu_ns", "process_tree"]

PROC = Path("/proc")


def own_cpu_ns() -> int:
    """CPU time of this process, all threads, ns."""
    return time.process_time_ns()


def process_cpu_ns(pid: int) -> int:
    """CPU time of process `pid`, all threads, ns; raises `MeasurementError` when it is gone."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError as error:
        raise MeasurementError(
            f"process {pid} is gone: its CPU time cannot be read",
            remedy="See the server's own log for why it ended",
        ) from error


def process_tree(roots: Iterable[int]) -> tuple[int, ...]:
    """The processes `roots` and all their descendants that live now, each once."""
    children = _children_by_parent()
    found: dict[int, None] = {}
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = None
            waiting.extend(children.get(pid, ()))
    return tuple(found)


def _children_by_parent() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text()
        except OSError:  # it ended while the folder was read
            continue
        # The command's name stands in parentheses and may hold anything; the parent follows it.
        parent = int(text.rpartition(")")[2].split()[1])
        children.setdefault(parent, []).append(int(folder.name))
    return children


class CPUMeter:
    """CPU time of a process tree that only ever grows.

    A descendant that ended keeps what it had used when it was last read; what it used after that
    is lost, so read at every batch border. A root that ended is an error.
    """

    def __init__(self, roots: Sequence[int], *, follow_children: bool = True) -> None:
        self._roots = tuple(roots)
        self._follow_children = follow_children
        self._used_ns: dict[int, int] = {}
        self._ended_ns = 0

    def read_ns(self) -> int:
        """CPU time of the tree so far, ns; raises `MeasurementError` when a root is gone."""
        pids = process_tree(self._roots) if self._follow_children else self._roots
        for pid in pids:
            try:
                used_ns = process_cpu_ns(pid)
            except MeasurementError:
                if pid in self._roots:
                    raise
                continue
            if used_ns < self._used_ns.get(pid, 0):  # the number was given to a new process
                self._ended_ns += self._used_ns[pid]
            self._used_ns[pid] = used_ns
        return self._ended_ns + sum(self._used_ns.values())
