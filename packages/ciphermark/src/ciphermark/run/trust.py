"""Checks of a group's copies: are they encrypted, equal in all else, and whole?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.engine.base import Copy, Engine, TableDigest
from ciphermark.plan.experiment import ArmPlan, Experiment, Point
from ciphermark.proof.consistency import Moment, check_consistency
from ciphermark.proof.encryption import combine, prove
from ciphermark.proof.equality import data_differences
from ciphermark.proof.markers import Markers
from ciphermark.proof.replay import replay
from ciphermark.results.document import Arm, ConsistencyResult, CopyInfo, EncryptionInfo, Proof
from ciphermark.run.context import RunContext
from ciphermark.run.groups import DataGroup
from ciphermark.run.provision import Copies

__all__ = ["arm_facts", "checks_after_load", "checks_after_run", "prove_arm"]

REPLAYED = 200
"""Transactions of the replay that must leave equal data in every arm."""


def prove_arm(engine: Engine, arm: ArmPlan, copies: Sequence[Copy], markers: Markers) -> Proof:
    """The weakest proof of the arm's copies; all of them are searched."""
    return combine([prove(engine, copy, arm.protection, markers) for copy in copies])


def arm_facts(group: DataGroup, arm: ArmPlan, copies: Sequence[Copy], proof: Proof) -> Arm:
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
    run: RunContext, group: DataGroup, copies: Copies, folder: Path
) -> Iterator[ConsistencyResult]:
    """Equal data in all copies after the load, and in all arms after the same transactions."""
    tables = [table.name for table in group.data.tables]
    control = copies[run.experiment.control.name][0]
    run.progress.phase("check", f"{group.name}: data of all copies")
    expected = group.engine.digests(control, tables)
    for arm, wanted in copies.items():
        for copy in wanted:
            found = group.engine.digests(copy, tables)
            differences = data_differences((control.arm, expected), (arm, found))
            yield _result(copy, "equal data", "after load", differences)
    yield from workload_conditions(group, copies, "after load")
    for point in _one_per_workload(group.points):
        if point.workload.writes:
            run.progress.phase("check", f"{group.name}: replay of {point.workload.name}")
            yield from _after_replay(group, copies, point, run.experiment, folder)


def _one_per_workload(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple({point.workload.name: point for point in points}.values())


def _after_replay(
    group: DataGroup, copies: Copies, point: Point, experiment: Experiment, folder: Path
) -> Iterator[ConsistencyResult]:
    """Replays on scratch copies, so that those that will be measured stay as they were loaded."""
    control = copies[experiment.control.name][0]
    replayed = _Replay(group, point, experiment.seed, folder)
    expected = replayed.digests(control)
    if expected is None:
        return
    for arm, wanted in copies.items():
        if arm == control.arm:
            continue
        found = replayed.digests(wanted[0])
        assert found is not None, "an engine that clones one copy clones them all"
        differences = data_differences((control.arm, expected), (arm, found))
        check = f"equal data: {point.workload.name}"
        yield _result(wanted[0], check, "after replay", differences)


@dataclass(frozen=True, slots=True)
class _Replay:
    """The same transactions by one terminal, on a scratch copy of any arm."""

    group: DataGroup
    point: Point
    seed: int
    folder: Path

    def digests(self, source: Copy) -> Sequence[TableDigest] | None:
        """Digests of the scratch copy after the replay; None when the engine cannot clone."""
        engine = self.group.engine
        place = engine.locate("scratch", 0, self.folder)
        scratch = Copy(source.arm, source.index, place, source.encryption)
        if not engine.clone(source, scratch):
            return None
        try:
            replay(
                engine,
                scratch,
                self.point.workload,
                transactions=REPLAYED,
                seed=self.seed,
                mode=self.point.statement_mode,
            )
            return engine.digests(scratch, [table.name for table in self.group.data.tables])
        finally:
            engine.drop(scratch)


def checks_after_run(
    run: RunContext, group: DataGroup, copies: Copies
) -> Iterator[ConsistencyResult]:
    """The workloads' own conditions, on every copy."""
    run.progress.phase("check", f"{group.name}: consistency after the run")
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
