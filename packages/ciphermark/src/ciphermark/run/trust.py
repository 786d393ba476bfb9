"""Checks of a group's copies: are they encrypted, equal in all else, and whole?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ciphermark.engine.base import Copy, Engine, TableDigest
from ciphermark.plan.experiment import ArmPlan, Experiment, Point
from ciphermark.progress import Progress
from ciphermark.proof.consistency import Moment, check_consistency
from ciphermark.proof.encryption import combine, prove
from ciphermark.proof.equality import data_differences
from ciphermark.proof.markers import Markers
from ciphermark.proof.replay import replay
from ciphermark.results.document import Arm, ConsistencyResult, CopyInfo, EncryptionInfo, Proof
from ciphermark.run.groups import DataGroup
from ciphermark.run.provision import Copies

__all__ = ["arm_facts", "checks_after_load", "checks_after_run", "prove_arm"]

REPLAYED = 200
"""Transactions of the replay that must leave equal data in every arm."""


def prove_arm(engine: Engine, arm: ArmPlan, copies: Sequence[Copy], markers: Markers) -> Proof:
    """The weakest proof of the arm's copies; all of them are searched."""
    return combine([prove(engine, copy, arm.protection, markers) for copy in copies])


def arm_facts(
    experiment: Experiment, group: DataGroup, arm: ArmPlan, copies: Sequence[Copy], proof: Proof
) -> Arm:
    """The arm as the result document describes it."""
    engine, first = group.engine, copies[0]
    drivers = engine.drivers()
    return Arm(
        name=arm.name,
        label=arm.protection.label,
        control=arm.control,
        repeat_of_control=arm.repeat_of_control,
        engine=engine.kind,
        version=engine.version(),
        protection=arm.protection.kind,
        protection_options=dict(arm.protection.describe()),
        cipher=first.encryption.cipher if first.encryption else "",
        encryption=_encryption_info(engine, first),
        settings=dict(engine.settings(first)),
        proof=proof,
        statement_mode=", ".join(sorted({point.statement_mode for point in group.points})),
        driver=", ".join(f"{name} {version}" for name, version in drivers.items()),
        copies=tuple(
            CopyInfo(index=copy.index, draw=0, bytes=_size(engine, copy)) for copy in copies
        ),
    )


def _size(engine: Engine, copy: Copy) -> int:
    return sum(Path(file.path).stat().st_size for file in engine.files(copy))


def _encryption_info(engine: Engine, copy: Copy) -> EncryptionInfo | None:
    if copy.encryption is None:
        return None
    facts = engine.encryption_facts(copy)
    cold = engine.cold_connection(copy)
    return EncryptionInfo(
        cipher=facts.cipher,
        authenticated=facts.authenticated,
        reserved_bytes_per_page=facts.reserved_bytes_per_page,
        page_size=facts.page_size,
        page_count=facts.page_count,
        cold_connection_ms=cold.key_ms,
        cold_passphrase_ms=cold.passphrase_ms,
    )


def checks_after_load(
    group: DataGroup,
    copies: Copies,
    experiment: Experiment,
    folder: Path,
    progress: Progress,
) -> Iterator[ConsistencyResult]:
    """Equal data in all copies after the load, and in all arms after the same transactions."""
    tables = [table.name for table in group.data.tables]
    control = copies[experiment.control.name][0]
    progress.phase("check", f"{group.name}: data of all copies")
    expected = group.engine.digests(control, tables)
    for arm, wanted in copies.items():
        for copy in wanted:
            found = group.engine.digests(copy, tables)
            differences = data_differences((control.arm, expected), (arm, found))
            yield _result(copy, "equal data", "after load", differences)
    for point in _one_per_workload(group.points):
        yield from _after_replay(group, copies, point, experiment, folder, progress)


def _one_per_workload(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple({point.workload.name: point for point in points}.values())


def _after_replay(
    group: DataGroup,
    copies: Copies,
    point: Point,
    experiment: Experiment,
    folder: Path,
    progress: Progress,
) -> Iterator[ConsistencyResult]:
    """Replays on scratch copies, so that those that will be measured stay as they were loaded."""
    if not point.workload.writes:
        return
    progress.phase("check", f"{group.name}: replay of {point.workload.name}")
    tables = [table.name for table in group.data.tables]
    control = copies[experiment.control.name][0]
    expected = _replayed(group.engine, control, point, experiment.seed, tables, folder)
    if expected is None:
        return
    for arm, wanted in copies.items():
        if arm == control.arm:
            continue
        found = _replayed(group.engine, wanted[0], point, experiment.seed, tables, folder)
        assert found is not None, "an engine that clones one copy clones them all"
        differences = data_differences((control.arm, expected), (arm, found))
        check = f"equal data: {point.workload.name}"
        yield _result(wanted[0], check, "after replay", differences)


def _replayed(
    engine: Engine,
    source: Copy,
    point: Point,
    seed: int,
    tables: Sequence[str],
    folder: Path,
) -> Sequence[TableDigest] | None:
    """Digests of a scratch copy after the replay; None when the engine cannot clone."""
    scratch = Copy(
        source.arm,
        source.index,
        engine.locate("scratch", 0, folder),
        source.encryption,
    )
    if not engine.clone(source, scratch):
        return None
    try:
        replay(
            engine,
            scratch,
            point.workload,
            transactions=REPLAYED,
            seed=seed,
            mode=point.statement_mode,
        )
        return engine.digests(scratch, tables)
    finally:
        engine.drop(scratch)


def checks_after_run(
    group: DataGroup, copies: Copies, progress: Progress
) -> Iterator[ConsistencyResult]:
    """The workloads' own conditions, on every copy."""
    progress.phase("check", f"{group.name}: consistency after the run")
    yield from workload_conditions(group, copies, "after run")


def workload_conditions(
    group: DataGroup, copies: Copies, moment: Moment
) -> Iterator[ConsistencyResult]:
    """The conditions of all workloads of the group, on every copy."""
    for point in _one_per_workload(group.points):
        for wanted in copies.values():
            for copy in wanted:
                yield from check_consistency(group.engine, copy, point.workload, moment)


def _result(
    copy: Copy, check: str, moment: Moment, differences: Sequence[str]
) -> ConsistencyResult:
    return ConsistencyResult(
        arm=copy.arm,
        copy_index=copy.index,
        check=check,
        moment=moment,
        passed=not differences,
        details="; ".join(differences),
    )
