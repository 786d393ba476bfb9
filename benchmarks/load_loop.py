"""What the load loop adds to the bare driver calls of oltp_point_select, in one run.

A raw loop calls the driver with ids that were drawn beforehand; Ciphermark's loop runs the same
transactions on the same connection settings. The two alternate; bar: at most 25 % more time.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ciphermark.engine.base import Copy, Engine
from ciphermark.loadgen.blocking import FOREVER_NS, run_closed
from ciphermark.loadgen.tally import Tally
from ciphermark.measurement.recorder import LatencyRecorder
from ciphermark.registry import find
from ciphermark.workload.base import TerminalProgram, Workload

ROUNDS = 60
TRANSACTIONS = 20_000
ROWS = 25_000
BAR = 0.25


def made(group: str, name: str, **options: Any) -> Any:
    """The object of a plug-in with the given options."""
    plugin = find(group, name)
    return plugin.load()(plugin.load_options()(**options))


def main() -> None:
    """Prints the added time as a fraction, with the median of the rounds."""
    engine: Engine = made("engine", "sqlite")
    workload: Workload = made("workload", "oltp_point_select", table_size=ROWS)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy("plain", 0, engine.locate("plain", 0, Path(folder)))
        engine.create(copy)
        for table in workload.data(engine.dialect, 1, 1).tables:
            engine.load(copy, table, lambda rows: None)
        ratios = measure(engine, copy, workload)
    print(f"load loop against bare calls, oltp_point_select, {ROUNDS} rounds in turn:")
    added = statistics.median(ratios) - 1
    low, high = np.quantile(ratios, [0.25, 0.75]) - 1
    verdict = "within" if added < BAR else "FALLS SHORT of"
    print(f"  adds {added:.1%} (quartiles {low:.1%} to {high:.1%}); {verdict} the bar of {BAR:.0%}")


def measure(engine: Engine, copy: Copy, workload: Workload) -> list[float]:
    """Time of Ciphermark's loop relative to the raw one, round by round."""
    session = engine.connect(copy)
    program = workload.program(engine.dialect, 0, 1)
    connection = getattr(session, "_connection")  # noqa: B009  # the raw side needs the driver
    ratios = []
    for number in range(ROUNDS + 2):
        seed = np.random.SeedSequence(number)
        calls = drawn_calls(program, seed)
        program.rewind(seed, TRANSACTIONS)
        times = {}
        sides = ("raw", "loop") if number % 2 else ("loop", "raw")
        for side in sides:
            begun = time.perf_counter_ns()
            if side == "raw":
                raw_loop(connection, calls)
            else:
                tally = Tally(RECORDER)
                run_closed(session, program, tally, FOREVER_NS, TRANSACTIONS)
            times[side] = time.perf_counter_ns() - begun
        if number >= 2:
            ratios.append(times["loop"] / times["raw"])
    session.close()
    return ratios


RECORDER = LatencyRecorder()


def drawn_calls(program: TerminalProgram, seed: np.random.SeedSequence) -> list[tuple[Any, ...]]:
    """Text and parameters of the transactions that the loop will run."""
    program.rewind(seed, TRANSACTIONS)
    calls = []
    for _ in range(TRANSACTIONS):
        transaction = program.next_transaction()
        assert isinstance(transaction, tuple), "a point select is a bare call"
        statement, parameters = transaction
        calls.append((statement.text, parameters))
    return calls


def raw_loop(connection: Any, calls: list[tuple[Any, ...]]) -> None:
    """What a program without any measuring does."""
    execute = connection.execute
    for text, parameters in calls:
        execute(text, parameters).fetchall()


if __name__ == "__main__":
    main()
