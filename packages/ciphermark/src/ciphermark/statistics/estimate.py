"""What an arm costs relative to the control: a ratio of totals with its interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError
from ciphermark.statistics.design import Design
from ciphermark.statistics.interval import LogRatio, log_ratio
from ciphermark.statistics.totals import ArmTotals, Estimate

__all__ = ["overhead"]

ESTIMATOR = "ratio of totals; copies random, batches correlated"
ONE_COPY = "ratio of totals; one copy, so differences between copies are not in the interval"
ONE_BATCH = "ratio of totals; one batch, so only differences between copies are in the interval"


def overhead(arm: ArmTotals, control: ArmTotals, confidence: float = 0.95) -> Estimate:
    """Resource per unit of work of the arm relative to the control, with a confidence interval.

    Both arms must have the same shape: the same batches, and copies with the same index in use in
    the same rounds. The estimate is the ratio of the grand totals; nothing is trimmed. The interval
    holds the differences between copies, the noise of the batches and their correlation.

    With one copy it cannot hold the first, with one batch not the others: `estimator` says so.
    Raises `MeasurementError` when an arm did no work in a batch, when a total is not a positive
    number, or when there are neither two batches nor two copies.
    """
    assert arm.amount.shape == control.amount.shape
    if not (arm.rounds.any() and control.rounds.any()):
        raise MeasurementError("no round was measured", remedy="Measure longer")
    design = Design.of(arm.rounds + control.rounds)
    if design.batches < 2 and design.copies < 2:
        raise MeasurementError(
            "one batch on one copy gives a figure but no interval",
            remedy="Measure longer, or load more copies",
        )
    found = log_ratio(
        _cells(arm, design, "the arm"), _cells(control, design, "the control"), design, confidence
    )
    return _estimate(found, design, rounds=int(control.rounds.sum()), confidence=confidence)


def _cells(
    totals: ArmTotals, design: Design, name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Amount and work of the batches and copies in use; refuses what has no logarithm."""
    amount = totals.amount[design.batches_used][:, design.copies_used]
    work = totals.work[design.batches_used][:, design.copies_used]
    if not (np.isfinite(amount).all() and np.isfinite(work).all()):
        raise MeasurementError(f"a total of {name} is not a finite number")
    for what, cells in (("finished no transaction", work), ("used nothing", amount)):
        empty = np.flatnonzero(cells.sum(1) <= 0)
        if empty.size:
            batch = int(np.flatnonzero(design.batches_used)[empty[0]])
            raise MeasurementError(
                f"{name} {what} in batch {batch}", remedy="Make slices or batches longer"
            )
    return amount, work


def _estimate(found: LogRatio, design: Design, *, rounds: int, confidence: float) -> Estimate:
    ratio, low, high = (float(np.exp(log)) for log in (found.value, found.low, found.high))
    few_copies = ONE_COPY if design.copies < 2 else ESTIMATOR
    return Estimate(
        ratio=ratio,
        ratio_low=low,
        ratio_high=high,
        confidence=confidence,
        df=float(found.df),
        batches=design.batches,
        rounds=rounds,
        copies=design.copies,
        between_copy_sd=float(found.copy_sd),
        estimator=ONE_BATCH if design.batches < 2 else few_copies,
        independent_batches=float(found.independent_batches),
    )
