"""A worker: one process with its share of the terminals and a session to every live copy.

It opens its sessions once, so that switching arms costs nothing, and then runs the batches that
the coordinator sends. Before each slice it waits at the gate until every worker has drained the
last one; only then does anybody begin the next.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import signal
import struct
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ciphermark.engine.base import Session, SessionKind
from ciphermark.errors import CiphermarkError, LoadError
from ciphermark.loadgen.cells import (
    CellRunner,
    SliceGoal,
    cell_runner,
    counted,
    intended_starts,
)
from ciphermark.loadgen.orders import Cell, CellTotals, LoadSpec, SliceOrder, SliceTimes
from ciphermark.loadgen.tally import Tally
from ciphermark.measurement.recorder import LatencyRecorder

__all__ = ["GO", "READY", "Worker", "worker_main"]

READY = b"r"
GO = struct.Struct("<q")
"""The coordinator's answer at the gate: when the slice begins, monotonic ns."""

DRAWN_MAX = 20_000
"""Transactions a terminal draws random values for ahead of a slice; a longer one draws more on
the way."""
PR_SET_PDEATHSIG = 1


class OwnTransfers:
    """Bytes that this process has read and written through system calls, from /proc/self/io."""

    def __init__(self) -> None:
        self._descriptor = os.open("/proc/self/io", os.O_RDONLY)

    def read(self) -> tuple[int, int]:
        """(read, written) since the process began."""
        fields = os.pread(self._descriptor, 256, 0).split(None, 4)
        return int(fields[1]), int(fields[3])

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)


WorkerBatch = tuple[dict[Cell, CellTotals], SliceTimes]


