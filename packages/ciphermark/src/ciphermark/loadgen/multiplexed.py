"""The load loop of all terminals of a worker over one epoll, on sessions that never wait.

A terminal is a generator that waits for an answer. When its socket has the whole answer, the loop
sends the rows into the generator, which yields the next call. No thread per terminal, no lock, no
context switch per query.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence

from ciphermark.engine.base import MultiplexedSession, Pending
from ciphermark.errors import Retryable
from ciphermark.loadgen.tally import Tally
from ciphermark.workload.base import (
    Answer,
    Call,
    Outcome,
    Statement,
    StatementKind,
    TerminalProgram,
    Transaction,
)

__all__ = ["MultiplexedLoop", "Seat"]

ROLLBACK = Statement("rollback", "ROLLBACK", StatementKind.CONTROL)

READ = select.EPOLLIN
WRITE = select.EPOLLOUT

ABANDONED = 1 << 20
"""In place of an outcome: the transaction failed and the deadline has passed."""


class Seat:
    """A terminal's place in the loop: its session, its program, and the transaction under way."""

    __slots__ = ("done", "finishing", "program", "reference_ns", "send", "session", "writing")

    def __init__(self, session: MultiplexedSession, program: TerminalProgram) -> None:
        self.session = session
        self.program = program
        self.send: Callable[[Answer], Call] = _end_single
        self.reference_ns = 0
        """What latency is counted from: the start, or the intended start in the open loop."""
        self.done = 0
        self.finishing = False
        self.writing = False


def _end_single(answer: Answer) -> Call:
    """Stands in for the generator's `send` when the transaction is a bare call."""
    raise StopIteration(0)


def _after_rollback(transaction: Transaction) -> Generator[Call, Answer, Outcome]:
    """The transaction behind a ROLLBACK, which leaves the session idle after an error."""
    yield ROLLBACK, ()
    if isinstance(transaction, tuple):
        yield transaction
        return 0
    return (yield from transaction)


