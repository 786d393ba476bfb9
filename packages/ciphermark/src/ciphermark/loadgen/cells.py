"""A cell under load in one worker: its sessions, and the loop that fits their kind."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from ciphermark.engine.base import (
    MultiplexedSession,
    Session,
    SessionKind,
    StatementCounters,
)
from ciphermark.loadgen.arrivals import arrivals_ns
from ciphermark.loadgen.blocking import (
    FOREVER_NS,
    execute_transaction,
    run_arrivals,
    run_closed,
)
from ciphermark.loadgen.multiplexed import MultiplexedLoop, Seat
from ciphermark.loadgen.orders import LoadSpec, SliceOrder
from ciphermark.loadgen.tally import Tally
from ciphermark.workload.base import TerminalProgram

__all__ = [
    "BlockingCell",
    "CellRunner",
    "MultiplexedCell",
    "SliceGoal",
    "cell_runner",
    "counted",
    "intended_starts",
]

COUNT_MAX = 2**62


@dataclass(frozen=True, slots=True)
class SliceGoal:
    """What ends a slice that begins at `begin_ns`; all times are monotonic.

    `offsets_ns` are the intended starts of the open loop, counted from the begin, one list for each
    loop; empty in the closed loop.
    """

    begin_ns: int
    deadline_ns: int
    count: int
    offsets_ns: tuple[list[int], ...] = ()

    @classmethod
    def of(
        cls, order: SliceOrder, begin_ns: int, offsets_ns: tuple[list[int], ...] = ()
    ) -> SliceGoal:
        """The goal of `order`."""
        if order.duration_ns is None:
            assert order.count is not None
            return cls(begin_ns, FOREVER_NS, order.count)
        return cls(begin_ns, begin_ns + order.duration_ns, COUNT_MAX, offsets_ns)


def intended_starts(
    spec: LoadSpec, order: SliceOrder, *, loops: int, share: float, seed: np.random.SeedSequence
) -> tuple[list[int], ...]:
    """Offsets of the open loop for a worker that has `share` of the terminals; () when closed."""
    if spec.rate_tps is None or order.duration_ns is None:
        return ()
    rate = spec.rate_tps * share / loops
    return tuple(
        arrivals_ns(rate, order.duration_ns, child).tolist() for child in seed.spawn(loops)
    )


class CellRunner(Protocol):
    """Runs slices of one cell with the sessions of one worker."""

    @property
    def sessions(self) -> Sequence[Session]:
        """The sessions, one for each terminal of the worker."""

    def run(self, goal: SliceGoal, tallies: Sequence[Tally]) -> tuple[int, int]:
        """Runs one slice; returns the begin of the first and end of the last transaction."""

    def restore(self) -> None:
        """Puts the data back where the programs ask for it, outside the clock."""

    def close(self) -> None:
        """Closes the sessions."""


class BlockingCell:
    """Terminals on blocking sessions: one runs in the worker's main thread, more in threads."""

    def __init__(
        self,
        sessions: Sequence[Session],
        programs: Sequence[TerminalProgram],
        threads: ThreadPoolExecutor | None,
        latency_limit_ns: int,
    ) -> None:
        self.sessions = tuple(sessions)
        self._programs = tuple(programs)
        self._threads = threads
        self._latency_limit_ns = latency_limit_ns

    def run(self, goal: SliceGoal, tallies: Sequence[Tally]) -> tuple[int, int]:
        """Runs one slice on every terminal at once."""
        if self._threads is None:
            return self._run_terminal(0, goal, tallies[0])
        numbers = range(len(self.sessions))
        futures = [
            self._threads.submit(self._run_terminal, number, goal, tallies[number])
            for number in numbers
        ]
        times = [future.result() for future in futures]
        return min(begin for begin, _ in times), max(end for _, end in times)

    def _run_terminal(self, number: int, goal: SliceGoal, tally: Tally) -> tuple[int, int]:
        session, program = self.sessions[number], self._programs[number]
        if goal.offsets_ns:
            return run_arrivals(
                session,
                program,
                tally,
                goal.begin_ns,
                goal.offsets_ns[number],
                goal.deadline_ns,
                self._latency_limit_ns,
            )
        return run_closed(session, program, tally, goal.deadline_ns, goal.count)

    def restore(self) -> None:
        """Puts the data back, one terminal after the other."""
        for session, program in zip(self.sessions, self._programs, strict=True):
            transaction = program.restore()
            if transaction is not None:
                execute_transaction(session, transaction)

    def close(self) -> None:
        """Closes the sessions."""
        for session in self.sessions:
            session.close()


class MultiplexedCell:
    """All terminals of the worker in one loop."""

    def __init__(
        self,
        sessions: Sequence[MultiplexedSession],
        programs: Sequence[TerminalProgram],
        latency_limit_ns: int,
    ) -> None:
        self.sessions = tuple(sessions)
        self._programs = tuple(programs)
        self._latency_limit_ns = latency_limit_ns
        seats = [Seat(*place) for place in zip(sessions, programs, strict=True)]
        self._loop = MultiplexedLoop(seats)

    def run(self, goal: SliceGoal, tallies: Sequence[Tally]) -> tuple[int, int]:
        """Runs one slice on every terminal."""
        (tally,) = tallies
        if goal.offsets_ns:
            return self._loop.run_arrivals(
                tally,
                goal.begin_ns,
                goal.offsets_ns[0],
                goal.deadline_ns,
                self._latency_limit_ns,
            )
        return self._loop.run_closed(tally, goal.deadline_ns, goal.count)

    def restore(self) -> None:
        """Puts the data back, one terminal after the other."""
        for session, program in zip(self.sessions, self._programs, strict=True):
            transaction = program.restore()
            if transaction is not None:
                execute_transaction(session, transaction)

    def close(self) -> None:
        """Closes the loop and the sessions."""
        self._loop.close()
        for session in self.sessions:
            session.close()


def cell_runner(
    spec: LoadSpec,
    cell: tuple[int, int],
    programs: Sequence[TerminalProgram],
    threads: ThreadPoolExecutor | None,
) -> CellRunner:
    """Opens the worker's sessions to one copy and returns the runner that fits their kind."""
    arm, copy = cell
    limit_ns = FOREVER_NS if spec.latency_limit_ns is None else spec.latency_limit_ns
    with contextlib.ExitStack() as opened:
        sessions: list[Session] = [
            opened.enter_context(
                contextlib.closing(spec.engine.connect(spec.copies[arm][copy], spec.statement_mode))
            )
            for _ in programs
        ]
        opened.pop_all()  # they stay open: the runner closes them
    if spec.engine.session_kind is SessionKind.MULTIPLEXED:
        multiplexed = [cast(MultiplexedSession, session) for session in sessions]
        return MultiplexedCell(multiplexed, programs, limit_ns)
    return BlockingCell(sessions, programs, threads, limit_ns)


def counted(sessions: Sequence[Session]) -> StatementCounters:
    """The sum of what the sessions have executed so far."""
    total = StatementCounters()
    for session in sessions:
        counters = session.counters
        total.queries += counters.queries
        total.changes += counters.changes
        total.unchanged += counters.unchanged
        total.controls += counters.controls
    return total
