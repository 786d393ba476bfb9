"""Ratios of latency quantiles: values, draws, and what cannot be estimated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ciphermark.errors import MeasurementError
from ciphermark.measurement.histogram import BINS, bin_edges, bins_of, quantile_of_counts
from ciphermark.statistics.latency import latency_ratios
from ciphermark.statistics.quantiles import QUANTILES, Bins, mean_and_quantiles

Counts = NDArray[np.int64]


def counts(
    batches: int, copies: int, *, factor: float = 1.0, copy_sd: float = 0.0, seed: int = 1
) -> Counts:
    """Binned lognormal latencies of 200 transactions a cell."""
    generator = np.random.default_rng(seed)
    effects = np.exp(copy_sd * generator.standard_normal(copies))
    cells = np.zeros((batches, copies, BINS), dtype=np.int64)
    for batch in range(batches):
        for copy in range(copies):
            values = 1e5 * factor * effects[copy] * generator.lognormal(0, 0.3, 200)
            cells[batch, copy] = np.bincount(bins_of(values.astype(np.int64)), minlength=BINS)
    return cells


def test_a_slower_arm_is_found_slower_in_every_metric() -> None:
    found = latency_ratios(counts(20, 4, factor=1.2), counts(20, 4, seed=2), bin_edges())
    assert set(found) == {"latency_mean", *QUANTILES}
    for ratio in found.values():
        assert ratio.estimate.ratio_low < 1.2 < ratio.estimate.ratio_high
        assert ratio.estimate.ratio_low > 1.1
        assert ratio.arm_ns / ratio.control_ns == pytest.approx(ratio.estimate.ratio)


def test_equal_arms_have_a_ratio_of_one_and_an_interval_around_it() -> None:
    cells = counts(10, 3)
    for ratio in latency_ratios(cells, cells, bin_edges()).values():
        assert ratio.estimate.ratio == 1.0
        assert ratio.estimate.ratio_low <= 1.0 <= ratio.estimate.ratio_high


def test_quantiles_are_those_of_the_histogram() -> None:
    cells = counts(5, 2)
    edges = np.asarray(bin_edges(), dtype=np.float64)
    values = mean_and_quantiles(
        cells.sum((0, 1))[None].astype(np.float64), Bins(edges[:-1], edges[1:])
    )
    for metric, share in QUANTILES.items():
        expected = quantile_of_counts(cells.sum((0, 1)), share)
        assert values[metric][0] == pytest.approx(expected, rel=1e-3)


def test_copies_that_differ_widen_the_interval_and_are_reported() -> None:
    alike = latency_ratios(counts(20, 6), counts(20, 6, seed=2), bin_edges())["latency_p50"]
    apart = latency_ratios(
        counts(20, 6, copy_sd=0.05), counts(20, 6, copy_sd=0.05, seed=2), bin_edges()
    )["latency_p50"]
    width = apart.estimate.ratio_high - apart.estimate.ratio_low
    assert width > 3 * (alike.estimate.ratio_high - alike.estimate.ratio_low)
    assert 0.02 < apart.estimate.between_copy_sd < 0.1
    assert apart.estimate.df < 6


def test_the_same_counts_give_the_same_interval() -> None:
    arm, control = counts(6, 3), counts(6, 3, seed=2)
    assert latency_ratios(arm, control, bin_edges()) == latency_ratios(arm, control, bin_edges())


@pytest.mark.parametrize(("batches", "copies"), [(1, 3), (3, 1), (2, 2), (2, 1), (1, 2)])
def test_few_batches_or_copies_still_have_an_interval(batches: int, copies: int) -> None:
    found = latency_ratios(counts(batches, copies), counts(batches, copies, seed=2), bin_edges())
    for ratio in found.values():
        assert 0 < ratio.estimate.ratio_low < ratio.estimate.ratio < ratio.estimate.ratio_high


def test_copies_that_live_for_some_batches_only() -> None:
    arm, control = counts(12, 4), counts(12, 4, seed=2)
    for cells in (arm, control):
        cells[:6, 2:] = 0
        cells[6:, :2] = 0
    found = latency_ratios(arm, control, bin_edges())["latency_p95"].estimate
    assert found.ratio_low < 1 < found.ratio_high
    assert found.copies == 4


def test_copies_and_batches_without_latencies_do_not_count() -> None:
    arm, control = counts(4, 3), counts(4, 3, seed=2)
    more_arm, more_control = (np.zeros((6, 5, BINS), dtype=np.int64) for _ in range(2))
    more_arm[:4, :3], more_control[:4, :3] = arm, control
    padded = latency_ratios(more_arm, more_control, bin_edges())
    assert padded == latency_ratios(arm, control, bin_edges())


def test_what_has_no_interval_is_refused() -> None:
    with pytest.raises(MeasurementError, match="one batch on one copy"):
        latency_ratios(counts(1, 1), counts(1, 1), bin_edges())
    empty = np.zeros((3, 3, BINS), dtype=np.int64)
    with pytest.raises(MeasurementError, match="no latency"):
        latency_ratios(counts(3, 3), empty, bin_edges())


def test_latencies_of_zero_have_a_logarithm() -> None:
    cells = np.zeros((4, 2, BINS), dtype=np.int64)
    cells[:, :, 0] = 10
    assert latency_ratios(cells, cells, bin_edges())["latency_p50"].estimate.ratio == 1.0
