"""Runs an experiment from its plan to its report, and goes on with one that was interrupted."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

from ciphermark.errors import CiphermarkError
from ciphermark.measurement.environment import collect
from ciphermark.plan.build import build_experiment
from ciphermark.plan.schema import PlanFile
from ciphermark.progress import Progress
from ciphermark.results.document import ResultDocument
from ciphermark.results.files import write_result
from ciphermark.run.assembly.document import RunStatus, assemble
from ciphermark.run.context import RunContext
from ciphermark.run.folder import RunFolder
from ciphermark.run.groups import DataGroup, data_groups
from ciphermark.run.loading import deployed, load_group, prove_group, renew_group
from ciphermark.run.measure import PointMeasurement
from ciphermark.run.provision import Copies, drop_copies
from ciphermark.run.reports import write_reports
from ciphermark.run.state import RunState, plan_of
from ciphermark.run.trust import checks_after_run

__all__ = ["RunOutcome", "run_experiment"]

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_INVALID = 4
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run came to: its document, its folder, the report to open, and the exit code."""

    document: ResultDocument
    folder: Path
    report: Path
    exit_code: int
    error: CiphermarkError | None = None


def run_experiment(
    plan: PlanFile | None,
    out: Path | None,
    progress: Progress,
    resume: Path | None = None,
    *,
    keep_data: bool = False,
) -> RunOutcome:
    """Carries out a plan, or goes on with the run in the folder `resume`.

    Whatever ends the run, the batches that were finished are in the journal, and result and
    reports are made from them. Raises `CiphermarkError` only for what goes wrong before the first
    byte is written: a plan that cannot be carried out, a folder that cannot be used.
    """
    if resume is not None:
        plan = plan_of(resume) if plan is None else plan
    assert plan is not None, "a new run needs a plan"
    experiment = build_experiment(plan)
    with ExitStack() as stack:
        if resume is not None:
            folder = stack.enter_context(RunFolder.open(resume))
            state = RunState.resume(experiment, folder)
        else:
            folder = stack.enter_context(RunFolder.create(out, experiment.name))
            state = RunState.begin(experiment, folder)
        stack.callback(state.journal.close)
        stack.enter_context(_termination_as_interrupt())
        environment = collect(folder.path)
        status, stopped_by, error = _carry_out(RunContext(experiment, folder, state, progress))
        progress.phase("report", "")
        document = assemble(state, folder, environment, status, stopped_by)
        write_result(document, folder.path)
        report = write_reports(document, folder.path)
        if status == "complete" and not keep_data:
            folder.remove_data()
    return RunOutcome(document, folder.path, report, _exit_code(document, status), error)


def _exit_code(document: ResultDocument, status: RunStatus) -> int:
    if status == "interrupted":
        return EXIT_INTERRUPTED
    if status == "failed":
        return EXIT_FAILED
    return EXIT_DONE if document.valid else EXIT_INVALID


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """SIGTERM ends a run as Ctrl-C does: what is finished is kept."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _carry_out(run: RunContext) -> tuple[RunStatus, str, CiphermarkError | None]:
    """All that is not finished yet; how it ended, and why."""
    started_s = time.perf_counter() - run.state.elapsed_before_s
    try:
        for group in data_groups(run.experiment):
            if group.name not in run.state.finished_groups:
                with deployed(run, group) as running:
                    _run_group(run, running, started_s)
    except KeyboardInterrupt:
        return "interrupted", "interrupt", None
    except CiphermarkError as error:
        return "failed", str(error), error
    return "complete", _stopped_by(run.state), None


def _stopped_by(state: RunState) -> str:
    """What ended the points: one word if it was the same for all."""
    return ", ".join(
        dict.fromkeys(state.outcomes[point.key].stopped_by for point in state.experiment.points)
    )


def _run_group(run: RunContext, group: DataGroup, started_s: float) -> None:
    """Loads a group's copies, proves them, measures its points, checks the data, drops them."""
    copies = load_group(run, group)
    for stream, point in zip(group.streams, group.points, strict=True):
        if point.key not in run.state.finished_points:
            outcome = run.state.outcome(point.key)
            outcome.regime = _regime(group, copies)
            measurement = PointMeasurement(
                run.experiment,
                point,
                stream,
                [copies[arm] for arm in point.arms],
                outcome,
                run.state.keep_batch,
                partial(renew_group, run, group, copies),
                run.progress,
                started_s,
            )
            measurement.run()
            run.state.finish_point(outcome)
    run.state.keep_consistency(list(checks_after_run(run, group, copies)))
    prove_group(run, group, copies)
    run.state.finish_group(group.name)
    drop_copies(group.engine, copies)


def _regime(group: DataGroup, copies: Copies) -> str:
    """Whether the data fit into the page cache, with the sizes."""
    first = next(iter(copies.values()))[0]
    cache = group.engine.cache_bytes(first)
    size = sum(file.path.stat().st_size for file in group.engine.files(first))
    if cache is None:
        return f"data {_mib(size)} MiB a copy, cache unknown"
    where = "in memory" if size <= cache else "larger than the cache"
    return f"{where}: data {_mib(size)} MiB a copy, cache {_mib(cache)} MiB a connection"


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f}"
