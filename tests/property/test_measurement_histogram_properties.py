"""The histogram against plain Python, for every value that a clock can give."""

from __future__ import annotations

import bisect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import ResultFileError
from ciphermark.measurement.histogram import (
    BINS,
    SUB_BINS,
    Histogram,
    bin_edges,
    bin_of,
    bins_of,
)

LARGEST = 2**63 - 1

near_powers = st.builds(
    lambda power, distance: min(max((1 << power) + distance, 0), LARGEST),
    st.integers(0, 63),
    st.integers(-1030, 1030),
)
latencies = st.one_of(st.integers(0, LARGEST), near_powers, st.integers(0, 10**9))
samples = st.lists(latencies, min_size=1, max_size=200)


def filled(values: list[int]) -> Histogram:
    """A histogram of the values."""
    histogram = Histogram()
    histogram.record_many(np.array(values, dtype=np.int64))
    return histogram


def exact_bin(value: int) -> int:
    """The bin by its definition: 64 equal parts of each octave, single integers below 128."""
    if value < 2 * SUB_BINS:
        return value
    octave = value.bit_length() - 1
    part = Fraction(value - 2**octave, 2**octave) * SUB_BINS
    return (octave - 5) * SUB_BINS + math.floor(part)


@given(samples)
def test_bins_of_an_array_are_the_bins_by_definition(values: list[int]) -> None:
    bins = bins_of(np.array(values, dtype=np.int64)).tolist()
    assert bins == [exact_bin(value) for value in values]
    assert bins == [bin_of(value) for value in values]


@given(latencies)
def test_a_value_lies_between_the_edges_of_its_bin(value: int) -> None:
    lower, upper = bin_edges()[bin_of(value)], bin_edges()[bin_of(value) + 1]
    assert lower <= value < upper
    assert upper - lower == 1 or (upper - lower) * SUB_BINS <= value


@given(latencies)
def test_the_middle_of_a_bin_is_near(value: int) -> None:
    edges, bin_ = bin_edges(), bin_of(value)
    middle = Fraction(edges[bin_] + edges[bin_ + 1] - 1, 2)
    assert abs(middle - value) <= Fraction(8, 1000) * value


def test_the_bins_reach_over_all_values_without_a_gap() -> None:
    edges = bin_edges()
    assert len(edges) == BINS + 1
    assert edges[0] == 0
    assert edges[-1] == LARGEST + 1
    assert all(lower < upper for lower, upper in itertools.pairwise(edges))


@given(samples)
def test_count_sum_and_extremes_are_exact(values: list[int]) -> None:
    histogram = filled(values)
    assert histogram.count == len(values)
    assert histogram.sum_ns == sum(values)
    assert (histogram.min_ns, histogram.max_ns) == (min(values), max(values))
    assert int(histogram.counts.sum()) == len(values)


@given(samples, samples)
def test_a_merge_is_as_if_all_had_been_recorded_into_one(
    first: list[int], second: list[int]
) -> None:
    assert filled(first) + filled(second) == filled(first + second)


@given(samples)
def test_one_at_a_time_is_as_all_at_once(values: list[int]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.record(value)
    assert histogram == filled(values)


@given(samples, st.floats(0, 1))
def test_a_quantile_is_near_the_value_of_that_rank(values: list[int], share: float) -> None:
    ordered = sorted(values)
    rank = min(max(math.ceil(share * len(values)), 1), len(values))
    exact = ordered[rank - 1]
    found = filled(values).quantile_ns(share)
    assert abs(found - exact) <= exact / SUB_BINS
    assert ordered[0] <= found <= ordered[-1]


@given(samples)
def test_quantiles_grow_with_their_share(values: list[int]) -> None:
    histogram = filled(values)
    quantiles = [histogram.quantile_ns(share / 50) for share in range(51)]
    assert quantiles == sorted(quantiles)
    assert quantiles[-1] == pytest.approx(max(values), rel=1 / SUB_BINS)


@given(samples)
def test_text_holds_the_whole_histogram(values: list[int]) -> None:
    histogram = filled(values)
    assert Histogram.decode(histogram.encode()) == histogram


@given(st.text(max_size=40))
def test_damaged_text_is_an_error(text: str) -> None:
    with pytest.raises(ResultFileError, match="damaged"):
        Histogram.decode(text)


@given(st.lists(st.integers(0, 10**12), min_size=1), st.sampled_from([1, 2, 4, 8, 16, 32, 64]))
def test_coarse_bins_hold_what_the_fine_ones_hold(values: list[int], per_octave: int) -> None:
    ordered, held = sorted(values), 0
    for edge_ms, count in filled(values).coarse(per_octave):
        held += count
        assert held == bisect.bisect_left(ordered, round(edge_ms * 1e6))
    assert held == len(values)
