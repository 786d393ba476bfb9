"""The points of a result, and the key by which its parts refer to each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ciphermark.results.document import (
    Comparison,
    Metric,
    Mode,
    NoiseFloor,
    PointResult,
    ResultDocument,
)

__all__ = [
    "PointKey",
    "is_repeat",
    "key_of",
    "label_of",
    "leading_metric",
    "noise_of",
    "point_keys",
    "terminals_text",
]


class OfPoint(Protocol):
    """Any part of a document that says which point it belongs to."""

    @property
    def workload(self) -> str: ...
    @property
    def terminals(self) -> int: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def factors(self) -> Mapping[str, str]: ...


class PointKey(NamedTuple):
    """A workload at a number of terminals, in one mode, at one level of each swept setting."""

    workload: str
    mode: Mode
    factors: tuple[tuple[str, str], ...]
    terminals: int

    @property
    def levels(self) -> str:
        """The swept settings in words; empty when nothing was swept."""
        return ", ".join(f"{name} {level}" for name, level in self.factors)

    @property
    def title(self) -> str:
        """The point in words."""
        parts = [self.workload, terminals_text(self.terminals), self.mode, self.levels]
        return ", ".join(part for part in parts if part)


def key_of(part: OfPoint) -> PointKey:
    """The point that a part of the document belongs to."""
    return PointKey(part.workload, part.mode, tuple(part.factors.items()), part.terminals)


def terminals_text(terminals: int) -> str:
    """Such as "1 terminal" or "64 terminals"."""
    return f"{terminals:,} terminal{'' if terminals == 1 else 's'}"


def point_keys(document: ResultDocument) -> tuple[PointKey, ...]:
    """All points of the document, in the order in which they were measured."""
    parts: tuple[OfPoint, ...] = (*document.points, *document.comparisons)
    return tuple(dict.fromkeys(key_of(part) for part in parts))


def leading_metric(point: PointResult | None) -> Metric:
    """The metric that a point is judged by.

    At a fixed rate throughput is that rate, whatever an arm costs: there, the mean latency.
    """
    return "latency_mean" if point is not None and point.rate_tps else "throughput"


def is_repeat(document: ResultDocument, arm: str) -> bool:
    """Whether the arm is the control's A/A repeat, which is not a cost of anything."""
    return any(one.name == arm and one.repeat_of_control for one in document.arms)


def label_of(document: ResultDocument, arm: str) -> str:
    """What readers call the arm; its name when the document does not describe it."""
    return next((one.label for one in document.arms if one.name == arm and one.label), arm)


def noise_of(document: ResultDocument, comparison: Comparison) -> NoiseFloor | None:
    """The A/A interval of the comparison's metric at its point."""
    for noise in document.noise_floor:
        if noise.metric == comparison.metric and key_of(noise) == key_of(comparison):
            return noise
    return None
