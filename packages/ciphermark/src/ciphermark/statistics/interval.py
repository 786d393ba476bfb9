"""The interval of a log ratio of totals, for one experiment or many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ciphermark.statistics.components import (
    Between,
    between_copies,
    between_draws,
    influence,
    noise_of_batches,
    without_copies,
)
from ciphermark.statistics.design import TINY, Design

__all__ = ["LogRatio", "log_ratio"]

Floats = NDArray[np.float64]

# The constants below were chosen by simulation (docs/statistics.md, benchmarks/coverage.py).
# A correlation of successive batches below this many standard errors is taken for none.
CORRELATION_THRESHOLD = 0.5
CORRELATION_MAX = 0.95
# A memory of more than a quarter of the batches cannot be told from chance.
MEMORY_PART = 4.0
# Batches are also looked at in twos, as long as this many of these are left.
PAIRS_MIN = 16
# At most so much of the noise is taken for removed together with the copies.
KEPT_MIN = 0.5
# Each unit of variance inflation by correlation costs this many degrees of freedom's worth.
CORRELATION_DF_COST = 1.5
# Noise that hides in the between-copy variance, as a part of the noise variance.
HIDDEN_COPIES = 0.4
# Skewness: the part of Johnson's shift that is applied, and the largest skewness believed.
SKEWNESS_WEIGHT = 0.5
SKEWNESS_MAX = 1.0


@dataclass(frozen=True, slots=True)
class LogRatio:
    """Log ratio arm/control with its interval; fields of shape (...).

    `copy_sd` is the standard deviation of the log cost between copies of one arm,
    `independent_batches` the number of uncorrelated batches that the batches are worth.
    """

    value: Floats
    low: Floats
    high: Floats
    df: Floats
    copy_sd: Floats
    independent_batches: Floats


def log_ratio(
    arm: tuple[Floats, Floats],
    control: tuple[Floats, Floats],
    design: Design,
    confidence: float,
) -> LogRatio:
    """Interval of log(arm's amount per work / control's); arms are (amount, work) arrays.

    Arrays have the shape (..., batches, copies) and hold only the design's batches and copies.
    Half-width: Student's t times the root of the sum of the noise variance, inflated for
    correlated batches, and the between-copy variance; degrees of freedom after Satterthwaite,
    Biometrics Bulletin 2 (1946); shifted for skewness after Johnson, JASA 73 (1978).
    """
    from scipy.special import stdtrit

    arm_cells, control_cells = influence(*arm), influence(*control)
    difference = arm_cells - control_cells
    residual = noise_of_batches(difference, design)
    inflation = correlation_inflation(residual, design)
    noise = inflation * (residual**2).sum(-1)
    noise_df = design.noise_df / (1.0 + CORRELATION_DF_COST * (inflation - 1.0))
    between = between_copies(arm_cells, control_cells, design)
    copies = np.maximum(between.variance, 0.0)
    variance = np.maximum(noise + copies, between_draws(difference, design))
    df = _degrees_of_freedom(variance, noise, noise_df, between, design)
    quantile = stdtrit(df, 0.5 + confidence / 2)
    half = quantile * np.sqrt(variance)
    shift = _skewness_shift(difference, variance, quantile, design)
    value = np.log(_cost(*arm)) - np.log(_cost(*control))
    return LogRatio(
        value=value,
        low=value - half + shift,
        high=value + half + shift,
        df=df,
        copy_sd=np.sqrt(copies / (2 * design.concentration)),
        independent_batches=design.batches / inflation,
    )


def correlation_inflation(residual: Floats, design: Design) -> Floats:
    """By what factor correlated batches make the variance of their sum larger; at least 1.

    The larger of two estimates: from the first autocorrelation of batches, and of batches taken in
    twos, where short-lived noise weighs less. An autoregressive process of first order is assumed:
    (1 + r)/(1 - r). What is constant in a copy was removed from the residuals, and with it more
    of the noise the more the batches of a draw are alike: this is given back.
    """
    if not design.noise_df:
        return np.ones(residual.shape[:-1])
    inflation = _largest_inflation(residual, design)
    kept = (design.batches - design.fitted * inflation) / design.noise_df
    return np.asarray(inflation / np.maximum(kept, KEPT_MIN))


def _largest_inflation(residual: Floats, design: Design) -> Floats:
    inflation = _autoregressive(residual, design.fitted)
    pairs = design.batches // 2
    if pairs < PAIRS_MIN or pairs <= design.fitted:
        return inflation
    twos = residual[..., -2 * pairs :].reshape(*residual.shape[:-1], pairs, 2).sum(-1)
    ratio = (twos**2).sum(-1) / np.maximum((residual**2).sum(-1), TINY)
    ratio *= design.noise_df / (2 * (pairs - design.fitted))
    return np.asarray(np.maximum(inflation, ratio * _autoregressive(twos, design.fitted)))


def _autoregressive(series: Floats, fitted: float) -> Floats:
    """Variance inflation of a first-order autoregression; bias after Kendall, Biometrika 41."""
    length = series.shape[-1]
    products = (series[..., 1:] * series[..., :-1]).sum(-1)
    first = products / np.maximum((series**2).sum(-1), TINY)
    first = first + (1 + 3 * first) * fitted / length
    largest = np.clip(1.0 - MEMORY_PART / length, 0.0, CORRELATION_MAX)
    small = first < CORRELATION_THRESHOLD / np.sqrt(length)
    first = np.where(small, 0.0, np.minimum(first, largest))
    return np.asarray((1 + first) / (1 - first))


def _degrees_of_freedom(
    variance: Floats, noise: Floats, noise_df: Floats, between: Between, design: Design
) -> Floats:
    spread = np.zeros_like(variance)
    least = np.full_like(variance, np.inf)
    if design.copies > 1:
        copies = np.maximum(between.variance, 0.0) + HIDDEN_COPIES * between.noise
        spread += between.twice_per_df * copies**2 / design.copies_df
        least = np.minimum(least, design.copies_df)
    if design.noise_df > 0:
        spread += 2 * noise**2 / np.maximum(noise_df, 1.0)
        least = np.minimum(least, noise_df)
    df = 2 * variance**2 / np.maximum(spread, TINY)
    known = spread > TINY
    return np.asarray(np.maximum(np.where(known, df, least), np.maximum(least, 1.0)))


def _skewness_shift(
    difference: Floats, variance: Floats, quantile: Floats, design: Design
) -> Floats:
    """Rare expensive slices make the error skewed: the interval moves towards what was unseen."""
    third = (without_copies(difference, design) ** 3).sum((-2, -1))
    skewness = third / np.maximum(variance, TINY**0.5) ** 1.5
    skewness = np.clip(skewness, -SKEWNESS_MAX, SKEWNESS_MAX)
    shift = SKEWNESS_WEIGHT * skewness * (quantile**2 / 3 + 1 / 6)
    return np.asarray(np.clip(shift, -quantile / 2, quantile / 2) * np.sqrt(variance))


def _cost(amount: Floats, work: Floats) -> Floats:
    return np.asarray(amount.sum((-2, -1)) / work.sum((-2, -1)))
