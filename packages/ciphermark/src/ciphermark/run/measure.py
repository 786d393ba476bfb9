"""Measures one point: warm-up, then batches of slices, or blocks, until it is precise enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ciphermark.engine.base import Copy, SessionKind
from ciphermark.errors import MeasurementError
from ciphermark.loadgen.orders import BatchReport, Cell, LoadSpec, SliceOrder
from ciphermark.loadgen.pool import WorkerPool, default_workers
from ciphermark.measurement.probes import Sampler
from ciphermark.plan.experiment import Experiment, Point
from ciphermark.progress import Progress
from ciphermark.results.journal import BatchRecord
from ciphermark.run.calibrate import WARM_UP_ROUND, slice_size, warm_up
from ciphermark.run.outcome import PointOutcome
from ciphermark.run.records import cell_records
from ciphermark.run.schedule import batch_orders, rounds_per_batch
from ciphermark.run.server_cpu import ServerCPU
from ciphermark.statistics.precision import enough

__all__ = ["PointMeasurement"]

NS_PER_S = 1_000_000_000
DISCARDED_MAX = 10
BATCHES_MIN = 2
"""Of each draw, measured even past the time limit: one batch has no interval."""
QUIESCE_S = 30.0
BLOCK_WARM_UP_S_MAX = 1.0


class PointMeasurement:
    """Runs one point; each finished batch goes to `keep` before the next one starts.

    `renew` makes all copies anew for the draw whose number it is given.
    """

    def __init__(
        self,
        experiment: Experiment,
        point: Point,
        stream: int,
        copies: Sequence[Sequence[Copy]],
        outcome: PointOutcome,
        keep: Callable[[BatchRecord], None],
        renew: Callable[[int], None],
        progress: Progress,
        started_s: float,
    ) -> None:
        multiplexed = point.engine.session_kind is SessionKind.MULTIPLEXED
        self._experiment = experiment
        self._point = point
        self._stream = stream
        self._copies = copies
        self._outcome = outcome
        self._keep = keep
        self._renew = renew
        self._draw = 0
        self._progress = progress
        self._started_s = started_s
        self._spec = LoadSpec(
            engine=point.engine,
            workload=point.workload,
            copies=tuple(tuple(arm) for arm in copies),
            statement_mode=point.statement_mode,
            terminals=point.terminals,
            workers=point.workers or default_workers(point.terminals, multiplexed=multiplexed),
            seed=experiment.seed,
            stream=stream,
            rate_tps=point.rate_tps,
            latency_limit_ns=_to_ns(point.latency_limit_ms),
        )
        outcome.workers = self._spec.workers

    def run(self) -> None:
        """Measures until precise enough, or until the time is up; fills the outcome."""
        records = self._outcome.records
        first = records[-1].draw if records else 0
        for draw in range(first, self._experiment.draws):
            if draw > first:
                self._progress.phase("renew", f"copies for draw {draw + 1}")
                self._renew(draw)
            self._draw = draw
            self._run_draw()
        if text := self._outcome.advice_text(self._experiment.confidence):
            self._progress.message(text)

    def _run_draw(self) -> None:
        """The batches of one draw, with the same copies and sessions."""
        self._server_cpu = ServerCPU(self._point.engine, self._copies)
        self._spec = replace(self._spec, draw=self._draw)
        with WorkerPool(self._spec) as pool, Sampler(lambda: pool.pids, pss=False) as sampler:
            self._progress.phase("warm-up", self._point.key)
            reports = warm_up(pool, self._spec, self._point.warm_up_s)
            if self._outcome.size is None:
                self._outcome.size = slice_size(reports, self._spec, self._point)
            self._progress.phase("measure", self._point.key)
            batches = self._blocks(pool) if self._point.mode == "blocks" else self._slices(pool)
            for record in batches:
                self._keep(record)
                self._outcome.records.append(record)
                self._show()
            self._outcome.probes = sampler.stop()

    def _slices(self, pool: WorkerPool) -> Iterator[BatchRecord]:
        """Batches of short slices."""
        size = self._outcome.size
        assert size is not None
        copies = len(self._copies[0])
        rounds = rounds_per_batch(copies)
        while not self._done():
            index, first_round = self._next()
            orders = batch_orders(
                arms=len(self._copies),
                copies=copies,
                first_round=first_round,
                rounds=rounds,
                seed=self._experiment.seed,
                stream=self._stream,
                duration_ns=size.duration_ns,
                count=size.count,
            )
            before = self._server_cpu.read() if self._server_cpu.apart else {}
            begun = time.perf_counter()
            report = pool.run(orders)
            measured_s = time.perf_counter() - begun
            after = self._server_cpu.read() if self._server_cpu.apart else {}
            if not self._discards(report):
                used = ServerCPU.between(before, after)
                yield self._record([report], used, index, first_round, rounds, measured_s)

    def _blocks(self, pool: WorkerPool) -> Iterator[BatchRecord]:
        """One round of blocks for each batch: quiesced and warmed up before each block."""
        size = self._outcome.size
        assert size is not None
        copies = len(self._copies[0])
        length_ns = int(self._point.block_s * NS_PER_S)
        fewest = self._point.workload.slice_count_min
        count = None if size.count is None else max(size.count_within(length_ns), fewest)
        draws = self._experiment.draws
        # The rounds are spread over the draws as evenly as can be.
        wanted = -(-self._point.block_rounds * (self._draw + 1) // draws)
        while len(self._outcome.records) < wanted:
            index, first_round = self._next()
            orders = batch_orders(
                arms=len(self._copies),
                copies=1,
                first_round=first_round,
                rounds=1,
                seed=self._experiment.seed,
                stream=self._stream,
                duration_ns=length_ns if count is None else None,
                count=count,
            )
            copy = first_round % copies
            used: dict[Cell, int] = {}
            reports = [
                self._block(pool, replace(order, cell=(order.cell[0], copy)), used)
                for order in orders
            ]
            if any(self._discards(report) for report in reports):
                continue
            spent_ns = sum(one.cells[o.cell].time_ns for one in reports for o in one.orders)
            yield self._record(reports, used, index, first_round, 1, spent_ns / NS_PER_S)
        self._outcome.stopped_by = "planned blocks"

    def _block(self, pool: WorkerPool, order: SliceOrder, used: dict[Cell, int]) -> BatchReport:
        """One block behind a short warm-up; background work of other arms is over before.

        Adds the CPU that the copy's server used to `used`.
        """
        begun = time.perf_counter()
        for arm, copies in enumerate(self._copies):
            copy = copies[order.cell[1]]
            if not self._point.engine.quiesce(copy, QUIESCE_S):
                name = self._point.arms[arm]
                self._progress.message(
                    f"{name}: background work was not over after {QUIESCE_S:.0f} s"
                )
        self._outcome.waited_s += time.perf_counter() - begun
        if order.duration_ns is not None:
            lead_ns = min(order.duration_ns // 10, int(BLOCK_WARM_UP_S_MAX * NS_PER_S))
            pool.run([SliceOrder(order.cell, WARM_UP_ROUND + order.round, lead_ns)])
        before = self._server_cpu.read([order.cell])
        report = pool.run([order])
        used |= ServerCPU.between(before, self._server_cpu.read([order.cell]))
        return report

    def _next(self) -> tuple[int, int]:
        """Index of the next batch, and its first round: behind all that were ever kept."""
        records = self._outcome.records
        if not records:
            return 0, 0
        last = records[-1]
        return last.index + 1, last.first_round + last.rounds

    def _discards(self, report: BatchReport) -> bool:
        """Whether the batch must be thrown away: no figure comes from a broken slice."""
        if not report.clock_warning:
            return False
        self._outcome.discarded += 1
        self._progress.message(f"a batch was discarded: {report.clock_warning}")
        if self._outcome.discarded > DISCARDED_MAX:
            raise MeasurementError(
                f"more than {DISCARDED_MAX} batches had to be discarded: {report.clock_warning}",
                remedy="Measure on a machine that is neither suspended nor has its clock set",
            )
        return True

    def _record(
        self,
        reports: Sequence[BatchReport],
        server_cpu_ns: Mapping[Cell, int],
        index: int,
        first_round: int,
        rounds: int,
        measured_s: float,
    ) -> BatchRecord:
        return BatchRecord(
            point=self._point.key,
            index=index,
            draw=self._draw,
            first_round=first_round,
            rounds=rounds,
            ended_s=time.perf_counter() - self._started_s,
            measured_s=measured_s,
            cells=cell_records(
                reports,
                self._point.arms,
                first_copy=self._draw * len(self._copies[0]),
                server_cpu_ns=server_cpu_ns,
            ),
        )

    def _done(self) -> bool:
        """Whether the draw needs no more batches; the last one may end when precise enough."""
        outcome, draws = self._outcome, self._experiment.draws
        in_draw = [record for record in outcome.records if record.draw == self._draw]
        if len(in_draw) < BATCHES_MIN:
            return False
        if outcome.measured_s >= self._point.time_limit_s * (self._draw + 1) / draws:
            outcome.stopped_by = "time limit"
            return True
        if enough(
            outcome.estimates(self._experiment.confidence),
            batches=len(outcome.records),
            draws_done=self._draw + 1,
            draws_planned=draws,
            precision=self._point.precision,
        ):
            outcome.stopped_by = "precision"
            return True
        return False

    def _show(self) -> None:
        outcome, total_s = self._outcome, self._point.time_limit_s
        if self._point.mode == "blocks":
            done_s = total_s * len(outcome.records) / self._point.block_rounds
        else:
            done_s = min(outcome.measured_s, total_s)
        estimates = outcome.estimates(self._experiment.confidence)
        self._progress.update(done_s, total_s, outcome.interval_text(estimates))


def _to_ns(limit_ms: float | None) -> int | None:
    return None if limit_ms is None else int(limit_ms * 1e6)
