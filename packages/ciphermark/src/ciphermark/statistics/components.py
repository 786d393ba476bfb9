"""What the variance of a log ratio of totals is made of: noise, and differences of copies.

All arrays have the shape (..., batches, copies), so that the simulator can put many experiments
into one call. The logarithm is taken of grand totals only; what a cell does to it is its influence,
the first derivative. The model of an influence is ::

    share * (effect of the arm's copy - effect of the control's copy) + noise of batch and cell

The copies are a sample of all that could have been loaded: a random effect, independent in the two
arms. The noise is not independent: both arms are under load in the same rounds.

Sources: linearization of a ratio: Cochran, Sampling Techniques (1977), section 6.3. Crossed random
effects, moments: Searle, Casella and McCulloch, Variance Components (1992), chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.statistics.design import TINY, Design, sum_of_squares_scale

__all__ = ["Between", "between_copies", "between_draws", "influence", "noise_of_batches"]

Floats = NDArray[np.float64]

# From this many degrees of freedom on, the noise is known well enough to decide about pairing.
PAIRING_DF = 10.0
# A copy variance counts for the decision where it exceeds the noise by this factor.
CLEARLY_COPIES = 4.0


@dataclass(frozen=True, slots=True)
class Between:
    """Between-copy variance of the log ratio, arm and control together; fields of shape (...).

    `variance` may come out negative when there is nothing but noise. `noise` is the variance that
    the noise alone would give. `twice_per_df` is 2/df for a `variance` that is all copies: two when
    only one arm's copies differ, or when copies are compared by index; less when both do.
    """

    variance: Floats
    noise: Floats
    twice_per_df: Floats


def influence(amount: Floats, work: Floats) -> Floats:
    """Influence of each cell on log(sum of amount / sum of work); sums to zero."""
    axes = (-2, -1)
    return np.asarray(
        amount / amount.sum(axes, keepdims=True) - work / work.sum(axes, keepdims=True)
    )


def without_copies(cells: Floats, design: Design) -> Floats:
    """Cells minus what is constant in each copy; every copy's cells then sum to zero."""
    effect = cells.sum(-2) / design.copy_share
    return np.asarray(cells - design.share * effect[..., None, :])


def noise_of_batches(difference: Floats, design: Design) -> Floats:
    """Residual of each batch, shape (..., batches); its squares sum to the noise variance."""
    residual = without_copies(difference, design).sum(-1)
    return np.asarray(residual * np.sqrt(design.noise_scale))


def between_copies(arm: Floats, control: Floats, design: Design) -> Between:
    """Between-copy variance from the influences of the two arms.

    Effects of copies are independent between arms, so it may be taken from each arm by itself,
    which has twice the degrees of freedom; noise common to both arms is then in the way and must be
    subtracted. Or from the differences of copies with the same index, where such noise cancels.
    `weight` of the covariance goes from the first (0) to the second (1): the value with the
    smallest variance under normality, given the noise.
    """
    own_arm, own_control, shared = _mean_products(arm, control, design)
    noise_arm, noise_control, noise_shared = _noise_products(arm, control, design)
    noise_arm, noise_control = np.maximum(noise_arm, 0.0), np.maximum(noise_control, 0.0)
    if design.crossed and design.noise_df >= PAIRING_DF:
        a = noise_arm + np.maximum(own_arm - CLEARLY_COPIES * noise_arm, 0.0)
        c = noise_control + np.maximum(own_control - CLEARLY_COPIES * noise_control, 0.0)
        weight = noise_shared * (a + c) / np.maximum(a * c + noise_shared**2, TINY)
        weight = np.clip(weight, 0.0, 1.0)
    else:
        weight = np.ones_like(own_arm)
    variance = own_arm + own_control - 2 * weight * shared
    variance -= noise_arm + noise_control - 2 * weight * noise_shared
    part = own_arm / np.maximum(own_arm + own_control, TINY)
    return Between(
        variance=variance,
        noise=np.maximum(noise_arm + noise_control - 2 * noise_shared, 0.0),
        twice_per_df=2 * part**2 + 2 * (1 - part) ** 2 + 4 * weight**2 * part * (1 - part),
    )


def between_draws(difference: Floats, design: Design) -> Floats:
    """Variance of the log ratio as seen between draws, whatever is correlated within them.

    Zero when there are fewer than three draws, or when all copies live all the time.
    """
    draws = design.draws.shape[1]
    if design.crossed or draws < 3:
        return np.zeros(difference.shape[:-2])
    totals = difference.sum(-1) @ design.draws
    share = design.share.sum(1) @ design.draws
    return np.asarray(sum_of_squares_scale(share) * (totals**2).sum(-1))


def _mean_products(arm: Floats, control: Floats, design: Design) -> tuple[Floats, Floats, Floats]:
    a, c = arm.sum(-2), control.sum(-2)
    scale = design.between_scale
    return scale * (a * a).sum(-1), scale * (c * c).sum(-1), scale * (a * c).sum(-1)


def _noise_products(arm: Floats, control: Floats, design: Design) -> tuple[Floats, Floats, Floats]:
    """What the noise of cells and batches adds to the mean products of copies, in expectation."""
    a, c = without_copies(arm, design), without_copies(control, design)

    def expected(one: Floats, two: Floats) -> Floats:
        cells = (design.cell_scale * (one * two).sum(-2)).sum(-1)
        batches = design.noise_scale * (one.sum(-1) * two.sum(-1)).sum(-1)
        return np.asarray(design.between_scale * (cells - design.concentration * batches))

    return expected(a, a), expected(c, c), expected(a, c)
