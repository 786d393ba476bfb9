"""Which points share loaded data, so that each data set is loaded once and dropped in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ciphermark.engine.base import Demand, Engine
from ciphermark.plan.experiment import Experiment, Point
from ciphermark.workload.base import DataSet, SliceBound

__all__ = ["DataGroup", "data_groups"]

STATEMENTS_PER_TABLE = 9
"""Kinds of statements that oltp_read_write prepares for each table: the most of all workloads."""
STATEMENTS_BESIDE = 4
"""BEGIN and COMMIT, and room for what else a session prepares."""


@dataclass(frozen=True, slots=True)
class DataGroup:
    """Points that run on the same copies: `streams` are their places in the experiment.

    `engine` is that of its first point; the others' differ in nothing that is stored in the data.
    """

    number: int
    engine: Engine
    data: DataSet
    points: tuple[Point, ...]
    streams: tuple[int, ...]
    arms: tuple[str, ...]

    @property
    def name(self) -> str:
        """Names the group's folder and its lines in the journal."""
        return f"group-{self.number}"

    @property
    def demand(self) -> Demand:
        """What the points ask of a copy's server at most."""
        tables = len(self.data.tables)
        return Demand(
            sessions=max(point.terminals for point in self.points),
            statements=STATEMENTS_PER_TABLE * tables + STATEMENTS_BESIDE,
            tables=tables,
            rows=self.data.rows,
        )

    def on(self, engine: Engine) -> DataGroup:
        """The same group on an engine that is deployed."""
        points = tuple(replace(point, engine=engine) for point in self.points)
        return replace(self, engine=engine, points=points)


def data_groups(experiment: Experiment) -> tuple[DataGroup, ...]:
    """The groups, in the order in which their first points stand in the plan.

    A workload that changes the size of its tables has a group of its own: another workload would
    find data that depend on how fast the machine was.
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for stream, point in enumerate(experiment.points):
        found.setdefault(_key(point, experiment.seed), []).append(stream)
    return tuple(
        _group(number, experiment, streams) for number, streams in enumerate(found.values())
    )


def _key(point: Point, seed: int) -> tuple[object, ...]:
    data = point.workload.data(point.engine.dialect, seed, point.terminals)
    alone = point.key if point.workload.slice_bound is SliceBound.COUNT else ""
    return repr(point.engine), data.key, alone


def _group(number: int, experiment: Experiment, streams: Sequence[int]) -> DataGroup:
    points = tuple(experiment.points[stream] for stream in streams)
    first = points[0]
    wanted = {arm for point in points for arm in point.arms}
    return DataGroup(
        number=number,
        engine=first.engine,
        data=first.workload.data(first.engine.dialect, experiment.seed, first.terminals),
        points=points,
        streams=tuple(streams),
        arms=tuple(arm.name for arm in experiment.arms if arm.name in wanted),
    )
