"""Whatever the range: no draw outside it, and the shape that the formula promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.workload.distributions import (
    Distribution,
    Gaussian,
    Integers,
    Pareto,
    Special,
    Uniform,
    Zipfian,
)

ALL: list[Distribution] = [
    Uniform(),
    Gaussian(),
    Special(),
    Pareto(),
    Zipfian(),
    Zipfian(1.0),
    Zipfian(1.7),
    Zipfian(0.0),
]
DRAWS = 200_000


def draw(distribution: Distribution, low: int, high: int, count: int = DRAWS) -> Integers:
    return distribution.draw(np.random.default_rng(7), low, high, count)


def share(values: Integers, low: float, high: float) -> float:
    """The share of the values within [low, high]."""
    return float(np.mean((values >= low) & (values <= high)))


@pytest.mark.parametrize("distribution", ALL, ids=repr)
@given(
    low=st.integers(0, 2**31),
    span=st.one_of(st.integers(0, 5), st.integers(0, 2**31)),
    seed=st.integers(0, 2**32),
)
def test_every_value_is_in_the_range(
    distribution: Distribution, low: int, span: int, seed: int
) -> None:
    values = distribution.draw(np.random.default_rng(seed), low, low + span, 200)
    assert values.dtype == np.int64
    assert len(values) == 200
    assert values.min() >= low
    assert values.max() <= low + span


@given(
    iterations=st.integers(1, 30),
    width=st.integers(0, 100),
    hot_share=st.integers(0, 99),
    span=st.integers(0, 1000),
)
def test_special_stays_in_the_range_for_all_its_parameters(
    iterations: int, width: int, hot_share: int, span: int
) -> None:
    values = draw(Special(iterations, width, hot_share), 1, 1 + span, 500)
    assert values.min() >= 1
    assert values.max() <= 1 + span


@pytest.mark.parametrize("distribution", ALL, ids=repr)
def test_a_range_of_one_value_gives_that_value(distribution: Distribution) -> None:
    assert set(draw(distribution, 5, 5, 100).tolist()) == {5}


def test_uniform_gives_every_value_equally_often() -> None:
    counts = np.bincount(draw(Uniform(), 0, 9))
    assert np.allclose(counts / DRAWS, 0.1, atol=0.004)


def test_gaussian_is_a_bell_of_the_right_width() -> None:
    values = draw(Gaussian(), 1, 10_000)
    assert np.mean(values) == pytest.approx(5000.5, abs=10)
    # The variance of a mean of 12 uniform values is 1/144 of the square of the range.
    assert np.std(values) == pytest.approx(10_000 / 12, rel=0.02)


def test_gaussian_of_one_iteration_is_uniform() -> None:
    assert share(draw(Gaussian(1), 1, 1000), 1, 100) == pytest.approx(0.1, abs=0.004)


def test_special_falls_into_the_middle_window_in_three_quarters_of_the_draws() -> None:
    values = draw(Special(), 1, 10_000)
    bell = draw(Gaussian(), 1, 10_000)
    expected = 0.75 + 0.25 * share(bell, 4950, 5051)
    assert share(values, 4950, 5051) == pytest.approx(expected, abs=0.004)


def test_special_never_hits_the_lower_quarter_of_its_window() -> None:
    values = draw(Special(), 1, 10_000)
    # The bell reaches the lower quarter too, with a quarter of all draws spread over the range.
    lower, upper = share(values, 4951, 4974), share(values, 4977, 5050)
    assert lower < 0.02
    assert upper > 0.7


def test_pareto_puts_eighty_percent_on_the_lowest_twenty() -> None:
    values = draw(Pareto(0.2), 1, 100_000)
    assert share(values, 1, 20_000) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 0.8, 1.0, 1.000001, 1.7, 3.0])
@pytest.mark.parametrize("ranks", [2, 3, 50])
def test_zipfian_follows_the_exact_law(exponent: float, ranks: int) -> None:
    counts = np.bincount(draw(Zipfian(exponent), 1, ranks), minlength=ranks + 1)[1:]
    weights = np.arange(1, ranks + 1) ** -exponent
    expected = DRAWS * weights / weights.sum()
    # Five standard deviations of a binomial count, for each rank.
    assert np.all(np.abs(counts - expected) < 5 * np.sqrt(expected) + 1)
