"""The coordinator's side of the workers: starts them, leads them through batches, ends them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any

import numpy as np

from ciphermark.errors import LoadError, WorkerLost
from ciphermark.loadgen.orders import (
    BatchReport,
    Cell,
    CellTotals,
    LoadSpec,
    SliceOrder,
    SliceTimes,
)
from ciphermark.loadgen.worker import GO, READY, WorkerBatch, worker_main
from ciphermark.measurement.clock import ClockWatch

__all__ = ["WorkerPool", "default_workers"]

NS_PER_S = 1_000_000_000
OPEN_PATIENCE_S = 120.0
DRAIN_PATIENCE_S = 120.0
"""How much longer than planned a slice may take before a worker counts as hung."""
BLOCKING_WORKERS_MAX = 16


def default_workers(terminals: int, *, multiplexed: bool) -> int:
    """One process per core for multiplexed sessions; one per terminal for blocking ones, up to 16.

    Threads of one process share the interpreter's lock, so a blocking terminal gets a process of
    its own as long as there are few.
    """
    cores = len(os.sched_getaffinity(0))
    return min(terminals, cores if multiplexed else max(cores, BLOCKING_WORKERS_MAX))


class WorkerPool:
    """Worker processes of one point; a context manager that leaves none behind."""

    def __init__(self, spec: LoadSpec) -> None:
        self._spec = spec
        self._processes: list[SpawnProcess] = []
        self._links: list[Connection] = []
        self._watch = ClockWatch()

    def __enter__(self) -> WorkerPool:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the workers."""
        return tuple(process.pid for process in self._processes if process.pid is not None)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        for number in range(self._spec.workers):
            mine, theirs = context.Pipe()
            process = context.Process(
                target=worker_main,
                args=(theirs, self._spec, number, os.getpid()),
                name=f"ciphermark-worker-{number}",
                daemon=True,
            )
            process.start()
            theirs.close()
            self._processes.append(process)
            self._links.append(mine)
        for number in range(self._spec.workers):
            self._receive(number, OPEN_PATIENCE_S)

    def run(self, orders: Sequence[SliceOrder]) -> BatchReport:
        """Runs one batch; raises `WorkerLost` when a worker died, and what a worker raised."""
        self._watch.check()
        for number, link in enumerate(self._links):
            self._send(number, link, tuple(orders))
        if self._spec.workers > 1:
            self._lead(orders)
        patience_s = DRAIN_PATIENCE_S + sum(order.duration_ns or 0 for order in orders) / NS_PER_S
        parts: list[WorkerBatch] = [
            self._receive(number, patience_s) for number in range(self._spec.workers)
        ]
        return _merge(parts, tuple(orders), "; ".join(self._watch.check().problems))

    def _send(self, number: int, link: Connection, message: object) -> None:
        try:
            link.send(message)
        except OSError as error:
            raise self._lost(number) from error

    def _lead(self, orders: Sequence[SliceOrder]) -> None:
        """Opens the gate for each slice once every worker stands before it."""
        before = 0
        for order in orders:
            patience_s = DRAIN_PATIENCE_S + before / NS_PER_S
            for number in range(self._spec.workers):
                self._await_ready(number, patience_s)
            message = GO.pack(time.perf_counter_ns())
            for number, link in enumerate(self._links):
                try:
                    link.send_bytes(message)
                except OSError as error:
                    raise self._lost(number) from error
            before = order.duration_ns or 0

    def _await_ready(self, number: int, patience_s: float) -> None:
        message = self._read(number, patience_s)
        if message != READY:
            self._understand(pickle.loads(message))  # noqa: S301  # from our own child

    def _receive(self, number: int, patience_s: float) -> Any:
        return self._understand(pickle.loads(self._read(number, patience_s)))  # noqa: S301

    def _read(self, number: int, patience_s: float) -> bytes:
        link = self._links[number]
        try:
            if not link.poll(patience_s):
                raise LoadError(
                    f"worker {number} has not answered for {patience_s:.0f} s",
                    remedy="The database or the disk hangs; see their logs",
                )
            return link.recv_bytes()
        except (EOFError, OSError) as error:
            raise self._lost(number) from error

    @staticmethod
    def _understand(message: tuple[str, Any]) -> Any:
        kind, content = message
        if kind == "error":
            raise content
        return content

    def _lost(self, number: int) -> WorkerLost:
        process = self._processes[number]
        process.join(timeout=5)
        code = process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return WorkerLost(
            f"worker {number} ended {how} in the middle of a batch",
            remedy="The batch is discarded, what was finished before is kept; if the kernel "
            "killed it for want of memory, use fewer terminals or a smaller cache",
        )

    def close(self) -> None:
        """Ends all workers: politely, then by force."""
        for link in self._links:
            try:
                link.send(None)
            except OSError:
                continue
        deadline = time.monotonic() + 2.0
        for process in self._processes:
            process.join(timeout=max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        for link in self._links:
            link.close()
        self._links.clear()


def _merge(
    parts: Sequence[WorkerBatch], orders: tuple[SliceOrder, ...], clock_warning: str
) -> BatchReport:
    """One report from the workers' parts; a slice lasts from its first start to its last end."""
    cells: dict[Cell, CellTotals] = {}
    for part, _ in parts:
        for cell, totals in part.items():
            cells.setdefault(cell, CellTotals(rounds=totals.rounds)).add(totals)
    starts = np.min([times.starts_ns for _, times in parts], axis=0)
    ends = np.max([times.ends_ns for _, times in parts], axis=0)
    finished = np.sum([times.transactions for _, times in parts], axis=0)
    for order, length_ns in zip(orders, (ends - starts).tolist(), strict=True):
        cells[order.cell].time_ns += length_ns
    return BatchReport(cells, SliceTimes(starts, ends, finished), orders, clock_warning)
