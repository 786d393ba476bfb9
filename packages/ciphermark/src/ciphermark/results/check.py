"""Says whether a result is any good: what makes it invalid, doubtful, or narrower than it looks.

An error means that figures of this result must not be used; a warning that they are weaker than
they look; a note tells how to read them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from ciphermark.results.document import (
    Arm,
    Comparison,
    NoiseFloor,
    PointResult,
    ResultDocument,
)
from ciphermark.results.points import is_repeat, key_of, label_of, leading_metric, noise_of

__all__ = ["Finding", "Severity", "check", "is_good"]

BATCHES_MIN = 20
BLOCK_BATCHES_MIN = 6
COPIES_MIN = 6
LOAD_PER_CORE_MAX = 0.25
DRIFT_MAX = 0.10
DEFAULT_ERROR_BUDGET = 0.01
DURABLE = ("full", "extra")
"""Levels of an engine's durability that keep every acknowledged COMMIT; the first is usual."""


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know before a figure is used; `where` names the arm, the point or nothing."""

    severity: Severity
    text: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


def check(document: ResultDocument) -> tuple[Finding, ...]:
    """Everything found, errors first; the same finding is reported once."""
    found = dict.fromkeys(
        finding
        for part in (
            _ending,
            _validity,
            _proofs,
            _noise,
            _sizes,
            _errors,
            _consistency,
            _precision,
            _drift,
            _machine,
            _regimes,
            _durability,
        )
        for finding in part(document)
    )
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def is_good(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing is wrong: neither an error nor a warning."""
    return all(finding.severity is Severity.NOTE for finding in findings)


def _ending(document: ResultDocument) -> Iterator[Finding]:
    experiment = document.experiment
    if experiment.status == "interrupted":
        yield Finding(
            Severity.WARNING,
            f"the run was interrupted ({experiment.stopped_by}): what is here is finished and "
            "whole, but points may be missing and the planned precision was not aimed at",
        )
    if experiment.status == "failed":
        yield Finding(Severity.ERROR, f"the run failed: {experiment.stopped_by}")
    if not document.comparisons:
        yield Finding(Severity.ERROR, "nothing was compared: the result holds no figure")


def _validity(document: ResultDocument) -> Iterator[Finding]:
    for reason in document.reasons:
        yield Finding(Severity.ERROR, reason)
    for comparison in document.comparisons:
        for reason in comparison.reasons:
            said = any(f": {one}".endswith(f": {reason}") for one in document.reasons)
            if not comparison.valid and not said:
                yield Finding(Severity.ERROR, reason, _place(document, comparison))
    silent = [one for one in document.comparisons if not one.valid and not one.reasons]
    for comparison in silent:
        yield Finding(Severity.ERROR, "the comparison is invalid", _place(document, comparison))
    if not document.valid and not document.reasons:
        yield Finding(Severity.ERROR, "the result says of itself that it is invalid")


def _proofs(document: ResultDocument) -> Iterator[Finding]:
    for arm in document.arms:
        text = _proof_error(arm)
        if text:
            yield Finding(Severity.ERROR, text, arm.label)
        elif arm.proof.status == "catalog_only" and arm.protection != "none":
            yield Finding(
                Severity.NOTE,
                "encryption is known from the server's catalogue only; its files were not seen",
                arm.label,
            )


def _proof_error(arm: Arm) -> str:
    if arm.proof.status == "refuted":
        claim = "plain" if arm.protection == "none" else "encrypted"
        return f"the claim that its data are {claim} was refuted ({arm.proof.method})"
    if arm.proof.status == "not_checked" and arm.protection != "none":
        return "nobody checked that its data are encrypted"
    return ""


