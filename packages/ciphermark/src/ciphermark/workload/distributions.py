"""Random integers as sysbench draws them, many at a time.

Every distribution gives integers of a closed range [low, high]; `draw` is vectorised, because the
values of a whole slice are drawn before the clock starts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Distribution",
    "Gaussian",
    "Integers",
    "Pareto",
    "Special",
    "Uniform",
    "Zipfian",
]

Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]


class Distribution(Protocol):
    """A way to draw integers from a closed range."""

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        """`count` integers from `low` to `high`, both included."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every integer of the range equally often."""

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        return generator.integers(low, high, count, dtype=np.int64, endpoint=True)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A bell over the range: the mean of `iterations` uniform values."""

    iterations: int = 12

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        return low + _floor((high - low + 1) * _means(generator, self.iterations, count))


@dataclass(frozen=True, slots=True)
class Special:
    """sysbench 1.0's own default: a bell over the range, and a hot window in its middle.

    `hot_share` percent of the draws (75) fall into a window of `hot_width` percent of the range
    (1). One uniform value decides between bell and window and, if it is the window, also places
    the draw within it: with 75 % only the upper three quarters of the window are ever hit. That is
    sysbench's behaviour, and published figures contain it.
    """

    iterations: int = 12
    hot_width: int = 1
    hot_share: int = 75

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        span = high - low
        window = span * self.hot_width / 100
        u = generator.random(count)
        offset = u * (window + 1) + span / 2 - window / 2
        in_bell = np.flatnonzero(u * (100 / (100 - self.hot_share)) < 1)
        offset[in_bell] = span * _means(generator, self.iterations, len(in_bell))
        return np.minimum(low + _floor(offset), high)


@dataclass(frozen=True, slots=True)
class Pareto:
    """A power law: for h = 0.2, 80 % of the draws fall on the lowest 20 % of the range."""

    h: float = 0.2

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        power = math.log(self.h) / math.log(1 - self.h)
        return low + _floor((high - low + 1) * generator.random(count) ** power)


@dataclass(frozen=True, slots=True)
class Zipfian:
    """Zipf's law with exponent s over the ranks 1 to n: rank r is drawn in proportion to r^-s.

    Exact, by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate
    variates from monotone discrete distributions", ACM TOMACS 6 (1996), section 4. The lowest
    value of the range is the most frequent one.
    """

    exponent: float = 0.8

    def draw(self, generator: np.random.Generator, low: int, high: int, count: int) -> Integers:
        ranks = np.empty(count, np.int64)
        missing = np.arange(count)
        while len(missing):
            rank, accepted = self._propose(generator, high - low + 1, len(missing))
            ranks[missing[accepted]] = rank[accepted]
            missing = missing[~accepted]
        return low - 1 + ranks

    def _propose(
        self, generator: np.random.Generator, ranks: int, count: int
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Candidates, and which of them are accepted."""
        upper = self._integral(np.array([ranks + 0.5]))[0]
        lower = self._integral(np.array([1.5]))[0] - 1.0
        area = upper + generator.random(count) * (lower - upper)
        x = self._inverse(area)
        rank = np.clip(_floor(x + 0.5), 1, ranks)
        always = 2.0 - self._inverse(
            self._integral(np.array([2.5])) - np.array([2.0]) ** -self.exponent
        )
        near = rank - x <= always
        real_rank = rank.astype(np.float64)
        under = area >= self._integral(real_rank + 0.5) - real_rank**-self.exponent
        return rank, near | under

    def _integral(self, x: Reals) -> Reals:
        """The integral of t^-s from 1 to x."""
        power = 1.0 - self.exponent
        logarithm: Reals = np.log(x)
        if power == 0:
            return logarithm
        integral: Reals = np.expm1(power * logarithm) / power
        return integral

    def _inverse(self, area: Reals) -> Reals:
        """The x at which the integral reaches `area`."""
        power = 1.0 - self.exponent
        logarithm: Reals = area
        if power != 0:
            logarithm = np.log1p(np.clip(area * power, -1.0 + 1e-16, None)) / power
        return np.exp(logarithm)


def _means(generator: np.random.Generator, iterations: int, count: int) -> Reals:
    means: Reals = generator.random((count, iterations)).mean(axis=1)
    return means


def _floor(values: Reals) -> Integers:
    return np.floor(values).astype(np.int64)
