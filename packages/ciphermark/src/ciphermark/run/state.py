"""What a run has finished so far, as it stands in the journal."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from ciphermark.errors import ResultFileError
from ciphermark.plan.experiment import Experiment
from ciphermark.plan.files import parse_plan
from ciphermark.plan.schema import PlanFile
from ciphermark.results.document import Arm, ConsistencyResult
from ciphermark.results.journal import (
    JOURNAL_NAME,
    JOURNAL_VERSION,
    BatchRecord,
    Journal,
    read_journal,
)
from ciphermark.run.calibrate import SliceSize
from ciphermark.run.folder import RunFolder
from ciphermark.run.outcome import PointOutcome

__all__ = ["RunState", "now_utc", "plan_of"]


def now_utc() -> str:
    """The wall clock, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plan_of(path: Path) -> PlanFile:
    """The plan that the journal of the run in folder `path` begins with."""
    for kind, content in read_journal(path / JOURNAL_NAME):
        if kind == "run":
            return parse_plan(content["plan"], where=str(path))
    raise ResultFileError("the journal has no beginning", where=str(path))


@dataclass(slots=True)
class RunState:
    """Everything finished; each change is written to the journal before it is made here."""

    experiment: Experiment
    journal: Journal
    id: str
    started: str
    outcomes: dict[str, PointOutcome] = field(default_factory=dict)
    finished_points: set[str] = field(default_factory=set)
    provisioned: set[str] = field(default_factory=set)
    finished_groups: set[str] = field(default_factory=set)
    arms: dict[tuple[str, str], Arm] = field(default_factory=dict)
    """By group and arm."""
    consistency: list[ConsistencyResult] = field(default_factory=list)
    elapsed_before_s: float = 0.0

    @classmethod
    def begin(cls, experiment: Experiment, folder: RunFolder) -> Self:
        """A new run with a random identifier."""
        journal = Journal(folder.journal)
        state = cls(experiment, journal, secrets.token_hex(8), now_utc())
        journal.write(
            "run",
            {
                "version": JOURNAL_VERSION,
                "id": state.id,
                "started": state.started,
                "plan_hash": experiment.plan_hash,
                "plan": experiment.plan,
            },
        )
        return state

    @classmethod
    def resume(cls, experiment: Experiment, folder: RunFolder) -> Self:
        """The state of an earlier run of the same experiment."""
        state: Self | None = None
        for kind, content in read_journal(folder.journal):
            if kind == "run":
                _check_header(content, experiment, folder)
                journal = Journal(folder.journal)
                state = cls(experiment, journal, content["id"], content["started"])
            elif state is not None:
                state._take(kind, content)
        if state is None:
            raise ResultFileError("the journal has no beginning", where=str(folder.journal))
        return state

    def outcome(self, key: str) -> PointOutcome:
        """The outcome of a point, empty if nothing was measured yet."""
        if key not in self.outcomes:
            point = next(point for point in self.experiment.points if point.key == key)
            copies = self.experiment.control.copies * self.experiment.draws
            self.outcomes[key] = PointOutcome(point, copies)
        return self.outcomes[key]

    def keep_batch(self, record: BatchRecord) -> None:
        """Writes a finished batch to the journal; the outcome's list belongs to its measurement."""
        self.journal.write("batch", record.to_json())

    def finish_point(self, outcome: PointOutcome) -> None:
        """The point needs no more batches."""
        self.journal.write("point", _outcome_to_json(outcome))
        self.finished_points.add(outcome.point.key)

    def mark_provisioned(self, group: str) -> None:
        """The group's copies are all loaded."""
        self.journal.write("provisioned", {"group": group})
        self.provisioned.add(group)

    def finish_group(self, group: str) -> None:
        """The group's points are done and its data checked."""
        self.journal.write("finished", {"group": group})
        self.finished_groups.add(group)

    def keep_arm(self, group: str, arm: Arm) -> None:
        """What is known of an arm in a group; a later word replaces an earlier one."""
        self.journal.write("arm", {"group": group, "arm": arm.model_dump(mode="json")})
        self.arms[group, arm.name] = arm

    def keep_consistency(self, results: list[ConsistencyResult]) -> None:
        """Outcomes of checks of the data."""
        content = [result.model_dump(mode="json") for result in results]
        self.journal.write("consistency", {"results": content})
        self.consistency.extend(results)

    def _take(self, kind: str, content: Mapping[str, Any]) -> None:
        """One line of an earlier run."""
        if kind == "batch":
            record = BatchRecord.from_json(content)
            if any(point.key == record.point for point in self.experiment.points):
                self.outcome(record.point).records.append(record)
                self.elapsed_before_s = max(self.elapsed_before_s, record.ended_s)
        elif kind == "point":
            _outcome_from_json(self.outcome(content["key"]), content)
            self.finished_points.add(content["key"])
        elif kind == "provisioned":
            self.provisioned.add(content["group"])
        elif kind == "finished":
            self.finished_groups.add(content["group"])
        elif kind == "arm":
            arm = Arm.model_validate(content["arm"])
            self.arms[content["group"], arm.name] = arm
        elif kind == "consistency":
            self.consistency.extend(map(ConsistencyResult.model_validate, content["results"]))


def _check_header(content: Mapping[str, Any], experiment: Experiment, folder: RunFolder) -> None:
    if content.get("version") != JOURNAL_VERSION:
        raise ResultFileError(
            f"the journal has version {content.get('version')}, this program writes "
            f"{JOURNAL_VERSION}",
            where=str(folder.journal),
            remedy="Go on with the version of ciphermark that began the run",
        )
    if content.get("plan_hash") != experiment.plan_hash:
        raise ResultFileError(
            "the run was begun with another plan",
            where=str(folder.journal),
            remedy="Leave the plan out: --resume takes it from the journal",
        )


def _outcome_to_json(outcome: PointOutcome) -> dict[str, Any]:
    return {
        "key": outcome.point.key,
        "workers": outcome.workers,
        "size": None if outcome.size is None else dataclasses.asdict(outcome.size),
        "discarded": outcome.discarded,
        "stopped_by": outcome.stopped_by,
        "reasons": outcome.reasons,
        "probes": outcome.probes,
        "regime": outcome.regime,
        "waited_s": outcome.waited_s,
    }


def _outcome_from_json(outcome: PointOutcome, content: Mapping[str, Any]) -> None:
    outcome.workers = content["workers"]
    outcome.size = None if content["size"] is None else SliceSize(**content["size"])
    outcome.discarded = content["discarded"]
    outcome.stopped_by = content["stopped_by"]
    outcome.reasons = list(content["reasons"])
    outcome.probes = dict(content["probes"])
    outcome.regime = content["regime"]
    outcome.waited_s = content["waited_s"]
