"""What it would take to reach a precision: more copies, more time."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

from ciphermark.errors import MeasurementError
from ciphermark.statistics.totals import Estimate

__all__ = ["Advice", "advice", "required_copies", "required_time"]

COPIES_MAX = 1000
# Copies may use up this part of the variance that the precision allows; the rest is for noise.
COPIES_PART = 0.5


@dataclass(frozen=True, slots=True)
class Advice:
    """Copies of each arm, and how many times as long as before, that reach the precision.

    The copies are never fewer than there were, the time never shorter. `within_reach` is false when
    even 1,000 copies would not do.
    """

    precision: float
    copies: int
    time_factor: float
    within_reach: bool = True

    def __str__(self) -> str:
        if not self.within_reach:
            return f"±{100 * self.precision:g} % is out of reach: copies differ too much"
        time = f"{self.time_factor:.1f} times as long"
        return f"±{100 * self.precision:g} % takes {self.copies} copies an arm, measured {time}"


def advice(estimate: Estimate, precision: float) -> Advice:
    """What would narrow the estimate's interval to a half-width of `precision` (a fraction).

    A forecast from what was seen, with Student's t of the copies' degrees of freedom: the next run
    sees other copies and other noise, and may need more.
    """
    if precision <= 0:
        raise MeasurementError("no precision of zero or less can be reached")
    copies = required_copies(estimate, precision)
    if copies > COPIES_MAX:
        return Advice(precision, COPIES_MAX, inf, within_reach=False)
    return Advice(precision, copies, required_time(estimate, precision, copies))


def required_copies(estimate: Estimate, precision: float) -> int:
    """The fewest copies, at least the present, that leave room for noise; over 1,000 if none do."""
    if estimate.between_copy_sd <= 0:
        return estimate.copies
    for copies in range(max(estimate.copies, 2), COPIES_MAX + 1):
        allowed = COPIES_PART * (precision / _quantile(estimate, copies)) ** 2
        if _copies_variance(estimate, copies) <= allowed:
            return copies
    return COPIES_MAX + 1


def required_time(estimate: Estimate, precision: float, copies: int) -> float:
    """How many times as long it takes with so many copies; at least 1, infinite if never."""
    half_width = (log(estimate.ratio_high) - log(estimate.ratio_low)) / 2
    variance = (half_width / _now(estimate)) ** 2
    noise = max(variance - _copies_variance(estimate, estimate.copies), 0.0)
    quantile = _now(estimate) if copies == estimate.copies else _quantile(estimate, copies)
    room = (precision / quantile) ** 2 - _copies_variance(estimate, copies)
    if room <= 0:
        return inf
    return max(noise / room, 1.0)


def _copies_variance(estimate: Estimate, copies: int) -> float:
    return 2 * estimate.between_copy_sd**2 / copies


def _now(estimate: Estimate) -> float:
    return _student(estimate.confidence, estimate.df)


def _quantile(estimate: Estimate, copies: int) -> float:
    """Student's t for copies that differ in both arms; more batches have more freedom."""
    return _student(estimate.confidence, max(2.0 * (copies - 1), 1.0))


def _student(confidence: float, df: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + confidence / 2))
