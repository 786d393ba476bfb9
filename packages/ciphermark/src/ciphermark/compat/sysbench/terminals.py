"""The worker threads of a run: each executes events until a limit is reached."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, repeat

import numpy as np

from ciphermark.compat.sysbench.event_queue import EventQueue
from ciphermark.engine.base import Session, StatementCounters
from ciphermark.errors import CiphermarkError, Retryable
from ciphermark.loadgen.blocking import FOREVER_NS, execute_transaction
from ciphermark.workload.base import TerminalProgram

__all__ = ["Counts", "Limits", "Terminal"]

_DRAWN_AHEAD = 1000
"""Events that a thread draws random values for before the clock starts."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Statements by what they did, and errors that restarted an event; only ever growing."""

    read: int = 0
    write: int = 0
    other: int = 0
    errors: int = 0

    def __add__(self, more: Counts) -> Counts:
        return Counts(
            self.read + more.read,
            self.write + more.write,
            self.other + more.other,
            self.errors + more.errors,
        )

    def __sub__(self, earlier: Counts) -> Counts:
        return Counts(
            self.read - earlier.read,
            self.write - earlier.write,
            self.other - earlier.other,
            self.errors - earlier.errors,
        )

    @property
    def queries(self) -> int:
        """All statements."""
        return self.read + self.write + self.other


class Limits:
    """What ends a run, shared by all threads and checked before each event.

    `events` counts over all threads; 0 is no limit. The time limit is set when the clock starts.
    """

    def __init__(self, events: int, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._events = events
        self._clock = clock
        self._numbers: Iterator[int] = repeat(-1)
        self.deadline_ns = FOREVER_NS
        self.cut_off = False
        """Set when an error, or a forced shutdown, ends the run at once."""

    def count_events(self) -> None:
        """Starts to count events; those of the warm-up are not limited."""
        if self._events:
            self._numbers = count()

    def reached(self) -> str:
        """Why no further event may start, or "" when one may."""
        if self.cut_off:
            return "Cut off, exiting..."
        if self._clock() >= self.deadline_ns:
            return "Time limit exceeded, exiting..."
        # Drawing a number is atomic, so no event is started twice.
        if next(self._numbers) >= self._events > 0:
            return "Event limit exceeded, exiting..."
        return ""


class Terminal:
    """One thread with its session and its program.

    Latencies are appended by the thread and taken away by `drain` from another one; both are
    single operations of the interpreter, so no lock is needed.
    """

    def __init__(
        self,
        number: int,
        connect: Callable[[], Session],
        program: TerminalProgram,
        seed: np.random.SeedSequence,
        limits: Limits,
        queue: EventQueue | None,
        go: threading.Event,
    ) -> None:
        self.number = number
        self.ready = threading.Event()
        self.ended = threading.Event()
        self.error: CiphermarkError | None = None
        self.reason = ""
        """Why the thread ended."""
        self.busy = False
        """Whether an event is under way."""
        self._connect = connect
        self._program = program
        self._seed = seed
        self._limits = limits
        self._queue = queue
        self._go = go
        self._errors = 0
        self._latencies: list[int] = []
        self._counters = StatementCounters()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def start(self) -> None:
        """Starts the thread: it connects, and begins its events when `go` is set."""
        self._thread.start()

    def counts(self) -> Counts:
        """What the thread's session has done so far."""
        counters = self._counters
        return Counts(
            read=counters.queries,
            write=counters.changes - counters.unchanged,
            other=counters.controls + counters.unchanged,
            errors=self._errors,
        )

    def drain(self) -> list[int]:
        """The latencies of the events that ended since the last call, in nanoseconds."""
        latencies = self._latencies
        number = len(latencies)
        taken = latencies[:number]
        del latencies[:number]
        return taken

    def _live(self) -> None:
        try:
            self._work()
        except CiphermarkError as error:
            self.error = error
            self._limits.cut_off = True
        finally:
            self.ready.set()
            self.ended.set()

    def _work(self) -> None:
        session = self._connect()
        try:
            self._counters = session.counters
            self._program.rewind(self._seed, _DRAWN_AHEAD)
            self.ready.set()
            self._go.wait()
            if self._queue is None:
                self._closed_loop(session)
            else:
                self._open_loop(session, self._queue)
            last = self._program.finish()
            if last is not None and not self._limits.cut_off:
                execute_transaction(session, last)
        finally:
            session.close()

    def _closed_loop(self, session: Session) -> None:  # hot path
        """One event after the other."""
        clock, limits, record = time.perf_counter_ns, self._limits, self._latencies.append
        while not (reason := limits.reached()):
            started_ns = clock()
            self.busy = True
            finished = self._event(session)
            self.busy = False
            if finished:
                record(clock() - started_ns)
        self.reason = reason

    def _open_loop(self, session: Session, queue: EventQueue) -> None:  # hot path
        """Events as they come out of the queue; the wait in it is part of the latency."""
        clock, limits, record = time.perf_counter_ns, self._limits, self._latencies.append
        while not (reason := limits.reached()):
            enqueued_ns = queue.take(limits)
            if enqueued_ns is None:
                continue
            self.busy = True
            finished = self._event(session)
            self.busy = False
            if finished:
                record(clock() - enqueued_ns)
        self.reason = reason

    def _event(self, session: Session) -> bool:
        """One event, started anew with new values until it succeeds; False if it was cut off."""
        while True:
            try:
                execute_transaction(session, self._program.next_transaction())
            except Retryable:
                session.rollback()
                self._errors += 1
                if self._limits.cut_off:
                    return False
            else:
                return True
