"""What an arm costs relative to the control: a ratio of totals with its interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError
from ciphermark.statistics.totals import ArmTotals, Estimate

__all__ = ["overhead"]

Floats = NDArray[np.float64]


def overhead(arm: ArmTotals, control: ArmTotals, confidence: float = 0.95) -> Estimate:
    """Resource per unit of work of the arm relative to the control, with a confidence interval.

    Both arms must have the same shape: the same batches, and copies with the same index in use in
    the same rounds. Raises `MeasurementError` when an arm did no work in a batch, or when there
    are neither two batches nor two copies.
    """
    from scipy.special import stdtrit

    assert arm.amount.shape == control.amount.shape
    used = (arm.rounds + control.rounds).sum(1) > 0
    _refuse(arm, used, "the arm")
    _refuse(control, used, "the control")
    share = (arm.rounds + control.rounds)[used].astype(np.float64)
    share /= share.sum()
    difference = _influence(arm, used) - _influence(control, used)
    copies = int((share.sum(0) > 0).sum())
    batches = int(used.sum())
    between = _between(difference, copies)
    noise = float((difference.sum(1) ** 2).sum() * batches / max(batches - 1, 1))
    if copies >= 2:
        variance, df = max(between, noise if batches >= 2 else 0.0), float(copies - 1)
    else:
        variance, df = noise, float(batches - 1)
    log_ratio = _log_cost(arm) - _log_cost(control)
    half = float(stdtrit(df, 0.5 + confidence / 2)) * float(np.sqrt(variance))
    return Estimate(
        ratio=float(np.exp(log_ratio)),
        ratio_low=float(np.exp(log_ratio - half)),
        ratio_high=float(np.exp(log_ratio + half)),
        confidence=confidence,
        df=df,
        batches=batches,
        rounds=int(control.rounds.sum()),
        copies=copies,
        between_copy_sd=float(np.sqrt(max(between - noise, 0.0) * copies)),
        estimator="ratio of totals, copies random",
    )


def _refuse(totals: ArmTotals, used: NDArray[np.bool_], name: str) -> None:
    idle = np.flatnonzero(totals.work[used].sum(1) <= 0)
    if not used.any() or idle.size:
        place = f"batch {int(np.flatnonzero(used)[idle[0]])}" if idle.size else ""
        raise MeasurementError(f"{name} finished no transaction", where=place)
    if used.sum() < 2 and (totals.rounds.sum(0) > 0).sum() < 2:
        raise MeasurementError(
            "one batch on one copy gives a figure but no interval",
            remedy="Measure longer, or load more copies",
        )


def _influence(totals: ArmTotals, used: NDArray[np.bool_]) -> Floats:
    amount, work = totals.amount[used], totals.work[used]
    return amount / amount.sum() - work / work.sum()


def _between(difference: Floats, copies: int) -> float:
    return float((difference.sum(0) ** 2).sum() * copies / max(copies - 1, 1))


def _log_cost(totals: ArmTotals) -> float:
    return float(np.log(totals.amount.sum()) - np.log(totals.work.sum()))
