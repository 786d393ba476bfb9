"""Every arm against the control, in every metric, at one point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ciphermark.engine.base import SessionKind
from ciphermark.errors import MeasurementError
from ciphermark.measurement.histogram import bin_edges
from ciphermark.plan.experiment import Experiment
from ciphermark.proof.validity import ArmFacts, comparison_reasons
from ciphermark.results.document import Arm, Comparison, ConsistencyResult, Metric, NoiseFloor
from ciphermark.results.journal import BatchRecord
from ciphermark.run.assembly.points import cells_of
from ciphermark.run.calibrate import TRANSACTIONS_PER_SLICE_MIN
from ciphermark.run.outcome import PointOutcome
from ciphermark.run.records import (
    cpu_totals,
    has_server_cpu,
    histogram_counts,
    server_cpu_totals,
    time_totals,
)
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.holm import significant
from ciphermark.statistics.latency import latency_ratios
from ciphermark.statistics.noise_floor import interval
from ciphermark.statistics.totals import ArmTotals, Estimate
from ciphermark.statistics.verdict import Finding, verdict

__all__ = ["PointComparison", "compare_point", "comparisons", "noise_floors"]

UNITS: dict[Metric, str] = {
    "throughput": "1/s",
    "latency_mean": "ms",
    "latency_p50": "ms",
    "latency_p95": "ms",
    "latency_p99": "ms",
    "cpu_per_transaction": "µs",
    "server_cpu_per_transaction": "µs",
    "client_cpu_per_transaction": "µs",
}
NS_PER_UNIT = {"1/s": 1e9, "ms": 1e6, "µs": 1e3}


@dataclass(frozen=True, slots=True)
class PointComparison:
    """One arm against the control in one metric, before there are words for it."""

    outcome: PointOutcome
    arm: str
    metric: Metric
    estimate: Estimate
    control_value: float
    arm_value: float
    reasons: tuple[str, ...] = ()
    significant: bool | None = None


def compare_point(
    outcome: PointOutcome,
    experiment: Experiment,
    arms: dict[str, Arm],
    consistency: Sequence[ConsistencyResult],
) -> Iterator[PointComparison]:
    """All comparisons of a point that its batches allow; none when there are too few."""
    point, records = outcome.point, outcome.records
    if len(records) < 2:
        return
    control = point.arms[0]
    copies = outcome.copies
    confidence = experiment.confidence
    totals = _totals_by_metric(outcome)
    for arm in point.arms[1:]:
        reasons = _reasons(outcome, experiment, arms, control, arm, consistency)
        for metric, totals_of in totals.items():
            mine, theirs = totals_of(records, arm, copies), totals_of(records, control, copies)
            try:
                estimate = overhead(mine, theirs, confidence)
            except MeasurementError as error:
                outcome.reasons.append(f"{arm}: {error.what}")
                continue
            yield PointComparison(
                outcome,
                arm,
                metric,
                estimate,
                control_value=_value(theirs, metric),
                arm_value=_value(mine, metric),
                reasons=reasons,
            )
        yield from _latencies(outcome, arm, control, copies, confidence, reasons)


TotalsOf = Callable[[Sequence[BatchRecord], str, int], ArmTotals]


def _totals_by_metric(outcome: PointOutcome) -> dict[Metric, TotalsOf]:
    """What is compared beside latency: CPU of client and server apart where they are apart."""
    if outcome.point.engine.session_kind is SessionKind.BLOCKING and not has_server_cpu(
        outcome.records
    ):
        return {"throughput": time_totals, "cpu_per_transaction": cpu_totals}
    totals: dict[Metric, TotalsOf] = {
        "throughput": time_totals,
        "client_cpu_per_transaction": cpu_totals,
    }
    if has_server_cpu(outcome.records):
        totals["server_cpu_per_transaction"] = server_cpu_totals
    return totals


def _value(totals: ArmTotals, metric: Metric) -> float:
    """Throughput in 1/s, or the resource per transaction in the metric's unit."""
    amount, work = float(totals.amount.sum()), float(totals.work.sum())
    scale = NS_PER_UNIT[UNITS[metric]]
    return work / amount * scale if metric == "throughput" else amount / work / scale


def _latencies(
    outcome: PointOutcome,
    arm: str,
    control: str,
    copies: int,
    confidence: float,
    reasons: tuple[str, ...],
) -> Iterator[PointComparison]:
    mine = histogram_counts(outcome.records, arm, copies)
    theirs = histogram_counts(outcome.records, control, copies)
    try:
        rounds = sum(record.rounds for record in outcome.records)
        ratios = latency_ratios(mine, theirs, bin_edges(), confidence, rounds=rounds)
    except MeasurementError as error:
        outcome.reasons.append(f"{arm}: {error.what}")
        return
    for metric, ratio in ratios.items():
        yield PointComparison(
            outcome,
            arm,
            metric,
            ratio.estimate,
            control_value=ratio.control_ns / 1e6,
            arm_value=ratio.arm_ns / 1e6,
            reasons=reasons,
        )