class MultiplexedLoop:
    """Drives the seats of one cell (one copy of one arm) in one worker."""

    def __init__(
        self, seats: Sequence[Seat], clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._seats = tuple(seats)
        self._clock = clock
        self._epoll = select.epoll()
        self._by_descriptor = {seat.session.fileno(): seat for seat in self._seats}
        for descriptor in self._by_descriptor:
            self._epoll.register(descriptor, READ)

    def close(self) -> None:
        """Closes the epoll; the sessions belong to the caller."""
        self._epoll.close()

    def run_closed(self, tally: Tally, deadline_ns: int, count: int) -> tuple[int, int]:
        """Each terminal runs transactions until the deadline, or until it has done `count`.

        Returns the begin of the first and the end of the last transaction. What is said of
        `loadgen.blocking.run_closed` holds here too.
        """
        clock = self._clock
        first_ns = clock()
        waiting = 0
        for seat in self._seats:
            seat.done = 0
            seat.finishing = False
            waiting += self._proceed(seat, tally, deadline_ns, count)
        poll, by_descriptor, advance = self._epoll.poll, self._by_descriptor, self._advance
        while waiting:  # hot path
            for descriptor, event in poll():
                seat = by_descriptor[descriptor]
                outcome = advance(seat, event, tally, deadline_ns)
                if outcome is None:
                    continue
                if outcome == ABANDONED or seat.finishing:
                    waiting -= 1
                    continue
                tally.record(clock() - seat.reference_ns, outcome)
                seat.done += 1
                waiting += self._proceed(seat, tally, deadline_ns, count) - 1
        ended_ns = clock()
        tally.flush()
        return first_ns, ended_ns

    def run_arrivals(
        self,
        tally: Tally,
        begin_ns: int,
        offsets_ns: Sequence[int],
        deadline_ns: int,
        latency_limit_ns: int,
    ) -> tuple[int, int]:
        """Starts a transaction at each intended time on any free terminal.

        The intended times are offsets from `begin_ns`, and latency runs from them. Arrivals that
        found no free terminal before the deadline are counted as unstarted. Returns the begin of
        the phase and its end, which is not before the deadline.
        """
        clock = self._clock
        totals = tally.totals
        free = deque(self._seats)
        offsets = deque(offsets_ns)
        first_ns = now_ns = clock()
        while len(free) < len(self._seats) or (offsets and now_ns < deadline_ns):
            while free and offsets and begin_ns + offsets[0] <= now_ns < deadline_ns:
                seat = free.popleft()
                seat.finishing = False
                seat.reference_ns = begin_ns + offsets.popleft()
                totals.lag_ns += now_ns - seat.reference_ns
                if self._begin(seat, seat.program.next_transaction()) is not None:
                    free.append(seat)
            patience_s = None  # only answers can bring the loop on
            if free and offsets and now_ns < deadline_ns:
                until_ns = min(begin_ns + offsets[0], deadline_ns)
                patience_s = max(0.0, (until_ns - clock()) / 1e9)
            for descriptor, event in self._epoll.poll(patience_s):
                seat = self._by_descriptor[descriptor]
                outcome = self._advance(seat, event, tally, deadline_ns)
                if outcome is None:
                    continue
                free.append(seat)
                if outcome != ABANDONED:
                    latency_ns = clock() - seat.reference_ns
                    totals.late += latency_ns > latency_limit_ns
                    seat.done += 1
                    tally.record(latency_ns, outcome)
            now_ns = clock()
        totals.unstarted += len(offsets)
        tally.flush()
        return first_ns, max(now_ns, deadline_ns)

    def _proceed(self, seat: Seat, tally: Tally, deadline_ns: int, count: int) -> int:
        """Starts the seat's next transaction; 1 when it now waits for an answer, 0 at the end.

        A transaction that needs no call (a row that is only buffered) is recorded at once.
        """
        clock = self._clock
        while seat.done < count and (started_ns := clock()) < deadline_ns:
            transaction = seat.program.next_transaction()
            seat.reference_ns = started_ns
            outcome = self._begin(seat, transaction)
            if outcome is None:
                return 1
            tally.record(clock() - started_ns, outcome)
            seat.done += 1
        seat.finishing = True
        last = seat.program.finish()
        return 0 if last is None or self._begin(seat, last) is not None else 1

    def _begin(self, seat: Seat, transaction: Transaction) -> Outcome | None:
        """Sends the first call; returns the outcome of a transaction that needs none."""
        if isinstance(transaction, tuple):
            seat.send = _end_single
            statement, parameters = transaction
        else:
            try:
                statement, parameters = next(transaction)
            except StopIteration as stop:
                return int(stop.value)
            seat.send = transaction.send
        seat.session.submit(statement, parameters)
        if seat.session.wants_write:
            self._watch(seat, writing=True)
        return None

    def _advance(self, seat: Seat, event: int, tally: Tally, deadline_ns: int) -> Outcome | None:
        """Takes an answer and sends the next call; the outcome when the transaction is done."""
        session = seat.session
        if seat.writing:
            session.flush()
            if not session.wants_write:
                self._watch(seat, writing=False)
        if event == WRITE:
            return None
        try:
            answer = session.receive()
            if isinstance(answer, Pending):
                return None
            statement, parameters = seat.send(answer)
        except StopIteration as stop:
            return int(stop.value)
        except Retryable as error:
            tally.failed(error, seat.done)
            return self._retry(seat, tally, deadline_ns)
        session.submit(statement, parameters)
        if session.wants_write:
            self._watch(seat, writing=True)
        return None

    def _retry(self, seat: Seat, tally: Tally, deadline_ns: int) -> Outcome | None:
        """Rolls back and starts anew with fresh values; gives up when the deadline has passed."""
        if self._clock() >= deadline_ns:
            seat.session.rollback()
            tally.totals.abandoned += 1
            return ABANDONED
        return self._begin(seat, _after_rollback(seat.program.next_transaction()))

    def _watch(self, seat: Seat, *, writing: bool) -> None:
        if seat.writing != writing:
            seat.writing = writing
            self._epoll.modify(seat.session.fileno(), READ | WRITE if writing else READ)
