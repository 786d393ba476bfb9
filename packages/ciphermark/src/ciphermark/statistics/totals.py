"""Totals of batches, the only thing that estimates are made from.

Transactions and time are summed within a batch; a logarithm is taken of such sums only. A mean of
the ratios of single slices would cut rare stalls off: simulated, a true cost of 13 % came out as
0.5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArmTotals", "Estimate"]


@dataclass(frozen=True, slots=True)
class ArmTotals:
    """What one arm did, by batch and copy.

    `amount` and `work` have the shape (batches, copies): the resource used (nanoseconds of time or
    of CPU) and the work done with it (transactions). A cell without rounds holds zeros. `rounds`
    counts the rounds behind each cell.

    For servers a copy is a draw: it lives for some batches, and the cells of the others are zero.
    """

    amount: NDArray[np.float64]
    work: NDArray[np.float64]
    rounds: NDArray[np.int64]

    def __post_init__(self) -> None:
        assert self.amount.shape == self.work.shape == self.rounds.shape
        assert self.amount.ndim == 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """The relative use of a resource per unit of work: arm/control - 1, with its interval.

    `ratio` is arm/control of amount/work (time per transaction, CPU per transaction). For the
    loss of throughput use `throughput_loss`. `independent_batches` is the number of uncorrelated
    batches that the batches are worth.
    """

    ratio: float
    ratio_low: float
    ratio_high: float
    confidence: float
    df: float
    batches: int
    rounds: int
    copies: int
    between_copy_sd: float
    estimator: str
    independent_batches: float = inf

    def cost(self) -> tuple[float, float, float]:
        """(estimate, low, high) of arm/control - 1."""
        return self.ratio - 1.0, self.ratio_low - 1.0, self.ratio_high - 1.0

    def throughput_loss(self) -> tuple[float, float, float]:
        """(estimate, low, high) of 1 - throughput(arm)/throughput(control)."""
        return 1.0 - 1.0 / self.ratio, 1.0 - 1.0 / self.ratio_low, 1.0 - 1.0 / self.ratio_high