def _noise(document: ResultDocument) -> Iterator[Finding]:
    main = [one for one in document.noise_floor if one.metric == _leading(document, one)]
    for noise in main:
        if noise.excludes_zero:
            noun = "throughput" if noise.metric == "throughput" else "mean latency"
            yield Finding(
                Severity.WARNING,
                f"two plain arms differ by {_percent(noise.overhead)} of {noun} "
                f"({_percent(noise.ci_low)} to {_percent(noise.ci_high)}): the A/A interval "
                "excludes zero, so a cost of that size is not to be trusted here",
                key_of(noise).title,
            )
    if document.comparisons and not main:
        yield Finding(Severity.WARNING, "there is no A/A comparison: the noise is not known")
    for comparison in _costs(document):
        floor = noise_of(document, comparison)
        if floor and comparison.valid and _excludes_zero(comparison):
            reach = max(abs(floor.ci_low), abs(floor.ci_high))
            if abs(comparison.overhead) <= reach:
                yield Finding(
                    Severity.WARNING,
                    f"the difference that was found ({_percent(comparison.overhead)}) is not "
                    f"larger than what two plain arms differ by ({_percent(floor.ci_low)} to "
                    f"{_percent(floor.ci_high)})",
                    _place(document, comparison),
                )


def _excludes_zero(comparison: Comparison) -> bool:
    return comparison.ci_low > 0 or comparison.ci_high < 0


def _sizes(document: ResultDocument) -> Iterator[Finding]:
    for comparison in _costs(document):
        least = BATCHES_MIN if comparison.mode == "slices" else BLOCK_BATCHES_MIN
        if comparison.batches < least:
            yield Finding(
                Severity.WARNING,
                f"batches: {comparison.batches}; {least} are the least for a steady interval",
                key_of(comparison).title,
            )
        if comparison.copies < COPIES_MIN:
            yield Finding(
                Severity.WARNING,
                f"copies an arm: {comparison.copies}; identical copies differ, and "
                f"{COPIES_MIN} are the least to tell that from a cost",
                key_of(comparison).title,
            )


def _errors(document: ResultDocument) -> Iterator[Finding]:
    budget = _error_budget(document)
    for error in document.errors:
        lost = error.count - error.retried
        done = sum(
            batch.transactions.get(error.arm, 0)
            for batch in document.batches
            if (batch.workload, batch.terminals, batch.mode)
            == (error.workload, error.terminals, error.mode)
        )
        share = lost / (lost + done) if lost > 0 else 0.0
        where = f"{label_of(document, error.arm)}, {error.workload}, {error.mode}"
        if share > budget:
            yield Finding(
                Severity.ERROR,
                f"errors of kind {error.kind}: {lost:,}, {_percent(share)} of the transactions, "
                f"the budget is {_percent(budget)}",
                where,
            )
        elif error.count:
            yield Finding(
                Severity.NOTE,
                f"errors of kind {error.kind}: {error.count:,}, retried: {error.retried:,}; none "
                "counts as work",
                where,
            )


def _error_budget(document: ResultDocument) -> float:
    section = document.experiment.plan.get("experiment", document.experiment.plan)
    budget = section.get("error_budget") if isinstance(section, dict) else None
    return float(budget) if isinstance(budget, int | float) else DEFAULT_ERROR_BUDGET


def _consistency(document: ResultDocument) -> Iterator[Finding]:
    for result in document.consistency:
        where = f"{label_of(document, result.arm)}, copy {result.copy_index}, {result.moment}"
        if not result.passed and result.expected_to_fail:
            yield Finding(
                Severity.NOTE,
                f"{result.check} does not hold, as expected: {result.expected_to_fail}",
                where,
            )
        elif not result.passed:
            details = f" ({result.details})" if result.details else ""
            yield Finding(Severity.ERROR, f"{result.check} does not hold{details}", where)


