"""Brings a data group to the point where it can be measured: loaded, proven, and found equal.

Also the commands that do only that, or take it back: `prepare` and `cleanup`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ciphermark.plan.build import build_experiment
from ciphermark.plan.experiment import Experiment
from ciphermark.plan.schema import PlanFile
from ciphermark.progress import Progress
from ciphermark.proof.encryption import combine
from ciphermark.proof.markers import drop_owned, make_markers
from ciphermark.run.context import RunContext
from ciphermark.run.folder import RunFolder
from ciphermark.run.groups import DataGroup, data_groups
from ciphermark.run.provision import Copies, encryptions, place_copies, provision
from ciphermark.run.state import RunState, plan_of
from ciphermark.run.trust import arm_facts, checks_after_load, prove_arm

__all__ = ["cleanup", "deployed", "load_group", "prepare", "prove_group", "renew_group"]

RELOADED_DRAW = 3
"""Every third draw loads the data anew; the others restart the servers."""


@contextlib.contextmanager
def deployed(run: RunContext, group: DataGroup) -> Iterator[DataGroup]:
    """The group on an engine whose servers run, until the context ends."""
    how = encryptions(run.experiment, group.engine, run.folder)
    arms = {arm: how[arm] for arm in group.arms}
    place = run.folder.data / group.name
    copies = run.experiment.control.copies
    with group.engine.deploy(arms, copies, group.demand, place) as engine:
        yield group.on(engine)


def load_group(run: RunContext, group: DataGroup) -> Copies:
    """The group's copies; loads, proves and checks them unless that is done already."""
    how = encryptions(run.experiment, group.engine, run.folder)
    copies = place_copies(run.experiment, group, run.folder, how)
    if group.name not in run.state.provisioned:
        place = run.folder.data / group.name
        provision(group, copies, run.state.id, place, run.progress)
        prove_group(run, group, copies)
        results = list(checks_after_load(run, group, copies, place))
        run.state.keep_consistency(results)
        run.state.mark_provisioned(group.name)
    return copies


def renew_group(run: RunContext, group: DataGroup, copies: Copies, draw: int) -> None:
    """Makes every copy anew: by a restart of its server, and every third time by loading."""
    restarted = (
        [group.engine.renew(copy) for wanted in copies.values() for copy in wanted]
        if (draw + 1) % RELOADED_DRAW
        else [False]
    )
    if not all(restarted):
        provision(group, copies, run.state.id, run.folder.data / group.name, run.progress)


def prove_group(run: RunContext, group: DataGroup, copies: Copies) -> None:
    """Proves every arm, before its first transaction and after its last; the weaker word stays."""
    markers = make_markers(run.state.id)
    for arm in run.experiment.arms:
        if arm.name not in copies:
            continue
        run.progress.phase("prove", f"{group.name}, {arm.name}")
        proof = prove_arm(group.engine, arm, copies[arm.name], markers)
        earlier = run.state.arms.get((group.name, arm.name))
        if earlier is None:
            facts = arm_facts(group, arm, copies[arm.name], proof)
        else:
            facts = earlier.model_copy(update={"proof": combine([earlier.proof, proof])})
        if proof.status == "refuted":
            run.progress.message(f"{arm.name}: refuted: {'; '.join(proof.details)}")
        run.state.keep_arm(group.name, facts)


def prepare(plan: PlanFile, out: Path, progress: Progress) -> None:
    """Loads all data of a plan into a new result folder, for `run --resume` to go on with."""
    experiment = build_experiment(plan)
    with RunFolder.create(out, experiment.name) as folder:
        state = RunState.begin(experiment, folder)
        with state.journal:
            run = RunContext(experiment, folder, state, progress)
            for group in data_groups(experiment):
                with deployed(run, group) as running:
                    load_group(run, running)


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
