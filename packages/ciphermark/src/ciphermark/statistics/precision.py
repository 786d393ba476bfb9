"""When to stop: the intervals are narrow enough, and enough was seen to trust them."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log

from ciphermark.results.document import Metric
from ciphermark.statistics.noise_floor import interval
from ciphermark.statistics.totals import Estimate

__all__ = [
    "BATCHES_MIN",
    "INDEPENDENT_BATCHES_MIN",
    "ROUNDS_MIN",
    "enough",
    "half_width",
    "is_look",
]

BATCHES_MIN = 20
# A stall that comes once in 300 slices is then missed in 2 % of all experiments only.
ROUNDS_MIN = 1200
# Batches that follow one another alike count less: their correlation must be known, too.
INDEPENDENT_BATCHES_MIN = 30
# To look after each batch and stop at the first narrow interval would favour those that are
# narrow by chance; so the number of batches grows by a quarter from look to look.
LOOK_GROWTH = 1.25


def half_width(estimate: Estimate, metric: Metric = "throughput") -> float:
    """Half the width of the interval of the overhead, as a fraction: 0.01 is one per cent."""
    return interval(estimate, metric).half_width


def is_look(batches: int, step: int = 1) -> bool:
    """Whether a look is due after so many batches, when `step` fewer were there the last time."""
    return _looks(batches) > _looks(batches - step)


def enough(
    estimates: Sequence[Estimate],
    *,
    batches: int,
    draws_done: int,
    draws_planned: int,
    precision: float,
    metric: Metric = "throughput",
    step: int = 1,
) -> bool:
    """Whether a point may end before its time limit.

    True when every comparison's half-width is at most `precision`, after at least `BATCHES_MIN`
    batches, all planned draws, `ROUNDS_MIN` rounds and batches worth `INDEPENDENT_BATCHES_MIN`
    uncorrelated ones; and then only when a look is due. May be asked after each batch, or after
    each `step` batches: the coverage of the intervals was simulated with this rule in force.
    """
    if not estimates or draws_done < draws_planned or not is_look(batches, step):
        return False
    return all(
        estimate.rounds >= ROUNDS_MIN
        and estimate.independent_batches >= INDEPENDENT_BATCHES_MIN
        and half_width(estimate, metric) <= precision
        for estimate in estimates
    )


def _looks(batches: int) -> int:
    """How many looks were due up to so many batches."""
    if batches < BATCHES_MIN:
        return 0
    # The small number keeps exact powers on the right side of the rounding.
    return 1 + floor(log(batches / BATCHES_MIN) / log(LOOK_GROWTH) + 1e-9)
