"""Holm's correction: which of many comparisons stay significant when all are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from ciphermark.statistics.totals import Estimate

__all__ = ["holm", "p_value", "significant"]


def p_value(estimate: Estimate) -> float:
    """Two-sided p-value of "no difference": Student's t of the log ratio, the estimate's df."""
    from scipy.special import stdtr, stdtrit

    ends = log(estimate.ratio_high) - log(estimate.ratio_low)
    quantile = float(stdtrit(estimate.df, 0.5 + estimate.confidence / 2))
    if ends == 0.0:
        return 1.0 if estimate.ratio == 1.0 else 0.0
    t = abs(log(estimate.ratio)) * 2 * quantile / ends
    return float(2 * stdtr(estimate.df, -t))


def holm(p_values: Sequence[float], alpha: float = 0.05) -> tuple[bool, ...]:
    """Which hypotheses are rejected so that any false rejection has at most the chance `alpha`.

    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979).
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = [False] * len(p_values)
    for rank, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - rank):
            break
        rejected[index] = True
    return tuple(rejected)


def significant(estimates: Sequence[Estimate], alpha: float = 0.05) -> tuple[bool, ...]:
    """For each estimate whether it differs from no cost after Holm's correction."""
    return holm([p_value(estimate) for estimate in estimates], alpha)
