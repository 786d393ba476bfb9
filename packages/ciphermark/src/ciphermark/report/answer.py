"""The answer, which stands first in every report: what is wrong, then the verdicts in words."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.report import numbers
from ciphermark.report.view import Group, View
from ciphermark.results.check import Finding, Severity, check
from ciphermark.results.document import Comparison
from ciphermark.results.points import PointKey, terminals_text

__all__ = ["Answer", "Verdict", "VerdictGroup", "answer_of"]

FULL_VERDICTS_MAX = 12
FORMULA = (
    "overhead = 1 − arm/control for throughput, arm/control − 1 for latency and CPU; "
    "a positive figure is a cost"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One arm's cost at a point, or over a sweep.

    `headline` is the figure ("25.8 %"), `range_text` its interval or range in words, `sentence`
    the verdict, `beside` what CPU and latency say. `kind` is "cost", "gain", "unclear" or
    "invalid".
    """

    arm: str
    headline: str
    range_text: str
    sentence: str
    beside: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class VerdictGroup:
    """The verdicts of one workload and mode."""

    title: str
    subtitle: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader must know who reads nothing else."""

    alarms: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    groups: tuple[VerdictGroup, ...]

    @property
    def compact(self) -> bool:
        """Whether there are so many verdicts that the sentences alone must do."""
        return sum(len(group.verdicts) for group in self.groups) > FULL_VERDICTS_MAX

    @property
    def invalid(self) -> bool:
        """Whether something makes figures unusable."""
        return any(alarm.severity is Severity.ERROR for alarm in self.alarms)


def answer_of(view: View) -> Answer:
    """The answer that the document gives."""
    findings = check(view.document)
    return Answer(
        alarms=tuple(one for one in findings if one.severity is not Severity.NOTE),
        notes=tuple(one for one in findings if one.severity is Severity.NOTE),
        groups=tuple(group for one in view.groups for group in _groups(view, one)),
    )


def _groups(view: View, group: Group) -> list[VerdictGroup]:
    if group.is_sweep:
        first, last = group.keys[0].terminals, group.keys[-1].terminals
        subtitle = f"{first:,} to {last:,} terminals, {_load(view, group.keys[0])}"
        verdicts = tuple(
            verdict for arm in view.compared if (verdict := _swept(view, group, arm)) is not None
        )
        return [_titled(group, subtitle, verdicts)] if verdicts else []
    made = []
    for key in group.keys:
        verdicts = tuple(
            _verdict(view, key, found)
            for arm in view.compared
            if (found := view.comparison(key, arm, view.leading(key))) is not None
        )
        subtitle = f"{terminals_text(key.terminals)}, {_load(view, key)}{_sample(view, key)}"
        if verdicts:
            made.append(_titled(group, subtitle, verdicts))
    return made


def _titled(group: Group, subtitle: str, verdicts: tuple[Verdict, ...]) -> VerdictGroup:
    levels = f"{group.levels}, " if group.levels else ""
    return VerdictGroup(group.workload, levels + subtitle, verdicts)


def _load(view: View, key: PointKey) -> str:
    """How the point was put under load, in words."""
    point = view.point(key)
    if point is None:
        return key.mode
    if point.slice_transactions:
        return f"{key.mode} of {numbers.plural(point.slice_transactions, 'transaction')}"
    rate = f" at {numbers.figure(point.rate_tps)} transactions/s" if point.rate_tps else ""
    return f"{key.mode} of {numbers.duration(point.slice_s)}{rate}"


def _sample(view: View, key: PointKey) -> str:
    metric = view.leading(key)
    rows = [one for arm in view.compared if (one := view.comparison(key, arm, metric))]
    return f", {view.sample(rows[0])}" if rows else ""


def _verdict(view: View, key: PointKey, one: Comparison) -> Verdict:
    return Verdict(
        arm=view.label(one.arm),
        headline=numbers.percent(
            one.overhead, decimals=numbers.decimals_for(one.ci_low, one.ci_high)
        ),
        range_text=numbers.interval(one.ci_low, one.ci_high),
        sentence=one.verdict,
        beside=_beside(view, key, one.arm) if one.valid else (),
        kind=_kind(one),
    )


def _kind(one: Comparison) -> str:
    if not one.valid:
        return "invalid"
    return "cost" if one.ci_low > 0 else "gain" if one.ci_high < 0 else "unclear"


def _beside(view: View, key: PointKey, arm: str) -> tuple[str, ...]:
    """CPU and latency: costs of the same transactions, seen from another side."""
    rows = [
        ("CPU per transaction", view.cpu(key, arm)),
        ("mean latency", view.comparison(key, arm, "latency_mean")),
        ("p95 latency", view.comparison(key, arm, "latency_p95")),
    ]
    if view.leading(key) == "latency_mean":
        rows[1:] = [*rows[2:], ("p99 latency", view.comparison(key, arm, "latency_p99"))]
    return tuple(
        f"{name} {numbers.cost(one.overhead, one.ci_low, one.ci_high, signed=True)}"
        for name, one in rows
        if one is not None
    )


def _swept(view: View, group: Group, arm: str) -> Verdict | None:
    """One sentence over all numbers of terminals of a sweep."""
    metric = view.leading(group.keys[0])
    rows = [found for key in group.keys if (found := view.comparison(key, arm, metric))]
    if not rows:
        return None
    valid = [one for one in rows if one.valid] or rows
    least = min(valid, key=lambda one: one.overhead)
    most = max(valid, key=lambda one: one.overhead)
    first, second = sorted((least, most), key=lambda one: one.terminals)
    kinds = {_kind(one) for one in valid}
    broken = len(rows) - sum(one.valid for one in rows)
    warning = f" {numbers.plural(broken, 'point')} of {len(rows)} are invalid." if broken else ""
    closed = metric == "throughput"
    opening, noun = ("costs", "of throughput ") if closed else ("adds to the mean latency", "")
    return Verdict(
        arm=view.label(arm),
        headline=_span(least.overhead, most.overhead),
        range_text=f"least and most of {len(rows)} points",
        sentence=f"{view.label(arm)} {opening} {_cost_at(first, noun)} and "
        f"{_cost_at(second)}.{warning}",
        beside=(),
        kind="invalid" if broken else kinds.pop() if len(kinds) == 1 else "unclear",
    )


def _cost_at(one: Comparison, noun: str = "") -> str:
    decimals = numbers.decimals_for(one.ci_low, one.ci_high)
    return (
        f"{numbers.percent(one.overhead, decimals=decimals)} {noun}"
        f"({numbers.interval(one.ci_low, one.ci_high)}) at {terminals_text(one.terminals)}"
    )


def _span(low: float, high: float) -> str:
    decimals = 0 if max(abs(low), abs(high)) >= 0.1 else 1
    first = numbers.percent(low, decimals=decimals).removesuffix(" %")
    last = numbers.percent(high, decimals=decimals)
    return last if first == last.removesuffix(" %") else f"{first} to {last}"