class Worker:
    """The terminals of one worker, and what they need to run a batch."""

    def __init__(self, spec: LoadSpec, number: int) -> None:
        self._spec = spec
        self._terminals = spec.terminals_of(number)
        self._number = number
        multiplexed = spec.engine.session_kind is SessionKind.MULTIPLEXED
        self._loops = 1 if multiplexed else len(self._terminals)
        self._recorders = [LatencyRecorder() for _ in range(self._loops)]
        self._threads = None if self._loops == 1 else ThreadPoolExecutor(max_workers=self._loops)
        self._programs = [
            spec.workload.program(spec.engine.dialect, terminal, spec.terminals)
            for terminal in self._terminals
        ]
        self._runners: dict[Cell, CellRunner] = {}
        self._cache_seen: dict[Cell, tuple[int, int]] = {}
        self._fastest_ns = 1e9
        self._transfers = OwnTransfers()

    def open(self) -> None:
        """Opens a session for each terminal to each live copy of each arm."""
        for cell in self._spec.cells:
            runner = cell_runner(self._spec, cell, self._programs, self._threads)
            self._runners[cell] = runner
            runner.restore()  # an interrupted run may have left rows behind

    def close(self) -> None:
        """Closes all sessions and ends the threads."""
        for runner in self._runners.values():
            runner.close()
        self._transfers.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def run_batch(self, orders: Sequence[SliceOrder], gate: Callable[[], int]) -> WorkerBatch:
        """Runs the slices in their order; `gate` returns when a slice may begin."""
        cells: dict[Cell, CellTotals] = {}
        starts = np.zeros(len(orders), dtype=np.int64)
        ends = np.zeros(len(orders), dtype=np.int64)
        finished = np.zeros(len(orders), dtype=np.int64)
        gc.collect()
        gc.disable()
        try:
            for position, order in enumerate(orders):
                totals = cells.setdefault(order.cell, CellTotals())
                before = totals.transactions
                starts[position], ends[position] = self._run_slice(order, totals, gate)
                finished[position] = totals.transactions - before
        finally:
            gc.enable()
        for cell, totals in cells.items():
            self._count_cache(cell, totals)
        return cells, SliceTimes(starts, ends, finished)

    def _run_slice(
        self, order: SliceOrder, totals: CellTotals, gate: Callable[[], int]
    ) -> tuple[int, int]:
        runner = self._runners[order.cell]
        self._rewind(order)
        tallies = [Tally(recorder) for recorder in self._recorders]
        offsets_ns = self._intended_starts(order)
        executed = counted(runner.sessions)
        goal = SliceGoal.of(order, gate(), offsets_ns)
        read, written = self._transfers.read()
        cpu_ns = time.process_time_ns()
        begin_ns, end_ns = runner.run(goal, tallies)
        totals.cpu_ns += time.process_time_ns() - cpu_ns
        read_after, written_after = self._transfers.read()
        totals.read_bytes += read_after - read
        totals.written_bytes += written_after - written
        totals.rounds += 1
        after = counted(runner.sessions)
        totals.queries += after.queries - executed.queries
        totals.changes += after.changes - executed.changes
        totals.unchanged += after.unchanged - executed.unchanged
        totals.controls += after.controls - executed.controls
        for tally in tallies:
            totals.add(tally.totals)
        self._learn_speed(tallies, end_ns - begin_ns)
        runner.restore()
        return begin_ns, end_ns

    def _intended_starts(self, order: SliceOrder) -> tuple[list[int], ...]:
        """Drawn before the gate, so that a long list delays nobody."""
        return intended_starts(
            self._spec,
            order,
            loops=self._loops,
            share=len(self._terminals) / self._spec.terminals,
            seed=self._seed(order.round, self._spec.terminals + self._number),
        )

    def _rewind(self, order: SliceOrder) -> None:
        expected = order.count or int((order.duration_ns or 0) / self._fastest_ns * 1.25) + 8
        for terminal, program in zip(self._terminals, self._programs, strict=True):
            program.rewind(self._seed(order.round, terminal), min(expected, DRAWN_MAX))

    def _seed(self, round_number: int, terminal: int) -> np.random.SeedSequence:
        """From experiment, point, round and terminal, never from the arm."""
        return np.random.SeedSequence(
            self._spec.seed, spawn_key=(self._spec.stream, round_number, terminal)
        )

    def _learn_speed(self, tallies: Sequence[Tally], time_ns: int) -> None:
        """Remembers the shortest mean time of a transaction, to know how many to draw ahead."""
        finished = sum(tally.totals.transactions for tally in tallies) / len(self._terminals)
        if finished:
            self._fastest_ns = min(self._fastest_ns, max(time_ns / finished, 1.0))

    def _count_cache(self, cell: Cell, totals: CellTotals) -> None:
        """Page cache hits and misses of the cell's sessions, where the engine tells them."""
        hits = misses = 0
        for session in self._runners[cell].sessions:
            status = _cache_status(session)
            hits, misses = hits + status[0], misses + status[1]
        seen = self._cache_seen.get(cell, (0, 0))
        totals.cache_hits, totals.cache_misses = hits - seen[0], misses - seen[1]
        self._cache_seen[cell] = (hits, misses)


def _cache_status(session: Session) -> tuple[int, int]:
    read = getattr(session, "cache_status", None)
    if read is None:
        return 0, 0
    status = read()
    return status.hits, status.misses


def worker_main(link: Connection, spec: LoadSpec, number: int, parent: int) -> None:
    """The life of a worker process; ends when told to, or when the coordinator is gone."""
    _end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the coordinator decides what Ctrl-C means
    worker = Worker(spec, number)
    try:
        worker.open()
        gc.collect()
        gc.freeze()
        link.send(("opened", None))
        while (orders := link.recv()) is not None:
            link.send(("batch", worker.run_batch(orders, _gate(link, spec.workers))))
    except EOFError:
        pass
    except Exception as error:
        _tell(link, error)
    finally:
        worker.close()
        link.close()


def _gate(link: Connection, workers: int) -> Callable[[], int]:
    """Waits for the other workers; a worker that is alone need not wait."""
    if workers == 1:
        return time.perf_counter_ns

    def wait_at_gate() -> int:
        link.send_bytes(READY)
        (begin_ns,) = GO.unpack(link.recv_bytes())
        return int(begin_ns)

    return wait_at_gate


def _tell(link: Connection, error: Exception) -> None:
    """Sends an error to the coordinator; one that is not ours becomes one that can travel."""
    known = error
    if not isinstance(error, CiphermarkError):
        known = LoadError(f"a worker failed: {type(error).__name__}: {error}")
    try:
        link.send(("error", known))
    except (OSError, pickle.PicklingError):
        return


def _end_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when the coordinator dies, however it dies."""
    libc: Any = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
