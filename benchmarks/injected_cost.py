"""Whether a cost of known size is covered by the interval, on real runs.

One arm's sessions wait busily after each COMMIT, for a fixed share of the time that the calls took.
The truth is what was spent: the waiting, by transaction, against the rest of the arm's time. Bar:
covered in at least 54 of 60 runs at each of 1, 3 and 10 %.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from false_alarms import intervals
from small_experiment import experiment_of, load, measure

from ciphermark.engine.base import Copy, StatementCounters, StatementMode
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.engine.sqlite.session import PreparedSession
from ciphermark.plan.experiment import AA_SUFFIX
from ciphermark.run.outcome import PointOutcome
from ciphermark.workload.base import Answer, Parameters, Statement

ROWS = 2_000
LEVELS = (0.01, 0.03, 0.1)
BAR_OF_60 = 54


class WaitingSession:
    """A session that wastes a share of each transaction's time, and counts what it wasted."""

    def __init__(self, session: PreparedSession, share: float, record: Path) -> None:
        self._session = session
        self._share = share
        self._record = record
        self._busy_ns = 0
        self.wasted_ns = 0
        self.transactions = 0

    @property
    def counters(self) -> StatementCounters:
        return self._session.counters

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:
        begun = time.perf_counter_ns()
        answer = self._session.execute(statement, parameters)
        ended = now = time.perf_counter_ns()
        self._busy_ns += ended - begun
        if statement.name == "commit":
            until = ended + int(self._busy_ns * self._share)
            while now < until:
                now = time.perf_counter_ns()
            self.wasted_ns += now - ended
            self.transactions += 1
            self._busy_ns = 0
        return answer

    def rollback(self) -> None:
        self._session.rollback()

    def close(self) -> None:
        self._record.write_text(f"{self.wasted_ns} {self.transactions}")
        self._session.close()


class WaitingEngine(SQLiteEngine):
    """SQLite whose second arm wastes time; the first arm's sessions are wrapped too, with 0."""

    __slots__ = ("share",)

    def __init__(self, options: SQLiteOptions, share: float) -> None:
        super().__init__(options)
        self.share = share

    def connect(self, copy: Copy, mode: StatementMode = StatementMode.PREPARED) -> Any:
        share = self.share if copy.arm.endswith(AA_SUFFIX) else 0.0
        record = Path(f"{copy.location}.wasted")
        return WaitingSession(super().connect(copy, mode), share, record)


def main() -> None:
    """Prints, for each level, how often the truth was covered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    for level in LEVELS:
        covered = sum(one_run(level, arguments.seconds) for _ in range(arguments.runs))
        bar = BAR_OF_60 * arguments.runs / 60
        verdict = "within" if covered >= bar else "FALLS SHORT of"
        print(f"injected {level:.0%}: covered {covered} of {arguments.runs}, {verdict} {bar:g}")


def one_run(level: float, seconds: float) -> bool:
    """Whether the interval of throughput covers what was spent."""
    experiment = experiment_of(
        {"kind": "oltp_read_only", "table_size": ROWS},
        seconds=seconds,
        seed=time.time_ns() % 2**40,
    )
    options: SQLiteOptions = experiment.points[0].engine.options  # type: ignore[attr-defined]
    engine = WaitingEngine(options, level)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        copies = load(experiment, Path(folder), engine)
        outcome = measure(experiment, copies, engine)
        truth = spent_loss(outcome, copies)
    found = intervals(outcome, experiment)["throughput"]
    covered = bool(found.low <= truth <= found.high)
    print(
        f"  truth {truth:.3%}, found {found.overhead:.3%} ({found.low:.3%} to {found.high:.3%})"
        + ("" if covered else "  NOT COVERED")
    )
    return covered


def spent_loss(outcome: PointOutcome, copies: list[list[Copy]]) -> float:
    """The share of the arm's time that was wasted, which is the loss of throughput.

    The control wastes nothing but a reading of the clock, which the arm does too.
    """
    rates = []
    for name, arm in zip(outcome.point.arms, copies, strict=True):
        wasted = finished = 0
        for copy in arm:
            text = Path(f"{copy.location}.wasted").read_text()
            wasted_ns, transactions = map(int, text.split())
            wasted, finished = wasted + wasted_ns, finished + transactions
        cells = [cell for record in outcome.records for cell in record.cells if cell.arm == name]
        time_ns = sum(cell.time_ns for cell in cells) / sum(cell.transactions for cell in cells)
        rates.append((wasted / finished, time_ns))
    (waste_control, _), (waste_arm, time_arm) = rates
    return (waste_arm - waste_control) / time_arm


if __name__ == "__main__":
    main()
