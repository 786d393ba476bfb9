"""The load loop of a terminal on a blocking session.

Between the two clock reads of a transaction there is only the transaction: latencies go to a
preallocated buffer by index and are binned outside the measured phase.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ciphermark.engine.base import Session
from ciphermark.errors import Retryable
from ciphermark.loadgen.tally import Tally
from ciphermark.workload.base import Outcome, TerminalProgram, Transaction

__all__ = ["FOREVER_NS", "execute_transaction", "run_arrivals", "run_closed"]

FOREVER_NS = 2**62
SPIN_NS = 60_000
"""How long before an intended start the terminal stops sleeping and watches the clock: the kernel
wakes a sleeper about this late."""


def execute_transaction(session: Session, transaction: Transaction) -> Outcome:
    """Executes one transaction and returns its outcome; raises what the session raises."""
    if isinstance(transaction, tuple):
        session.execute(*transaction)
        return 0
    send = transaction.send
    execute = session.execute
    try:
        statement, parameters = next(transaction)
        while True:
            statement, parameters = send(execute(statement, parameters))
    except StopIteration as stop:
        return int(stop.value)


def run_closed(  # hot path
    session: Session,
    program: TerminalProgram,
    tally: Tally,
    deadline_ns: int,
    count: int,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> tuple[int, int]:
    """Runs transactions one after the other until the deadline, or until `count` are done.

    A transaction that is under way at the deadline is finished and counts. One that the engine
    gave up (deadlock, busy) is rolled back and started anew with fresh values while its latency
    runs on; past the deadline it is abandoned and does not count. Returns the begin of the first
    and the end of the last transaction. `execute_transaction` is written out here: a call costs as
    much as a twentieth of an embedded point select.
    """
    execute = session.execute
    next_transaction = program.next_transaction
    latencies, outcomes = tally.recorder.latencies, tally.recorder.outcomes
    capacity = tally.recorder.capacity
    index = done = 0
    first_ns = ended_ns = clock()
    while done < count:
        transaction = next_transaction()
        started_ns = clock()
        while True:
            try:
                if type(transaction) is tuple:
                    execute(*transaction)
                    outcome = 0
                    break
                send = transaction.send  # type: ignore[union-attr]  # no tuple: a generator
                statement, parameters = next(transaction)  # type: ignore[arg-type]
                while True:
                    statement, parameters = send(execute(statement, parameters))
            except StopIteration as stop:
                outcome = stop.value
                break
            except Retryable as error:
                session.rollback()
                tally.failed(error, done)
                ended_ns = clock()
                if ended_ns >= deadline_ns:
                    tally.totals.abandoned += 1
                    tally.take(index)
                    return first_ns, ended_ns
                transaction = next_transaction()
        ended_ns = clock()
        latencies[index] = ended_ns - started_ns
        outcomes[index] = outcome
        index += 1
        done += 1
        if ended_ns >= deadline_ns:
            break
        if index == capacity:
            tally.take(index)
            index = 0
    ended_ns = _finish(session, program, ended_ns, clock)
    tally.take(index)
    return first_ns, ended_ns


def _finish(
    session: Session, program: TerminalProgram, ended_ns: int, clock: Callable[[], int]
) -> int:
    """Sends what the program still holds back; it is part of the slice's work and time."""
    last = program.finish()
    if last is None:
        return ended_ns
    execute_transaction(session, last)
    return clock()


def run_arrivals(  # hot path
    session: Session,
    program: TerminalProgram,
    tally: Tally,
    begin_ns: int,
    offsets_ns: Sequence[int],
    deadline_ns: int,
    latency_limit_ns: int,
    clock: Callable[[], int] = time.perf_counter_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[int, int]:
    """Starts a transaction at each intended time, or as soon after it as the terminal is free.

    The intended times are offsets from `begin_ns`, and latency runs from them, so that the wait
    behind a slow transaction is in it. Arrivals that did not begin by the deadline are counted as
    unstarted. Returns the begin of the phase and its end, which is not before the deadline.
    """
    latencies, outcomes = tally.recorder.latencies, tally.recorder.outcomes
    capacity = tally.recorder.capacity
    totals = tally.totals
    index = 0
    first_ns = ended_ns = clock()
    for number, offset_ns in enumerate(offsets_ns):
        intended_ns = begin_ns + offset_ns
        now_ns = clock()
        if intended_ns - now_ns > SPIN_NS:
            sleep((intended_ns - now_ns - SPIN_NS) / 1e9)
        while now_ns < intended_ns:
            now_ns = clock()
        if now_ns >= deadline_ns:
            totals.unstarted += len(offsets_ns) - number
            break
        totals.lag_ns += now_ns - intended_ns
        outcome = _until_success(session, program, tally, number, deadline_ns, clock)
        ended_ns = clock()
        if outcome is None:
            totals.abandoned += 1
            continue
        latency_ns = ended_ns - intended_ns
        totals.late += latency_ns > latency_limit_ns
        latencies[index] = latency_ns
        outcomes[index] = outcome
        index += 1
        if index == capacity:
            tally.take(index)
            index = 0
    ended_ns = max(_finish(session, program, ended_ns, clock), deadline_ns)
    tally.take(index)
    return first_ns, ended_ns


def _until_success(
    session: Session,
    program: TerminalProgram,
    tally: Tally,
    number: int,
    deadline_ns: int,
    clock: Callable[[], int],
) -> Outcome | None:
    """One transaction, started anew until it succeeds; None when the deadline came first."""
    while True:
        try:
            return execute_transaction(session, program.next_transaction())
        except Retryable as error:
            session.rollback()
            tally.failed(error, number)
            if clock() >= deadline_ns:
                return None