def _precision(document: ResultDocument) -> Iterator[Finding]:
    for point in document.points:
        if point.discarded_batches:
            yield Finding(
                Severity.NOTE,
                f"discarded batches: {point.discarded_batches}; they were broken and are "
                "in no figure",
                key_of(point).title,
            )
        if point.mode == "slices" and "limit" in point.stopped_by:
            width = max(
                (
                    (one.ci_high - one.ci_low) / 2
                    for one in _costs(document)
                    if key_of(one) == key_of(point)
                ),
                default=math.nan,
            )
            yield Finding(
                Severity.NOTE,
                f"ended by the {point.stopped_by} before the planned precision; the widest "
                f"interval is ±{_percent(width)}",
                key_of(point).title,
            )


def _drift(document: ResultDocument) -> Iterator[Finding]:
    for point in document.points:
        for arm in document.arms:
            change = _change(point, arm.name)
            if arm.control and abs(change) > DRIFT_MAX:
                yield Finding(
                    Severity.WARNING,
                    f"throughput of {arm.label} {'rose' if change > 0 else 'fell'} by "
                    f"{abs(change) * 100:.0f} % from the first to the last third of the run; "
                    "the arms took turns, so the costs stand, but the machine or the data changed",
                    key_of(point).title,
                )


def _change(point: PointResult, arm: str) -> float:
    """Relative change of throughput between the first and the last third of the batches."""
    values = [one.tps for one in point.series if one.arm == arm]
    third = len(values) // 3
    if third < 3:  # a median of fewer says nothing
        return 0.0
    before = median(values[:third])
    return median(values[-third:]) / before - 1 if before > 0 else 0.0


def _machine(document: ResultDocument) -> Iterator[Finding]:
    environment = document.environment
    encrypted = any(arm.protection != "none" for arm in document.arms)
    if encrypted and not any(name.startswith(("aes", "vaes")) for name in _aes(document)):
        yield Finding(
            Severity.WARNING,
            "the processor shows no AES instructions: AES costs more here than on a machine that "
            "has them",
        )
    if environment.load_average_at_start > LOAD_PER_CORE_MAX * max(1, environment.cores):
        yield Finding(
            Severity.WARNING,
            f"the load average was {environment.load_average_at_start:.2f} at the start on "
            f"{environment.cores} cores: other programs were at work",
        )
    for warning in environment.warnings:
        yield Finding(Severity.WARNING, warning)


def _aes(document: ResultDocument) -> tuple[str, ...]:
    return tuple(name.lower() for name in document.environment.aes_instructions)


def _regimes(document: ResultDocument) -> Iterator[Finding]:
    if not any(arm.protection == "tde" for arm in document.arms):
        return
    for regime in dict.fromkeys(point.regime for point in document.points):
        if regime.startswith("in memory"):
            yield Finding(
                Severity.NOTE,
                f"the data fit into the cache ({regime}): page encryption then costs only when "
                "pages enter the cache or are written; data larger than the cache cost more",
            )


def _durability(document: ResultDocument) -> Iterator[Finding]:
    engine = document.experiment.plan.get("engine")
    level = engine.get("durability", DURABLE[0]) if isinstance(engine, dict) else DURABLE[0]
    for one in level if isinstance(level, list) else [level]:
        if one not in DURABLE:
            yield Finding(
                Severity.NOTE,
                f"durability {one}: an acknowledged COMMIT may be lost when the machine fails; "
                "figures of such writes say nothing about durable ones",
            )


def _costs(document: ResultDocument) -> list[Comparison]:
    """The comparisons by which the points are judged, without the A/A repeat."""
    return [
        one
        for one in document.comparisons
        if one.metric == _leading(document, one) and not is_repeat(document, one.arm)
    ]


def _leading(document: ResultDocument, part: Comparison | NoiseFloor) -> str:
    """The metric by which the point of a comparison is judged."""
    key = key_of(part)
    return leading_metric(next((one for one in document.points if key_of(one) == key), None))


def _place(document: ResultDocument, comparison: Comparison) -> str:
    return f"{label_of(document, comparison.arm)}, {key_of(comparison).title}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %".replace("-", "−")
