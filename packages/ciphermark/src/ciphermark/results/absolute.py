"""Intervals of absolute figures, made from the totals of batches.

An absolute figure holds for this machine on this day. Its interval is far wider than that of the
overhead, because a slow moment of the machine is in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ciphermark.results.document import BatchSummary, Comparison, ResultDocument
from ciphermark.results.points import key_of

__all__ = ["Interval", "absolute_interval"]

BATCHES_MIN = 2


class Interval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2


class _Totals(NamedTuple):
    amount: float
    work: float


_TOTALS: dict[str, Callable[[BatchSummary, str], _Totals]] = {
    "throughput": lambda batch, arm: _Totals(
        batch.transactions.get(arm, 0), batch.time_s.get(arm, 0.0)
    ),
    "cpu_per_transaction": lambda batch, arm: _Totals(
        batch.cpu_s.get(arm, 0.0), batch.transactions.get(arm, 0)
    ),
}


def absolute_interval(
    document: ResultDocument, comparison: Comparison, arm: str
) -> Interval | None:
    """The interval of the arm's own figure in `comparison`; None when batches do not tell it.

    The variance of a ratio of totals, linearised (Cochran, Sampling Techniques, 3rd edition, eq.
    6.13), plus that between copies; with the confidence and degrees of freedom of the comparison.
    Only throughput and CPU per transaction stand in the batches.
    """
    totals_of = _TOTALS.get(comparison.metric)
    if totals_of is None:
        return None
    key = key_of(comparison)
    totals = [totals_of(batch, arm) for batch in document.batches if key_of(batch) == key]
    deviation = _relative_deviation([one for one in totals if one.work > 0])
    if deviation is None:
        return None
    spread = math.hypot(deviation, comparison.between_copy_sd / math.sqrt(comparison.copies or 1))
    reach = _t_quantile(comparison) * spread
    value = comparison.control_value if arm == comparison.control else comparison.arm_value
    return Interval(value * (1 - reach), value * (1 + reach))


def _relative_deviation(totals: list[_Totals]) -> float | None:
    """Standard deviation of the ratio of the totals, relative to the ratio."""
    count = len(totals)
    amount = sum(one.amount for one in totals)
    work = sum(one.work for one in totals)
    if count < BATCHES_MIN or amount <= 0:
        return None
    ratio = amount / work
    squares = sum((one.amount - ratio * one.work) ** 2 for one in totals)
    return math.sqrt(squares * count / (count - 1)) / amount


def _t_quantile(comparison: Comparison) -> float:
    from scipy.special import stdtrit

    if not comparison.df >= 1:
        return math.nan
    return float(stdtrit(comparison.df, (1 + comparison.confidence) / 2))