def _reasons(
    outcome: PointOutcome,
    experiment: Experiment,
    arms: dict[str, Arm],
    control: str,
    arm: str,
    consistency: Sequence[ConsistencyResult],
) -> tuple[str, ...]:
    """Why the comparison is not valid; nothing when it is."""
    encrypts = {plan.name: plan.protection.encrypts for plan in experiment.arms}

    def facts(name: str) -> ArmFacts:
        cells = cells_of(outcome, name)
        return ArmFacts(
            name=name,
            encrypts=encrypts[name],
            proof=arms[name].proof,
            settings=arms[name].settings,
            driver=arms[name].driver,
            statement_mode=arms[name].statement_mode,
            transactions=sum(cell.transactions for cell in cells),
            errors=sum(sum(cell.errors.values()) for cell in cells),
            changes=sum(cell.changes for cell in cells),
            unchanged=sum(cell.unchanged for cell in cells),
            consistency=tuple(result for result in consistency if result.arm == name),
        )

    found = comparison_reasons(
        facts(control),
        facts(arm),
        expected_differences=outcome.point.engine.expected_differences(),
        error_budget=experiment.error_budget,
        writes=outcome.point.workload.writes,
    )
    return tuple(dict.fromkeys((*found, *outcome.reasons, *_short_slices(outcome))))


def _short_slices(outcome: PointOutcome) -> Iterator[str]:
    """Slices with few transactions measure how they begin and end."""
    point = outcome.point
    if point.mode == "blocks":
        return
    for arm in point.arms:
        cells = cells_of(outcome, arm)
        slices = sum(cell.rounds for cell in cells) * point.terminals
        mean = sum(cell.transactions for cell in cells) / max(slices, 1)
        if mean < TRANSACTIONS_PER_SLICE_MIN:
            yield (
                f"a slice of {arm} held only {mean:.1f} transactions of a terminal: below "
                f"{TRANSACTIONS_PER_SLICE_MIN}, measure in blocks or with longer slices"
            )


def with_significance(compared: Sequence[PointComparison]) -> list[PointComparison]:
    """Marks what stays significant after Holm's correction, over all comparisons but A/A."""
    tested = [one for one in compared if not one.metric.startswith("latency")]
    decisions = significant([one.estimate for one in tested]) if tested else ()
    by_identity = {id(one): decision for one, decision in zip(tested, decisions, strict=True)}
    return [replace(one, significant=by_identity.get(id(one))) for one in compared]


def comparisons(
    compared: Sequence[PointComparison], experiment: Experiment, arms: dict[str, Arm]
) -> Iterator[Comparison]:
    """The comparisons with their verdicts."""
    floors = {
        (id(one.outcome), one.metric): interval(one.estimate, one.metric)
        for one in compared
        if arms[one.arm].repeat_of_control
    }
    for one in compared:
        point, estimate, arm = one.outcome.point, one.estimate, arms[one.arm]
        found = interval(estimate, one.metric)
        finding = Finding(
            arm=one.arm,
            metric=one.metric,
            terminals=point.terminals,
            overhead=found,
            floor=floors.get((id(one.outcome), one.metric)),
            proof=arm.proof.status,
            copies=estimate.copies,
            repeat_of_control=arm.repeat_of_control,
            reasons=one.reasons,
        )
        yield Comparison(
            workload=point.workload.name,
            terminals=point.terminals,
            mode=point.mode,
            factors=dict(point.factors),
            arm=one.arm,
            control=experiment.control.name,
            metric=one.metric,
            unit=UNITS[one.metric],
            control_value=one.control_value,
            arm_value=one.arm_value,
            overhead=found.overhead,
            ci_low=found.low,
            ci_high=found.high,
            confidence=estimate.confidence,
            rounds=estimate.rounds,
            batches=estimate.batches,
            copies=estimate.copies,
            df=estimate.df,
            between_copy_sd=estimate.between_copy_sd,
            estimator=estimate.estimator,
            significant_after_holm=one.significant,
            verdict=verdict(finding),
            valid=not one.reasons,
            reasons=one.reasons,
        )


def noise_floors(compared: Sequence[PointComparison], arms: dict[str, Arm]) -> Iterator[NoiseFloor]:
    """The A/A interval of each metric at each point."""
    for one in compared:
        if arms[one.arm].repeat_of_control:
            found = interval(one.estimate, one.metric)
            point = one.outcome.point
            yield NoiseFloor(
                workload=point.workload.name,
                terminals=point.terminals,
                mode=point.mode,
                factors=dict(point.factors),
                metric=one.metric,
                overhead=found.overhead,
                ci_low=found.low,
                ci_high=found.high,
                half_width=found.half_width,
                excludes_zero=found.excludes_zero,
            )
