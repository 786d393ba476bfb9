"""The load loop of multiplexed sessions, against a server on socket pairs."""

from __future__ import annotations

import time
from typing import Any

import pytest
from simulated_engine import CHANGE, SimulatedProgram, SocketServer, SocketSession

from ciphermark.errors import ConnectionLost, Fatal
from ciphermark.loadgen.blocking import FOREVER_NS
from ciphermark.loadgen.multiplexed import MultiplexedLoop, Seat
from ciphermark.loadgen.tally import Tally
from ciphermark.measurement.recorder import LatencyRecorder


def new_loop(
    server: SocketServer, programs: list[SimulatedProgram], piece: int = 1 << 16
) -> tuple[MultiplexedLoop, list[SocketSession]]:
    sessions = [server.connect() for _ in programs]
    for session in sessions:
        session.piece = piece
    seats = [Seat(session, program) for session, program in zip(sessions, programs, strict=True)]
    return MultiplexedLoop(seats), sessions


def closed(loop: MultiplexedLoop, sessions: list[SocketSession]) -> None:
    loop.close()
    for session in sessions:
        session.close()


@pytest.mark.parametrize("piece", [1 << 16, 7])
def test_every_terminal_does_its_count(piece: int) -> None:
    """With calls that are sent whole, and with calls that need several events to be sent."""
    with SocketServer() as server:
        programs = [SimulatedProgram() for _ in range(5)]
        loop, sessions = new_loop(server, programs, piece)
        tally = Tally(LatencyRecorder(8))
        first_ns, ended_ns = loop.run_closed(tally, FOREVER_NS, 7)
        closed(loop, sessions)
    assert tally.totals.transactions == 35
    assert tally.totals.histograms[0].count == 35
    assert [program.started for program in programs] == [7] * 5
    assert [session.counters.queries for session in sessions] == [7] * 5
    assert ended_ns > first_ns


def test_answers_reach_the_terminal_that_asked() -> None:
    with SocketServer() as server:
        programs = [SimulatedProgram(calls=1) for _ in range(4)]
        loop, sessions = new_loop(server, programs)
        loop.run_closed(Tally(LatencyRecorder()), FOREVER_NS, 3)
        closed(loop, sessions)
    for program in programs:
        assert program.answers == [[(1,)], [(2,)], [(3,)]]


def test_the_deadline_drains_the_terminals() -> None:
    with SocketServer(service_s=0.002) as server:
        programs = [SimulatedProgram() for _ in range(3)]
        loop, sessions = new_loop(server, programs)
        tally = Tally(LatencyRecorder())
        deadline_ns = time.perf_counter_ns() + 50_000_000
        _, ended_ns = loop.run_closed(tally, deadline_ns, 10**9)
        asked = len(server.calls)
        time.sleep(0.05)
        closed(loop, sessions)
        assert len(server.calls) == asked, "a terminal went on after its slice"
    assert ended_ns >= deadline_ns
    assert tally.totals.transactions * 4 == asked


def test_a_failed_transaction_is_rolled_back_and_started_anew() -> None:
    failed: list[Any] = []

    def fail_once(call: dict[str, Any]) -> str | None:
        if call["statement"] == "change" and not failed:
            failed.append(call)
            return "deadlock"
        return None

    with SocketServer(fail=fail_once) as server:
        program = SimulatedProgram()
        loop, sessions = new_loop(server, [program])
        tally = Tally(LatencyRecorder())
        loop.run_closed(tally, FOREVER_NS, 3)
        closed(loop, sessions)
        names = [call["statement"] for call in server.calls]
    assert names[:4] == ["begin", "query", "change", "rollback"]
    assert tally.totals.transactions == 3
    assert tally.totals.errors == {"deadlock": 1}
    assert program.started == 4


def test_a_failure_past_the_deadline_is_abandoned() -> None:
    with SocketServer(service_s=0.01, fail=lambda call: "lock_wait") as server:
        loop, sessions = new_loop(server, [SimulatedProgram(), SimulatedProgram()])
        tally = Tally(LatencyRecorder())
        loop.run_closed(tally, time.perf_counter_ns() + 1_000_000, 10**9)
        rollbacks = [session.rollbacks for session in sessions]
        closed(loop, sessions)
    assert tally.totals.transactions == 0
    assert tally.totals.abandoned == 2
    assert rollbacks == [1, 1]


def test_what_cannot_succeed_ends_the_loop() -> None:
    with SocketServer(fail=lambda call: "fatal") as server:
        loop, sessions = new_loop(server, [SimulatedProgram()])
        with pytest.raises(Fatal):
            loop.run_closed(Tally(LatencyRecorder()), FOREVER_NS, 3)
        closed(loop, sessions)


def test_a_lost_connection_ends_the_loop() -> None:
    server = SocketServer(service_s=0.005)
    loop, sessions = new_loop(server, [SimulatedProgram()])
    server.close()
    with pytest.raises((ConnectionLost, OSError)):
        loop.run_closed(Tally(LatencyRecorder()), FOREVER_NS, 1000)
    closed(loop, sessions)


def test_what_programs_hold_back_is_sent_within_the_slice() -> None:
    with SocketServer() as server:
        programs = [SimulatedProgram(single=True) for _ in range(2)]
        programs[1].finished_with = (CHANGE, (99,))
        loop, sessions = new_loop(server, programs)
        tally = Tally(LatencyRecorder())
        loop.run_closed(tally, FOREVER_NS, 2)
        closed(loop, sessions)
        sent = [call for call in server.calls if call["statement"] == "change"]
    assert [call["parameters"] for call in sent] == [[99]]
    assert tally.totals.transactions == 4


def test_slices_follow_each_other_on_the_same_sessions() -> None:
    with SocketServer() as server:
        loop, sessions = new_loop(server, [SimulatedProgram(), SimulatedProgram()])
        for _ in range(3):
            tally = Tally(LatencyRecorder())
            loop.run_closed(tally, FOREVER_NS, 4)
            assert tally.totals.transactions == 8
        closed(loop, sessions)


def test_open_loop_uses_any_free_terminal() -> None:
    with SocketServer(service_s=0.001) as server:
        programs = [SimulatedProgram(single=True) for _ in range(3)]
        loop, sessions = new_loop(server, programs)
        tally = Tally(LatencyRecorder())
        now_ns = time.perf_counter_ns()
        offsets = [number * 2_000_000 for number in range(20)]
        deadline_ns = now_ns + 60_000_000
        _, ended_ns = loop.run_arrivals(tally, now_ns, offsets, deadline_ns, FOREVER_NS)
        closed(loop, sessions)
    assert tally.totals.transactions == 20
    assert tally.totals.unstarted == 0
    assert ended_ns >= deadline_ns
    assert sum(program.started for program in programs) == 20


def test_open_loop_on_a_slow_server_counts_waiting_and_what_never_began() -> None:
    with SocketServer(service_s=0.01) as server:
        loop, sessions = new_loop(server, [SimulatedProgram(single=True)])
        tally = Tally(LatencyRecorder())
        now_ns = time.perf_counter_ns()
        offsets = [number * 1_000_000 for number in range(100)]
        loop.run_arrivals(tally, now_ns, offsets, now_ns + 50_000_000, 15_000_000)
        closed(loop, sessions)
    totals = tally.totals
    assert totals.transactions + totals.unstarted == 100
    assert totals.unstarted > 50
    assert totals.late >= totals.transactions - 1, "all but the first waited for 19 ms or more"
    assert totals.lag_ns > 0
