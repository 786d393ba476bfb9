"""Takes latencies from the hot loop: two stores into preallocated buffers, binned afterwards."""

from __future__ import annotations

from array import array
from collections.abc import MutableMapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ciphermark.measurement.histogram import Histogram

__all__ = ["Drained", "LatencyRecorder"]

CAPACITY = 1 << 16
KINDS_MAX = 128


@dataclass(slots=True)
class Drained:
    """What a slice or block left in the buffers.

    `committed` holds a histogram for each kind of transaction that occurred, by its index in
    `Workload.transaction_names`; `planned_rollbacks` counts those that rolled back as planned,
    whose latencies are in no histogram.
    """

    committed: dict[int, Histogram] = field(default_factory=dict)
    planned_rollbacks: int = 0

    @property
    def transactions(self) -> int:
        """Committed transactions of all kinds."""
        return sum(histogram.count for histogram in self.committed.values())


class LatencyRecorder:
    """The buffers of one terminal, or of all terminals of one worker.

    The hot loop keeps its own index and writes `latencies[index]` (ns) and `outcomes[index]` (what
    the transaction returned: the index of its kind, or `~index` after a planned rollback). When
    the index reaches `capacity`, or the slice is over, it calls `drain` outside the clock and
    starts again at 0. Nothing is allocated in between.
    """

    __slots__ = ("_latencies_view", "_outcomes_view", "capacity", "latencies", "outcomes")

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self.latencies = array("q", bytes(8 * capacity))
        self.outcomes = array("b", bytes(capacity))
        # The views share the arrays' memory, so reading them copies nothing.
        self._latencies_view: NDArray[np.int64] = np.frombuffer(self.latencies, dtype=np.int64)
        self._outcomes_view: NDArray[np.int8] = np.frombuffer(self.outcomes, dtype=np.int8)

    def drain(self, count: int) -> Drained:
        """Bins the first `count` entries, by kind of transaction."""
        drained = Drained()
        drained.planned_rollbacks = self.drain_into(count, drained.committed)
        return drained

    def drain_into(self, count: int, committed: MutableMapping[int, Histogram]) -> int:
        """Adds the first `count` entries to the histograms; returns the planned rollbacks."""
        assert 0 <= count <= self.capacity
        if not count:
            return 0
        latencies, outcomes = self._latencies_view[:count], self._outcomes_view[:count]
        lowest, highest = int(outcomes.min()), int(outcomes.max())
        if lowest == highest and lowest >= 0:
            _histogram(committed, lowest).record_many(latencies)
            return 0
        for kind in range(highest + 1):
            chosen = latencies[outcomes == kind]
            if chosen.size:
                _histogram(committed, kind).record_many(chosen)
        return int((outcomes < 0).sum())


def _histogram(histograms: MutableMapping[int, Histogram], kind: int) -> Histogram:
    histogram = histograms.get(kind)
    if histogram is None:
        histogram = histograms[kind] = Histogram()
    return histogram
