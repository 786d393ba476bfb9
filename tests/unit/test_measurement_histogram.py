"""Histograms of known samples."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest

from ciphermark.errors import MeasurementError, ResultFileError
from ciphermark.measurement.histogram import BINS, Histogram, quantile_of_counts

MS = 1_000_000


def filled(*values: int) -> Histogram:
    """A histogram of the values."""
    histogram = Histogram()
    histogram.record_many(list(values))
    return histogram


def test_a_known_sample_gives_known_figures() -> None:
    histogram = Histogram()
    histogram.record_many(np.arange(1, 1001, dtype=np.int64) * MS)
    assert histogram.mean_ns == 500.5 * MS
    assert histogram.quantile_ns(0.5) == pytest.approx(500 * MS, rel=0.008)
    assert histogram.quantile_ns(0.95) == pytest.approx(950 * MS, rel=0.008)
    assert histogram.quantile_ns(0.99) == pytest.approx(990 * MS, rel=0.008)
    assert histogram.max_ns == 1000 * MS


def test_a_quantile_is_interpolated_within_its_bin() -> None:
    crowded = filled(*range(1_000_000, 1_010_000, 100))  # all in one bin of 16,384 ns
    low, high = crowded.quantile_ns(0.1), crowded.quantile_ns(0.9)
    assert high - low == pytest.approx(0.8 * 16_383, rel=0.5)
    assert low < high


def test_single_nanoseconds_are_exact() -> None:
    assert filled(5, 5, 5, 9).quantile_ns(0.5) == 5
    assert filled(5, 5, 5, 9).quantile_ns(1.0) == 9


def test_there_is_no_ceiling() -> None:
    day_ns = 86_400 * 10**9
    histogram = filled(1, day_ns, 200 * day_ns)
    assert histogram.max_ns == 200 * day_ns
    assert histogram.quantile_ns(0.6) == pytest.approx(day_ns, rel=0.008)


def test_sums_beyond_64_bits_are_exact() -> None:
    histogram = filled(*[2**62] * 100)
    assert histogram.sum_ns == 100 * 2**62


def test_an_empty_histogram_gives_no_figure() -> None:
    empty = Histogram()
    with pytest.raises(MeasurementError, match="no latency was recorded"):
        empty.quantile_ns(0.5)
    with pytest.raises(MeasurementError, match="no latency was recorded"):
        _ = empty.mean_ns
    with pytest.raises(MeasurementError, match="no latency was recorded"):
        quantile_of_counts(np.zeros(BINS, dtype=np.int64), 0.5)
    assert empty.coarse() == ()
    assert Histogram.decode(empty.encode()) == empty


def test_merging_an_empty_one_changes_nothing() -> None:
    assert filled(7) + Histogram() == filled(7)
    assert Histogram() + filled(7) == filled(7)


@pytest.mark.parametrize("others", [[], [5] * 100])
def test_a_latency_below_zero_is_refused_and_nothing_kept(others: list[int]) -> None:
    histogram = Histogram()
    with pytest.raises(MeasurementError, match="the clock went back"):
        histogram.record_many([*others, -1])
    with pytest.raises(MeasurementError, match="the clock went back"):
        histogram.record(-1)
    assert histogram == Histogram()


def test_weights_shift_a_quantile() -> None:
    counts = filled(10, 20).counts.astype(np.float64)
    counts[10] = 9.0
    assert quantile_of_counts(counts, 0.8) == 10
    assert quantile_of_counts(counts, 0.95) == 20


def test_coarse_bins_have_upper_edges_in_milliseconds() -> None:
    ((edge_ms, count),) = filled(1_500_000, 1_500_001).coarse(8)
    assert edge_ms == pytest.approx(1.572864)
    assert count == 2
    with pytest.raises(ValueError, match="must divide 64"):
        filled(1).coarse(3)


def test_histograms_differ_by_any_of_their_figures() -> None:
    assert filled(1_000_000) != filled(1_000_001)  # the same bin, another sum
    assert filled(1) != "histogram"
    assert repr(filled(3, 4)) == "Histogram(count=2, min_ns=3, max_ns=4)"


@pytest.mark.parametrize(
    "content",
    [
        [1, 3, 10, 5, 5, [5], [2]],  # the count is not that of the bins
        [2, 2, 10, 5, 5, [5], [2]],  # a version that nobody has written yet
        [1, 2, 10, 5, 5, [BINS], [2]],  # no such bin
        [1, 2, 10, 5, 5, [-5], [2]],
        [1, 2, 10, 5, 5, [5], [-2]],
        {"count": 2},
    ],
)
def test_text_that_contradicts_itself_is_an_error(content: object) -> None:
    text = base64.b64encode(zlib.compress(json.dumps(content).encode())).decode()
    with pytest.raises(ResultFileError, match="damaged"):
        Histogram.decode(text)


def test_a_usual_histogram_is_short_text() -> None:
    histogram = Histogram()
    generator = np.random.default_rng(1)
    histogram.record_many(generator.lognormal(11.0, 0.5, 100_000).astype(np.int64))
    assert len(histogram.encode()) < 2500
