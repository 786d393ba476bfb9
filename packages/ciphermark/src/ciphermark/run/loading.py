"""Brings a data group to the point where it can be measured: loaded, proven, and found equal.

Also the commands that do only that, or take it back: `prepare` and `cleanup`.
"""

from __future__ import annotations

from pathlib import Path

from ciphermark.plan.build import build_experiment
from ciphermark.plan.experiment import Experiment
from ciphermark.plan.schema import PlanFile
from ciphermark.progress import Progress
from ciphermark.proof.encryption import combine
from ciphermark.proof.markers import drop_owned, make_markers
from ciphermark.run.folder import RunFolder
from ciphermark.run.groups import DataGroup, data_groups
from ciphermark.run.provision import Copies, encryptions, place_copies, provision
from ciphermark.run.state import RunState, plan_of
from ciphermark.run.trust import arm_facts, checks_after_load, prove_arm

__all__ = ["cleanup", "load_group", "prepare", "prove_group"]


def load_group(
    experiment: Experiment,
    group: DataGroup,
    folder: RunFolder,
    state: RunState,
    progress: Progress,
) -> Copies:
    """The group's copies; loads, proves and checks them unless that is done already."""
    how = encryptions(experiment, group.engine, folder)
    copies = place_copies(experiment, group, folder, how)
    if group.name not in state.provisioned:
        place = folder.data / group.name
        provision(group, copies, state.id, place, progress)
        prove_group(experiment, group, copies, state, progress)
        results = list(checks_after_load(group, copies, experiment, place, progress))
        state.keep_consistency(results)
        state.mark_provisioned(group.name)
    return copies


def prove_group(
    experiment: Experiment,
    group: DataGroup,
    copies: Copies,
    state: RunState,
    progress: Progress,
) -> None:
    """Proves every arm, before its first transaction and after its last; the weaker word stays."""
    markers = make_markers(state.id)
    for arm in experiment.arms:
        if arm.name not in copies:
            continue
        progress.phase("prove", f"{group.name}, {arm.name}")
        proof = prove_arm(group.engine, arm, copies[arm.name], markers)
        earlier = state.arms.get((group.name, arm.name))
        if earlier is None:
            facts = arm_facts(experiment, group, arm, copies[arm.name], proof)
        else:
            facts = earlier.model_copy(update={"proof": combine([earlier.proof, proof])})
        if proof.status == "refuted":
            progress.message(f"{arm.name}: refuted: {'; '.join(proof.details)}")
        state.keep_arm(group.name, facts)


def prepare(plan: PlanFile, out: Path, progress: Progress) -> None:
    """Loads all data of a plan into a new result folder, for `run --resume` to go on with."""
    experiment = build_experiment(plan)
    with RunFolder.create(out, experiment.name) as folder:
        state = RunState.begin(experiment, folder)
        with state.journal:
            for group in data_groups(experiment):
                load_group(experiment, group, folder, state, progress)


def cleanup(path: Path) -> list[str]:
    """Drops the copies that a run left in its folder, and its keys; returns what was removed.

    Only databases that carry the run's own marker are dropped; another one in their place raises
    `EngineError` and stays.
    """
    experiment = build_experiment(plan_of(path))
    removed = []
    with RunFolder.open(path) as folder:
        state = RunState.resume(experiment, folder)
        with state.journal:
            for group in data_groups(experiment):
                if (folder.data / group.name).is_dir():
                    removed += _drop_group(experiment, group, folder, state.id)
        for place in (folder.data, folder.keys):
            if place.is_dir():
                removed.append(str(place))
        folder.remove_data()
    return removed


def _drop_group(
    experiment: Experiment, group: DataGroup, folder: RunFolder, experiment_id: str
) -> list[str]:
    how = encryptions(experiment, group.engine, folder)
    removed = []
    for wanted in place_copies(experiment, group, folder, how).values():
        for copy in wanted:
            if group.engine.exists(copy):
                drop_owned(group.engine, copy, experiment_id)
                removed.append(copy.location)
    return removed
