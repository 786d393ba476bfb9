"""What the coordinator tells its workers, and what they tell back; all of it can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ciphermark.engine.base import Copy, Engine, StatementMode
from ciphermark.measurement.histogram import Histogram
from ciphermark.workload.base import Workload

__all__ = ["BatchReport", "Cell", "CellTotals", "LoadSpec", "SliceOrder", "SliceTimes"]

Cell = tuple[int, int]
"""(arm, copy), both as indices into `LoadSpec.copies`."""

CELL_STREAM = 0xCE11
"""Keeps the order of cells apart from all other random values."""


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """Everything a worker needs to open its sessions and to make its terminals' transactions.

    `copies[arm][copy]` are the loaded instances. `seed` and `stream` (the number of the point) are
    the roots of all random numbers; the arm is not among them, so that all arms replay the same
    transactions. `rate_tps` is over all terminals; None means a closed loop.
    """

    engine: Engine
    workload: Workload
    copies: tuple[tuple[Copy, ...], ...]
    statement_mode: StatementMode
    terminals: int
    workers: int
    seed: int
    stream: int
    rate_tps: float | None = None
    latency_limit_ns: int | None = None
    draw: int = 0

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells in a random order, which depends on seed, point and draw.

        What is opened and warmed up first lies elsewhere in memory and in the caches, and stays
        there: in a fixed order the first arm would differ from its own repeat by some tenths of a
        per cent of CPU.
        """
        cells = [
            (arm, copy) for arm, copies in enumerate(self.copies) for copy in range(len(copies))
        ]
        seed = np.random.SeedSequence(self.seed, spawn_key=(self.stream, self.draw, CELL_STREAM))
        order = np.random.Generator(np.random.PCG64(seed)).permutation(len(cells))
        return tuple(cells[number] for number in order.tolist())

    def terminals_of(self, worker: int) -> range:
        """The terminals of worker `worker`: a contiguous share, as equal as can be."""
        share, rest = divmod(self.terminals, self.workers)
        first = worker * share + min(worker, rest)
        return range(first, first + share + (1 if worker < rest else 0))


@dataclass(frozen=True, slots=True)
class SliceOrder:
    """One arm under load, by time or by a count of transactions for each terminal."""

    cell: Cell
    round: int
    duration_ns: int | None
    count: int | None = None

    def __post_init__(self) -> None:
        assert (self.duration_ns is None) != (self.count is None)


@dataclass(frozen=True, slots=True)
class SliceTimes:
    """Begin of the first and end of the last transaction of each slice, monotonic nanoseconds."""

    starts_ns: NDArray[np.int64]
    ends_ns: NDArray[np.int64]
    transactions: NDArray[np.int64]


@dataclass(slots=True)
class CellTotals:
    """What one cell did in one batch, in one worker or, merged, in all.

    `time_ns` is wall time under load and only known after merging. `cpu_ns` is the CPU of the
    worker processes: client and, for an embedded engine, the database. `lag_ns` is the delay of
    the starts behind the intended starts in the open loop, summed; `late` counts transactions over
    the latency limit, `unstarted` arrivals that never began, `abandoned` transactions that had not
    succeeded at the deadline. `read_bytes` and `written_bytes` went through system calls.
    `transactions` includes planned rollbacks; `histograms` holds the committed ones, by kind.
    """

    rounds: int = 0
    transactions: int = 0
    planned_rollbacks: int = 0
    queries: int = 0
    changes: int = 0
    unchanged: int = 0
    controls: int = 0
    time_ns: int = 0
    cpu_ns: int = 0
    late: int = 0
    lag_ns: int = 0
    unstarted: int = 0
    abandoned: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    error_examples: dict[str, str] = field(default_factory=dict)
    cache_hits: int = 0
    cache_misses: int = 0
    histograms: dict[int, Histogram] = field(default_factory=dict)

    def add(self, other: CellTotals) -> None:
        """Adds what another worker did in the same slices; rounds and time are not summed."""
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for kind, count in other.errors.items():
            self.errors[kind] = self.errors.get(kind, 0) + count
            self.error_examples.setdefault(kind, other.error_examples.get(kind, ""))
        for kind_of_transaction, histogram in other.histograms.items():
            self.histograms.setdefault(kind_of_transaction, Histogram()).merge(histogram)


_SUMMED = (
    "transactions",
    "planned_rollbacks",
    "queries",
    "changes",
    "unchanged",
    "controls",
    "cpu_ns",
    "late",
    "lag_ns",
    "unstarted",
    "abandoned",
    "read_bytes",
    "written_bytes",
    "cache_hits",
    "cache_misses",
)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a batch came to: totals by cell, and the wall time of each slice."""

    cells: dict[Cell, CellTotals]
    times: SliceTimes
    orders: tuple[SliceOrder, ...]
    clock_warning: str = ""
