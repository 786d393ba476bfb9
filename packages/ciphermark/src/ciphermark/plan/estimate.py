"""What an experiment will take, before it starts: time, disk, memory and connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.plan.experiment import Experiment, Point

__all__ = ["ExperimentEstimate", "estimate"]

BYTES_PER_ROW = 220
"""A row of sysbench's table with its index entry, as SQLite and InnoDB store it; rough."""
ROWS_PER_S = 100_000
"""Bulk loading on one slow core; copies are cloned faster."""
CHECK_S_PER_COPY = 0.5
START_S_PER_POINT = 2.0


@dataclass(frozen=True, slots=True)
class ExperimentEstimate:
    """Rough figures: seconds, bytes, and how many sessions are open at once."""

    arms: int
    copies: int
    points: int
    measuring_s: float
    other_s: float
    disk_bytes: int
    sessions_max: int

    def lines(self) -> Sequence[str]:
        """The figures as text, a line each."""
        return (
            f"arms: {self.arms} (control and its A/A repeat included), "
            f"{self.copies} copies of each",
            f"points: {self.points}",
            f"measuring: about {_duration(self.measuring_s)}; a batch that has begun is finished",
            f"loading, warm-up and checks: about {_duration(self.other_s)}",
            f"disk: about {self.disk_bytes / 2**20:.0f} MiB",
            f"connections: up to {self.sessions_max} at once",
        )


def estimate(experiment: Experiment) -> ExperimentEstimate:
    """Estimates from the plan alone; nothing is opened or created."""
    copies = sum(arm.copies for arm in experiment.arms)
    rows = {
        _data_key(point, experiment.seed): _rows(point, experiment.seed)
        for point in experiment.points
    }
    load_s = sum(rows.values()) * len(experiment.arms) / ROWS_PER_S
    other_s = (
        load_s
        + len(rows) * copies * CHECK_S_PER_COPY
        + sum(point.warm_up_s + START_S_PER_POINT for point in experiment.points)
    )
    return ExperimentEstimate(
        arms=len(experiment.arms),
        copies=experiment.control.copies,
        points=len(experiment.points),
        measuring_s=sum(point.time_limit_s for point in experiment.points),
        other_s=other_s,
        disk_bytes=max(rows.values(), default=0) * BYTES_PER_ROW * copies,
        sessions_max=max(
            point.terminals * len(point.arms) * experiment.control.copies
            for point in experiment.points
        ),
    )


def _data_key(point: Point, seed: int) -> str:
    return point.workload.data(point.engine.dialect, seed, point.terminals).key


def _rows(point: Point, seed: int) -> int:
    return point.workload.data(point.engine.dialect, seed, point.terminals).rows


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
