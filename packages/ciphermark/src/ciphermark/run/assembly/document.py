"""The whole result document of a run, finished or not."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from typing import Literal

import ciphermark
from ciphermark.plan.experiment import ArmPlan
from ciphermark.proof.encryption import combine
from ciphermark.results.document import (
    Arm,
    Comparison,
    Environment,
    ExperimentInfo,
    Proof,
    ResultDocument,
)
from ciphermark.results.points import key_of
from ciphermark.run.assembly.comparisons import (
    PointComparison,
    compare_point,
    comparisons,
    noise_floors,
    with_significance,
)
from ciphermark.run.assembly.points import batch_summaries, error_counts, point_result
from ciphermark.run.folder import RunFolder
from ciphermark.run.outcome import PointOutcome
from ciphermark.run.state import RunState, now_utc

__all__ = ["RunStatus", "assemble"]

RunStatus = Literal["complete", "interrupted", "failed"]
LIBRARIES = ("numpy", "scipy", "pydantic")


def assemble(
    state: RunState,
    folder: RunFolder,
    environment: Environment,
    status: RunStatus,
    stopped_by: str,
) -> ResultDocument:
    """The document of everything that the journal holds."""
    experiment = state.experiment
    arms = {plan.name: _arm(plan, state) for plan in experiment.arms}
    measured = [
        state.outcomes[point.key] for point in experiment.points if point.key in state.outcomes
    ]
    compared: list[PointComparison] = []
    for outcome in measured:
        compared.extend(compare_point(outcome, experiment, arms, state.consistency))
    final = tuple(comparisons(with_significance(compared), experiment, arms))
    reasons = _reasons(final, measured, status, stopped_by)
    return ResultDocument(
        experiment=_experiment_info(state, measured, status, stopped_by),
        environment=environment,
        arms=tuple(arms.values()),
        points=tuple(point_result(outcome) for outcome in measured),
        comparisons=final,
        noise_floor=tuple(noise_floors(compared, arms)),
        batches=tuple(summary for one in measured for summary in batch_summaries(one)),
        errors=tuple(count for one in measured for count in error_counts(one)),
        consistency=tuple(state.consistency),
        valid=bool(final) and not reasons,
        reasons=reasons,
    )


def _reasons(
    final: Sequence[Comparison],
    measured: Sequence[PointOutcome],
    status: RunStatus,
    stopped_by: str,
) -> tuple[str, ...]:
    """Why the result as a whole is not valid, each reason once, with the points that it spoils."""
    places: dict[str, list[str]] = {}
    for comparison in final:
        for reason in comparison.reasons:
            places.setdefault(reason, []).append(key_of(comparison).title)
    for outcome in measured:
        found = list(outcome.reasons)
        if len(outcome.records) < 2:
            found.append("fewer than two batches were finished, so there is no interval")
        for reason in found:
            places.setdefault(reason, []).append(outcome.point.title)
    reasons = [_placed(reason, titles, len(measured)) for reason, titles in places.items()]
    if status == "failed":
        reasons.append(f"the run failed: {stopped_by}")
    return tuple(reasons)


def _placed(reason: str, titles: Sequence[str], points: int) -> str:
    """The reason behind the points that it holds for; without them when it holds for all."""
    places = tuple(dict.fromkeys(titles))
    return reason if len(places) == points else f"{'; '.join(places)}: {reason}"


def _experiment_info(
    state: RunState, measured: Sequence[PointOutcome], status: RunStatus, stopped_by: str
) -> ExperimentInfo:
    experiment = state.experiment
    return ExperimentInfo(
        name=experiment.name,
        id=state.id,
        seed=experiment.seed,
        plan_hash=experiment.plan_hash,
        plan=dict(experiment.plan),
        started=state.started,
        finished=now_utc(),
        measuring_s=sum(record.measured_s for one in measured for record in one.records),
        status=status,
        stopped_by=stopped_by,
        versions=_versions(experiment.points[0].engine.drivers()),
    )


def _versions(drivers: object) -> dict[str, str]:
    versions = {"ciphermark": ciphermark.__version__, "Python": platform.python_version()}
    versions |= {name: importlib.metadata.version(name) for name in LIBRARIES}
    assert isinstance(drivers, dict)
    return versions | drivers


def _arm(plan: ArmPlan, state: RunState) -> Arm:
    """The arm over all groups: the first one's description, the weakest proof."""
    known = [arm for (_, name), arm in state.arms.items() if name == plan.name]
    if known:
        proof = combine([arm.proof for arm in known])
        return known[0].model_copy(update={"proof": proof})
    engine = state.experiment.points[0].engine
    return Arm(
        name=plan.name,
        label=plan.protection.label,
        control=plan.control,
        repeat_of_control=plan.repeat_of_control,
        engine=engine.kind,
        version=engine.version(),
        protection=plan.protection.kind,
        protection_options=dict(plan.protection.describe()),
        settings={},
        proof=Proof(status="not_checked", method="the run ended before the arm was loaded"),
        statement_mode="",
        driver="",
        copies=(),
    )
