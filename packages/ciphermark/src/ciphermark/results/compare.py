"""Compares two results: what a change of version, machine or setting did to the costs.

The overhead is compared, not the absolute figures: both arms of a result ran on one machine in
turns, so the overhead carries over from one day to another far better than a throughput does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ciphermark.results.absolute import Interval, absolute_interval
from ciphermark.results.document import Comparison, ResultDocument
from ciphermark.results.points import PointKey, is_repeat, key_of

__all__ = ["Change", "Difference", "ResultComparison", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """One comparison that both results hold; `change` is new minus base, a fraction.

    The interval of the change is made of both intervals by the root of the sum of squares, each
    side apart. The intervals of the arm's absolute value are None when the batches do not tell.
    """

    base: Comparison
    new: Comparison
    base_interval: Interval | None
    new_interval: Interval | None
    change: float
    change_low: float
    change_high: float

    @property
    def point(self) -> PointKey:
        """The point of the comparison."""
        return key_of(self.new)

    @property
    def distinguishable(self) -> bool:
        """Whether the interval of the change excludes zero."""
        return self.change_low > 0 or self.change_high < 0


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not the same in both results."""

    name: str
    base: str
    new: str


@dataclass(frozen=True, slots=True)
class ResultComparison:
    """Two results side by side."""

    base: ResultDocument
    new: ResultDocument
    changes: tuple[Change, ...]
    only_in_base: tuple[str, ...]
    only_in_new: tuple[str, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]


def compare(base: ResultDocument, new: ResultDocument) -> ResultComparison:
    """Sets the comparisons of both results side by side, by point, arm and metric."""
    before = {_key(one): one for one in base.comparisons if not is_repeat(base, one.arm)}
    after = {_key(one): one for one in new.comparisons if not is_repeat(new, one.arm)}
    machine, settings = _machine(base, new), _settings(base, new)
    return ResultComparison(
        base=base,
        new=new,
        changes=tuple(
            _change(base, new, before[key], after[key]) for key in after if key in before
        ),
        only_in_base=_titles(before, after),
        only_in_new=_titles(after, before),
        differences=(*machine, *settings),
        warnings=_warnings(base, new, machine, settings),
    )


_Key = tuple[PointKey, str, str]


def _key(comparison: Comparison) -> _Key:
    return key_of(comparison), comparison.arm, comparison.metric


def _titles(ours: dict[_Key, Comparison], theirs: dict[_Key, Comparison]) -> tuple[str, ...]:
    missing = (key for key in ours if key not in theirs)
    return tuple(dict.fromkeys(f"{arm}, {point.title}" for point, arm, _ in missing))


def _change(
    base: ResultDocument, new: ResultDocument, before: Comparison, after: Comparison
) -> Change:
    change = after.overhead - before.overhead
    return Change(
        base=before,
        new=after,
        base_interval=absolute_interval(base, before, before.arm),
        new_interval=absolute_interval(new, after, after.arm),
        change=change,
        change_low=change
        - math.hypot(after.overhead - after.ci_low, before.ci_high - before.overhead),
        change_high=change
        + math.hypot(after.ci_high - after.overhead, before.overhead - before.ci_low),
    )


def _machine(base: ResultDocument, new: ResultDocument) -> tuple[Difference, ...]:
    apart = {"warnings", "load_average_at_start"}
    before = base.environment.model_dump(exclude=apart)
    after = new.environment.model_dump(exclude=apart)
    return _differences("", _texts(before), _texts(after))


def _settings(base: ResultDocument, new: ResultDocument) -> tuple[Difference, ...]:
    found = [
        *_differences("version of ", base.experiment.versions, new.experiment.versions),
    ]
    if base.experiment.plan_hash != new.experiment.plan_hash:
        found.append(
            Difference("plan", base.experiment.plan_hash[:12], new.experiment.plan_hash[:12])
        )
    after = {arm.name: arm for arm in new.arms}
    for arm in base.arms:
        if (other := after.get(arm.name)) is not None:
            ours = {"version": arm.version, "driver": arm.driver, "cipher": arm.cipher}
            theirs = {"version": other.version, "driver": other.driver, "cipher": other.cipher}
            prefix = f"{arm.name}: "
            found += _differences(
                prefix,
                {**arm.settings, **ours, "statement mode": arm.statement_mode},
                {**other.settings, **theirs, "statement mode": other.statement_mode},
            )
    return tuple(found)


def _texts(values: dict[str, object]) -> dict[str, str]:
    return {
        name.replace("_", " "): ", ".join(value) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
    }


def _differences(
    prefix: str, before: dict[str, str], after: dict[str, str]
) -> tuple[Difference, ...]:
    names = dict.fromkeys([*before, *after])
    return tuple(
        Difference(prefix + name, before.get(name, ""), after.get(name, ""))
        for name in names
        if before.get(name, "") != after.get(name, "")
    )


def _warnings(
    base: ResultDocument,
    new: ResultDocument,
    machine: tuple[Difference, ...],
    settings: tuple[Difference, ...],
) -> tuple[str, ...]:
    found = []
    if machine:
        names = ", ".join(one.name for one in machine)
        found.append(
            f"the machines differ ({names}): absolute figures cannot be compared, and overheads "
            "only with care"
        )
    if any(one.name == "plan" for one in settings):
        found.append("the plans differ: see whether what differs changes the work that was done")
    for name, document in (("base", base), ("new", new)):
        if not document.valid:
            found.append(f"the {name} result is invalid: {'; '.join(document.reasons)}")
        if document.experiment.status != "complete":
            found.append(f"the {name} result is of a run that was {document.experiment.status}")
    return tuple(found)
