"""Counts of one terminal, or of all terminals of one loop, within one slice."""

from __future__ import annotations

from ciphermark.errors import LoadError, Retryable
from ciphermark.loadgen.orders import CellTotals
from ciphermark.measurement.recorder import LatencyRecorder
from ciphermark.workload.base import Outcome

__all__ = ["ATTEMPTS_MAX", "Tally"]

ATTEMPTS_MAX = 1000
"""Failures of one transaction after which a terminal gives up: the database is stuck, not busy."""


class Tally:
    """Adds what a loop does to the totals of the cell that is under load."""

    __slots__ = ("_attempts", "_failing", "_index", "recorder", "totals")

    def __init__(self, recorder: LatencyRecorder) -> None:
        self.recorder = recorder
        self.totals = CellTotals()
        self._index = 0
        self._failing = -1
        self._attempts = 0

    def failed(self, error: Retryable, transaction: int) -> None:
        """Counts a failed attempt at the loop's transaction number `transaction`; never work.

        Raises `LoadError` when the same transaction has failed too often.
        """
        errors = self.totals.errors
        errors[error.kind] = errors.get(error.kind, 0) + 1
        self.totals.error_examples.setdefault(error.kind, error.what)
        self._attempts = self._attempts + 1 if transaction == self._failing else 1
        self._failing = transaction
        if self._attempts >= ATTEMPTS_MAX:
            raise LoadError(
                f"a transaction failed {self._attempts} times in a row ({error.kind})",
                remedy="Run fewer terminals, or raise the engine's busy or lock timeout",
            )

    def record(self, latency_ns: int, outcome: Outcome) -> None:
        """Stores one finished transaction; for loops that keep no index of their own."""
        index = self._index
        self.recorder.latencies[index] = latency_ns
        self.recorder.outcomes[index] = outcome
        self._index = index + 1
        if self._index == self.recorder.capacity:
            self.flush()

    def flush(self) -> None:
        """Bins what `record` stored."""
        self.take(self._index)
        self._index = 0

    def take(self, count: int) -> None:
        """Bins the first `count` recorded transactions; outside the measured phase."""
        self.totals.planned_rollbacks += self.recorder.drain_into(count, self.totals.histograms)
        self.totals.transactions += count
