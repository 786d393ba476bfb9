"""Loads the copies of every arm of a data group, and drops them again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from ciphermark.engine.base import Copy, Encryption, Engine
from ciphermark.plan.experiment import ArmPlan, Experiment
from ciphermark.progress import Progress
from ciphermark.proof.markers import claim
from ciphermark.run.folder import RunFolder
from ciphermark.run.groups import DataGroup

__all__ = ["Copies", "drop_copies", "encryptions", "place_copies", "provision"]

Copies = Mapping[str, tuple[Copy, ...]]
"""The copies of each arm, by the arm's name."""


def encryptions(
    experiment: Experiment, engine: Engine, folder: RunFolder
) -> dict[str, Encryption | None]:
    """How each arm is encrypted; makes the keys that are not there yet."""
    keys = folder.make_keys()
    return {arm.name: arm.protection.prepare(engine, _slug(arm), keys) for arm in experiment.arms}


def place_copies(
    experiment: Experiment,
    group: DataGroup,
    folder: RunFolder,
    how: Mapping[str, Encryption | None],
) -> Copies:
    """Where every copy of the group is or will be; nothing is made."""
    place = folder.data / group.name
    return {
        arm.name: tuple(
            Copy(
                arm.name,
                index,
                group.engine.locate(_slug(arm), index, place),
                how[arm.name],
            )
            for index in range(arm.copies)
        )
        for arm in experiment.arms
        if arm.name in group.arms
    }


def _slug(arm: ArmPlan) -> str:
    """The arm's name as part of a file name."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in arm.name)


def provision(
    group: DataGroup, copies: Copies, experiment_id: str, place: Path, progress: Progress
) -> None:
    """Loads the first copy of each arm and makes the others from it.

    What an interrupted run left in the group's place is dropped first. Every copy is marked as
    the experiment's own before anything is loaded into it.
    """
    place.mkdir(parents=True, exist_ok=True)
    drop_copies(group.engine, copies)
    total = sum(len(arm) for arm in copies.values()) * max(group.data.rows, 1)
    meter = _Meter(progress, total)
    for arm, wanted in copies.items():
        progress.phase("load", f"{group.name}, {arm}")
        first = wanted[0]
        group.engine.create(first)
        claim(group.engine, first, experiment_id)
        for table in group.data.tables:
            group.engine.load(first, table, meter.add)
        meter.reach(group.data.rows)
        for copy in wanted[1:]:
            if not group.engine.clone(first, copy):
                group.engine.create(copy)
                claim(group.engine, copy, experiment_id)
                for table in group.data.tables:
                    group.engine.load(copy, table, meter.add)
            meter.reach(group.data.rows)


def drop_copies(engine: Engine, copies: Copies) -> None:
    """Removes every copy that is there."""
    for copy in _each(copies):
        engine.drop(copy)


def _each(copies: Copies) -> Iterator[Copy]:
    for wanted in copies.values():
        yield from wanted


class _Meter:
    """Rows loaded, as time done and time left."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._finished = 0
        self._current = 0
        self._begun = time.monotonic()

    def add(self, rows: int) -> None:
        """Called by the loader with the rows of each chunk."""
        self._current += rows
        self._show()

    def reach(self, rows: int) -> None:
        """A copy is complete, however it was made."""
        self._finished += rows
        self._current = 0
        self._show()

    def _show(self) -> None:
        done = min(self._finished + self._current, self._total)
        spent = time.monotonic() - self._begun
        if done:
            self._progress.update(spent, spent * self._total / done)
