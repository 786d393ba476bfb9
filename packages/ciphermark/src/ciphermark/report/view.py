"""A result document arranged for reading: looked up by point, arm and metric, grouped by sweep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ciphermark.report import numbers
from ciphermark.report.readable import readable
from ciphermark.results.document import (
    Arm,
    Comparison,
    LatencySummary,
    Metric,
    Mode,
    NoiseFloor,
    PointResult,
    ResultDocument,
)
from ciphermark.results.points import PointKey, key_of, leading_metric, point_keys

__all__ = ["SWEEP_MIN", "Group", "View"]

SWEEP_MIN = 4
ALL_KINDS = "all"


@dataclass(frozen=True, slots=True)
class Group:
    """Points that differ in the number of terminals only, in rising order."""

    workload: str
    mode: Mode
    levels: str
    keys: tuple[PointKey, ...]

    @property
    def is_sweep(self) -> bool:
        """Whether there are so many numbers of terminals that a curve says more than rows."""
        return len(self.keys) >= SWEEP_MIN

    @property
    def title(self) -> str:
        """The group in words."""
        return ", ".join(part for part in (self.workload, self.levels, self.mode) if part)


class View:
    """Answers what a report asks of a document, whose texts can be shown anywhere."""

    def __init__(self, document: ResultDocument) -> None:
        self.document = readable(document)

    @cached_property
    def control(self) -> str:
        """The name of the plain arm."""
        named = [arm.name for arm in self.document.arms if arm.control]
        compared = [one.control for one in self.document.comparisons]
        return (named + compared + ["plain"])[0]

    @cached_property
    def repeats(self) -> frozenset[str]:
        """The names of the A/A arms."""
        return frozenset(arm.name for arm in self.document.arms if arm.repeat_of_control)

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The names of the arms that are compared with the control, A/A apart."""
        known = [arm.name for arm in self.document.arms if not arm.control]
        seen = [one.arm for one in self.document.comparisons]
        return tuple(name for name in dict.fromkeys([*known, *seen]) if name not in self.repeats)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """All arms in the order in which charts and tables show them: the control first."""
        return (self.control, *sorted(self.repeats), *self.compared)

    def label(self, arm: str) -> str:
        """What readers call the arm."""
        return self._labels.get(arm, arm)

    def arm(self, name: str) -> Arm | None:
        """The arm of that name, when the document describes it."""
        return next((arm for arm in self.document.arms if arm.name == name), None)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The points, those of one sweep over terminals together."""
        found: dict[tuple[object, ...], list[PointKey]] = {}
        for key in point_keys(self.document):
            found.setdefault((key.workload, key.mode, key.factors), []).append(key)
        return tuple(
            Group(
                keys[0].workload,
                keys[0].mode,
                keys[0].levels,
                tuple(sorted(keys, key=lambda key: key.terminals)),
            )
            for keys in found.values()
        )

    @cached_property
    def keys(self) -> tuple[PointKey, ...]:
        """All points, in the order of the groups."""
        return tuple(key for group in self.groups for key in group.keys)

    def arms_at(self, keys: Iterable[PointKey]) -> tuple[str, ...]:
        """The compared arms that took part in any of these points."""
        wanted = set(keys)
        present = {one.arm for one in self.document.comparisons if key_of(one) in wanted}
        return tuple(arm for arm in self.compared if arm in present)

    def comparison(self, key: PointKey, arm: str, metric: str) -> Comparison | None:
        """The comparison of an arm at a point in a metric."""
        return self._comparisons.get((key, arm, metric))

    def leading(self, key: PointKey) -> Metric:
        """The metric that the point is judged by: throughput, at a fixed rate mean latency."""
        return leading_metric(self.point(key))

    def cpu(self, key: PointKey, arm: str) -> Comparison | None:
        """The comparison of CPU per transaction; of the server alone when that is all there is."""
        return self.comparison(key, arm, "cpu_per_transaction") or self.comparison(
            key, arm, "server_cpu_per_transaction"
        )

    def noise(self, key: PointKey, metric: str) -> NoiseFloor | None:
        """The A/A interval at a point in a metric."""
        return self._noise.get((key, metric))

    def point(self, key: PointKey) -> PointResult | None:
        """What was measured at a point."""
        return self._points.get(key)

    def latency(self, key: PointKey, arm: str) -> LatencySummary | None:
        """The latency of an arm at a point, all kinds of transaction together."""
        point = self.point(key)
        found = [one for one in point.latency if one.arm == arm] if point else []
        merged = [one for one in found if one.transaction == ALL_KINDS]
        return next(iter(merged or found), None)

    def sample(self, one: Comparison) -> str:
        """The size of the sample behind a comparison, in words."""
        return f"{numbers.plural(one.batches, 'batch')} × {numbers.plural(one.copies, 'copy')}"

    def value(self, key: PointKey, arm: str, metric: str) -> tuple[Comparison, float] | None:
        """The absolute figure of an arm, the control included, and the comparison that holds it."""
        if arm != self.control:
            own = self.comparison(key, arm, metric)
            return (own, own.arm_value) if own else None
        for other in (*self.compared, *self.repeats):
            found = self.comparison(key, other, metric)
            if found:
                return found, found.control_value
        return None

    @cached_property
    def _labels(self) -> dict[str, str]:
        """Labels by name; equal ones are told apart, the control keeps its own."""
        labels = {arm.name: arm.label.strip() or arm.name for arm in self.document.arms}
        for arm in self.document.arms:
            if arm.repeat_of_control and labels[arm.name] == labels.get(self.control):
                labels[arm.name] += " (A/A)"
        taken = list(labels.values())
        return {
            name: label if taken.count(label) == 1 or name == self.control else f"{label} [{name}]"
            for name, label in labels.items()
        }

    @cached_property
    def _comparisons(self) -> dict[tuple[PointKey, str, str], Comparison]:
        return {(key_of(one), one.arm, one.metric): one for one in self.document.comparisons}

    @cached_property
    def _noise(self) -> dict[tuple[PointKey, str], NoiseFloor]:
        return {(key_of(one), one.metric): one for one in self.document.noise_floor}

    @cached_property
    def _points(self) -> dict[PointKey, PointResult]:
        return {key_of(one): one for one in self.document.points}
