"""The load loop of blocking sessions."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from simulated_engine import CHANGE, ScriptedSession, SimulatedProgram

from ciphermark.errors import Fatal, LoadError, Retryable
from ciphermark.loadgen.blocking import FOREVER_NS, run_arrivals, run_closed
from ciphermark.loadgen.tally import ATTEMPTS_MAX, Tally
from ciphermark.measurement.recorder import LatencyRecorder


def ticking(step_ns: int = 10) -> Callable[[], int]:
    """A clock that moves on by `step_ns` at each reading."""
    return itertools.count(0, step_ns).__next__


def new_tally(capacity: int = 64) -> Tally:
    return Tally(LatencyRecorder(capacity))


class SessionClock:
    """A clock that only the session's calls move on, so that a latency is the time of its calls."""

    def __init__(self, call_ns: int) -> None:
        self.now_ns = 0
        self.call_ns = call_ns

    def read(self) -> int:
        return self.now_ns

    def advance(self) -> None:
        self.now_ns += self.call_ns


def test_count_is_kept_and_each_transaction_is_recorded() -> None:
    clock = SessionClock(call_ns=100)
    session = ScriptedSession(on_call=clock.advance)
    tally = new_tally()
    first_ns, ended_ns = run_closed(
        session, SimulatedProgram(calls=2), tally, FOREVER_NS, 5, clock.read
    )
    assert tally.totals.transactions == 5
    assert tally.totals.histograms[0].count == 5
    # begin, query, change, commit: four calls of 100 ns each
    assert tally.totals.histograms[0].min_ns == tally.totals.histograms[0].max_ns == 400
    assert (first_ns, ended_ns) == (0, 2000)
    assert (session.counters.queries, session.counters.changes) == (5, 5)
    assert session.counters.controls == 10


def test_a_bare_call_is_a_transaction() -> None:
    clock = SessionClock(call_ns=70)
    session = ScriptedSession(on_call=clock.advance)
    tally = new_tally()
    run_closed(session, SimulatedProgram(single=True), tally, FOREVER_NS, 3, clock.read)
    assert tally.totals.transactions == 3
    assert tally.totals.histograms[0].sum_ns == 210


def test_a_transaction_under_way_at_the_deadline_counts() -> None:
    clock = SessionClock(call_ns=100)
    tally = new_tally()
    session = ScriptedSession(on_call=clock.advance)
    _, ended_ns = run_closed(session, SimulatedProgram(), tally, 1000, 10**9, clock.read)
    assert tally.totals.transactions == 3  # 400, 800, and the one that ends at 1200
    assert ended_ns == 1200


def test_answers_go_back_into_the_transaction() -> None:
    program = SimulatedProgram(calls=2)
    run_closed(ScriptedSession(), program, new_tally(), FOREVER_NS, 2, ticking())
    assert program.answers == [[(1,)], 1, [(2,)], 1]


def test_more_transactions_than_the_buffer_holds() -> None:
    tally = new_tally(capacity=4)
    run_closed(ScriptedSession(), SimulatedProgram(), tally, FOREVER_NS, 11, ticking())
    assert tally.totals.transactions == 11
    assert tally.totals.histograms[0].count == 11


def test_planned_rollbacks_are_counted_apart() -> None:
    tally = new_tally()
    program = SimulatedProgram(rollback_every=3)
    run_closed(ScriptedSession(), program, tally, FOREVER_NS, 9, ticking())
    assert tally.totals.transactions == 9
    assert tally.totals.planned_rollbacks == 3
    assert tally.totals.histograms[0].count == 6


def test_a_failed_attempt_is_no_work_and_stays_in_the_latency() -> None:
    clock = SessionClock(call_ns=100)
    session = ScriptedSession({3: Retryable("locked", kind="busy")}, clock.advance)
    program = SimulatedProgram(calls=2)
    tally = new_tally()
    run_closed(session, program, tally, FOREVER_NS, 1, clock.read)
    assert tally.totals.transactions == 1
    assert tally.totals.errors == {"busy": 1}
    assert tally.totals.error_examples == {"busy": "locked"}
    assert session.rollbacks == 1
    assert program.started == 2  # started anew with fresh values
    assert tally.totals.histograms[0].max_ns == 700  # three calls that failed, four that did not


