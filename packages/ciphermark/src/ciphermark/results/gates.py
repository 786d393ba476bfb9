"""Gates: conditions such as "throughput.overhead>2%" that a result must not meet.

A gate that finds nothing to look at, or looks at an invalid figure, is not met: a check that checks
nothing must not pass.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from ciphermark.errors import GateError
from ciphermark.results.compare import ResultComparison
from ciphermark.results.document import Comparison, Metric
from ciphermark.results.points import is_repeat, key_of

__all__ = ["Gate", "GateResult", "evaluate", "parse_gate"]

METRICS: tuple[str, ...] = get_args(Metric)
FIELDS = ("overhead", "ci_low", "ci_high", "change")
COMPARATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
INVALID = "invalid"
_GATE = re.compile(r"(?P<metric>\w+)\.(?P<field>\w+)(?P<comparator>[<>]=?)(?P<number>[^<>=]+)")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)%?")


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition; `limit` is a fraction. The gate "invalid" has no metric."""

    text: str
    metric: str = ""
    field: str = ""
    comparator: str = ""
    limit: float = math.nan


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether the new result is inside the gate, and if not, why, one sentence a place."""

    gate: Gate
    passed: bool
    reasons: tuple[str, ...]


def parse_gate(text: str) -> Gate:
    """The gate in `text`; raises `GateError` that lists what may stand there.

    >>> parse_gate("throughput.overhead > 2%").limit
    0.02
    """
    compact = "".join(text.split())
    if compact == INVALID:
        return Gate(INVALID)
    match = _GATE.fullmatch(compact)
    if match is None:
        raise _wrong(text, "not a gate", "Write METRIC.FIELD>NUMBER%, or invalid")
    metric, field, comparator, number = match.group("metric", "field", "comparator", "number")
    if metric not in METRICS:
        raise _wrong(text, f"there is no metric {metric}", f"Choose one of: {', '.join(METRICS)}")
    if field not in FIELDS:
        raise _wrong(text, f"there is no field {field}", f"Choose one of: {', '.join(FIELDS)}")
    return Gate(compact, metric, field, comparator, _limit(text, number))


def evaluate(gate: Gate, comparison: ResultComparison) -> GateResult:
    """Looks for what the gate forbids in the new result; `change` is new minus base."""
    if gate.text == INVALID:
        reasons = _invalid(comparison)
    elif gate.field == "change":
        reasons = _changes(gate, comparison)
    else:
        reasons = _figures(gate, comparison)
    return GateResult(gate, not reasons, reasons)


def _limit(text: str, number: str) -> float:
    if _NUMBER.fullmatch(number) is None:
        raise _wrong(text, f"{number} is not a number", "Write such as 2%, 0.5% or 0.02")
    if number.endswith("%"):
        return float(number[:-1]) / 100
    value = float(number)
    if abs(value) >= 1:
        raise _wrong(
            text,
            f"{number} without % is a fraction, {value * 100:g} %",
            f"Write {number}% or {value * 100:g}%",
        )
    return value


def _wrong(text: str, what: str, remedy: str) -> GateError:
    return GateError(what, where=f"--fail-if {text}", remedy=remedy)


def _invalid(comparison: ResultComparison) -> tuple[str, ...]:
    new = comparison.new
    found = list(new.reasons)
    for one in new.comparisons:
        if not one.valid:
            found += one.reasons or (f"{one.arm} is invalid in {one.workload}",)
    if not new.valid and not found:
        found.append("the result says of itself that it is invalid")
    return tuple(dict.fromkeys(found))


def _figures(gate: Gate, comparison: ResultComparison) -> tuple[str, ...]:
    new = comparison.new
    rows = [
        one for one in new.comparisons if one.metric == gate.metric and not is_repeat(new, one.arm)
    ]
    if not rows:
        return (f"the new result holds no {gate.metric}",)
    found = (_breach(gate, one, getattr(one, gate.field), one.valid) for one in rows)
    return tuple(filter(None, found))


def _changes(gate: Gate, comparison: ResultComparison) -> tuple[str, ...]:
    rows = [one for one in comparison.changes if one.new.metric == gate.metric]
    if not rows:
        return (f"the two results have no {gate.metric} in common",)
    found = (_breach(gate, one.new, one.change, one.base.valid and one.new.valid) for one in rows)
    return tuple(filter(None, found))


def _breach(gate: Gate, row: Comparison, value: float, valid: bool) -> str:
    """The sentence that says how the gate was broken here; empty when it was not."""
    place = f"{row.arm}, {key_of(row).title}"
    if not valid:
        return f"{place}: the comparison is invalid"
    if math.isnan(value):
        return f"{place}: there is no {gate.field}"
    if COMPARATORS[gate.comparator](value, gate.limit):
        return f"{place}: {gate.metric}.{gate.field} is {value * 100:.2f} %"
    return ""
