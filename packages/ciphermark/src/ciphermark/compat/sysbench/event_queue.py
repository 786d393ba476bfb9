"""The queue of the open loop: events are put in at a rate, whether or not anybody takes them."""

from __future__ import annotations

import queue
import threading
import time
from typing import Protocol

import numpy as np

__all__ = ["QUEUE_LENGTH_MAX", "EventQueue"]

QUEUE_LENGTH_MAX = 131_072
_CHUNK = 1024
_PATIENCE_S = 0.05
"""How long a thread waits for an event before it looks whether the run is over."""


class _Deadline(Protocol):
    deadline_ns: int
    cut_off: bool


class EventQueue:
    """Times at which events were put in; the gaps between them are exponential with mean 1/rate.

    Planned times add up, so a generator that wakes up late catches up at once.
    """

    def __init__(self, rate_per_s: float, seed: np.random.SeedSequence) -> None:
        self._mean_ns = 1e9 / rate_per_s
        self._generator = np.random.default_rng(seed)
        self._events: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._generate, daemon=True)
        self.overflowed = threading.Event()
        """Set when nobody keeps up with the rate."""

    def start(self) -> None:
        """Starts to put events in."""
        self._thread.start()

    def stop(self) -> None:
        """Puts in no more events; those in the queue are dropped with it."""
        self._stop.set()

    @property
    def length(self) -> int:
        """Events that wait."""
        return self._events.qsize()

    def take(self, limits: _Deadline) -> int | None:
        """When the next event was put in; None when none came before the time limit."""
        left_s = (limits.deadline_ns - time.perf_counter_ns()) / 1e9
        while left_s > 0 and not limits.cut_off:
            try:
                return self._events.get(timeout=min(left_s, _PATIENCE_S))
            except queue.Empty:
                left_s = (limits.deadline_ns - time.perf_counter_ns()) / 1e9
        return None

    def _generate(self) -> None:
        planned_ns = float(time.perf_counter_ns())
        while not self._stop.is_set():
            for gap_ns in self._generator.exponential(self._mean_ns, _CHUNK).tolist():
                planned_ns += gap_ns
                if not self._wait_until(planned_ns):
                    return
                if self.length >= QUEUE_LENGTH_MAX:
                    self.overflowed.set()
                    return
                self._events.put(time.perf_counter_ns())

    def _wait_until(self, planned_ns: float) -> bool:
        """Sleeps until the planned time, if it is ahead; False when the run is over."""
        ahead_s = (planned_ns - time.perf_counter_ns()) / 1e9
        return not (self._stop.wait(ahead_s) if ahead_s > 0 else self._stop.is_set())