def test_a_transaction_that_fails_past_the_deadline_is_abandoned() -> None:
    clock = SessionClock(call_ns=100)
    session = ScriptedSession({5: Retryable("locked", kind="busy")}, clock.advance)
    tally = new_tally()
    _, ended_ns = run_closed(session, SimulatedProgram(), tally, 450, 10**9, clock.read)
    assert tally.totals.transactions == 1
    assert tally.totals.abandoned == 1
    assert ended_ns == 500
    assert session.rollbacks == 1


def test_a_terminal_gives_up_on_a_stuck_database() -> None:
    locked = dict.fromkeys(range(1, 10_000), Retryable("locked", kind="busy"))
    tally = new_tally()
    with pytest.raises(LoadError, match=f"failed {ATTEMPTS_MAX} times in a row"):
        run_closed(ScriptedSession(locked), SimulatedProgram(), tally, FOREVER_NS, 1, ticking())


def test_failures_of_different_transactions_do_not_add_up() -> None:
    odd = {call: Retryable("locked", kind="busy") for call in range(1, 2 * ATTEMPTS_MAX + 10, 2)}
    tally = new_tally()
    program = SimulatedProgram(single=True)
    run_closed(ScriptedSession(odd), program, tally, FOREVER_NS, ATTEMPTS_MAX + 2, ticking())
    assert tally.totals.transactions == ATTEMPTS_MAX + 2
    assert tally.totals.errors["busy"] > ATTEMPTS_MAX


def test_what_cannot_succeed_ends_the_loop() -> None:
    session = ScriptedSession({2: Fatal("no such table")})
    with pytest.raises(Fatal):
        run_closed(session, SimulatedProgram(), new_tally(), FOREVER_NS, 5, ticking())


def test_what_the_program_holds_back_is_sent_within_the_slice() -> None:
    clock = SessionClock(call_ns=100)
    session = ScriptedSession(on_call=clock.advance)
    program = SimulatedProgram(single=True)
    program.finished_with = (CHANGE, (99,))
    tally = new_tally()
    _, ended_ns = run_closed(session, program, tally, FOREVER_NS, 2, clock.read)
    assert session.calls[-1] == ("change", (99,))
    assert ended_ns == 300
    assert tally.totals.transactions == 2


class SleepingClock(SessionClock):
    """Also moved on by sleeping and, a little, by being read."""

    def read(self) -> int:
        self.now_ns += 1
        return self.now_ns

    def sleep(self, duration_s: float) -> None:
        self.now_ns += round(duration_s * 1e9)


def test_open_loop_counts_latency_from_the_intended_start() -> None:
    clock = SleepingClock(call_ns=1_000_000)
    session = ScriptedSession(on_call=clock.advance)
    tally = new_tally()
    arrivals = [500_000, 1_000_000, 9_000_000]
    first_ns, ended_ns = run_arrivals(
        session,
        SimulatedProgram(single=True),
        tally,
        0,
        arrivals,
        10_000_000,
        1_200_000,
        clock.read,
        clock.sleep,
    )
    totals = tally.totals
    assert totals.transactions == 3
    # The second arrival waited 0.5 ms behind the first and was late; the others were not.
    assert totals.late == 1
    assert totals.histograms[0].max_ns == pytest.approx(1_500_000, abs=100)
    assert totals.histograms[0].min_ns == pytest.approx(1_000_000, abs=100)
    assert totals.lag_ns == pytest.approx(500_000, abs=200)
    assert first_ns < arrivals[0]
    assert ended_ns == pytest.approx(10_000_000, abs=10)


def test_arrivals_that_never_began_are_counted() -> None:
    clock = SleepingClock(call_ns=6_000_000)
    tally = new_tally()
    session = ScriptedSession(on_call=clock.advance)
    run_arrivals(
        session,
        SimulatedProgram(single=True),
        tally,
        0,
        [1_000_000, 2_000_000, 3_000_000, 4_000_000],
        10_000_000,
        FOREVER_NS,
        clock.read,
        clock.sleep,
    )
    assert tally.totals.transactions == 2
    assert tally.totals.unstarted == 2
