"""The estimate of an overhead: its value, what is in its interval, and what is refused."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ciphermark.errors import MeasurementError
from ciphermark.statistics.design import Design
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.totals import ArmTotals, Estimate

Floats = NDArray[np.float64]


def totals(cost: Floats, *, work: float = 100.0, rounds: int = 5) -> ArmTotals:
    """An arm that did the same work in each cell, at this cost."""
    return ArmTotals(
        amount=cost * work,
        work=np.full(cost.shape, work),
        rounds=np.full(cost.shape, rounds, dtype=np.int64),
    )


def noisy(
    batches: int,
    copies: int,
    *,
    noise: float = 0.01,
    copy_sd: float = 0.0,
    ratio: float = 1.0,
    seed: int = 1,
) -> ArmTotals:
    """Cells with normal noise of the logarithm, and copies that differ."""
    generator = np.random.default_rng(seed)
    logs = noise * generator.standard_normal((batches, copies))
    logs += copy_sd * generator.standard_normal(copies)
    return totals(ratio * np.exp(logs))


def width(estimate: Estimate) -> float:
    """Half-width of the log ratio."""
    return (log(estimate.ratio_high) - log(estimate.ratio_low)) / 2


def test_the_estimate_is_the_ratio_of_totals_whatever_the_cells_are() -> None:
    generator = np.random.default_rng(3)
    shape = (4, 3)
    rounds = np.full(shape, 10, dtype=np.int64)
    arm = ArmTotals(generator.pareto(2, shape) + 1, generator.random(shape), rounds)
    control = ArmTotals(generator.random(shape), generator.random(shape), rounds)
    expected = (arm.amount.sum() / arm.work.sum()) / (control.amount.sum() / control.work.sum())
    assert overhead(arm, control).ratio == pytest.approx(expected)


def test_a_stall_in_one_cell_counts_in_full() -> None:
    cost = np.ones((20, 5))
    cost[7, 2] = 51.0
    assert overhead(totals(cost), noisy(20, 5, noise=1e-6)).ratio == pytest.approx(1.5, rel=1e-4)


def test_one_round_of_blocks_on_each_copy_is_a_paired_t_interval() -> None:
    """Six rounds, each on a copy of its own: the classical interval of six differences."""
    generator = np.random.default_rng(4)
    logs = 0.001 * generator.standard_normal((2, 6))
    rounds = np.eye(6, dtype=np.int64)
    arm, control = (
        ArmTotals(np.diag(np.exp(values)), np.diag(np.ones(6)), rounds) for values in logs
    )
    found = overhead(arm, control)
    differences = logs[0] - logs[1]
    half = stats.t.ppf(0.975, 5) * differences.std(ddof=1) / sqrt(6)
    assert found.df == pytest.approx(5)
    assert width(found) == pytest.approx(half, rel=0.02)


def test_many_batches_of_one_copy_are_a_t_interval_of_the_batches() -> None:
    # Low and high batches take turns, so none are alike that follow one another.
    logs = np.sort(0.001 * np.random.default_rng(5).standard_normal(30)).reshape(2, 15).T
    arm, control = totals(np.exp(logs.reshape(30, 1))), totals(np.ones((30, 1)))
    differences = np.log(arm.amount) - np.log(control.amount)
    half = stats.t.ppf(0.975, 29) * differences.std(ddof=1) / sqrt(30)
    found = overhead(arm, control)
    assert found.independent_batches == pytest.approx(30)
    assert width(found) == pytest.approx(half, rel=0.02)
    assert "one copy" in found.estimator


def test_copies_that_differ_are_in_the_interval_however_many_batches_there_are() -> None:
    found = overhead(noisy(400, 6, copy_sd=0.02), noisy(400, 6, copy_sd=0.02, seed=2))
    assert width(found) > 0.01
    assert 0.008 < found.between_copy_sd < 0.04
    assert 5 <= found.df <= 12


def test_without_differences_of_copies_more_batches_narrow_the_interval() -> None:
    few = np.mean([width(overhead(noisy(25, 6, seed=s), noisy(25, 6, seed=s + 99))) for s in SEEDS])
    many = np.mean(
        [width(overhead(noisy(400, 6, seed=s), noisy(400, 6, seed=s + 99))) for s in SEEDS]
    )
    assert many < few / 3


SEEDS = range(20)


def test_noise_common_to_both_arms_does_not_widen_the_interval() -> None:
    common = np.exp(0.2 * np.random.default_rng(8).standard_normal((40, 6)))

    def both(seed: int) -> ArmTotals:
        return totals(common * noisy(40, 6, noise=0.001, seed=seed).amount / 100)

    assert width(overhead(both(1), both(2))) < 0.002


def test_batches_that_follow_one_another_alike_count_less() -> None:
    generator = np.random.default_rng(9)
    steps = np.repeat(0.02 * generator.standard_normal(10), 8)[:, None] * np.ones((80, 4))
    slow = overhead(totals(np.exp(steps)), noisy(80, 4, noise=0.001))
    shuffled = overhead(totals(np.exp(generator.permutation(steps))), noisy(80, 4, noise=0.001))
    assert slow.independent_batches < 25 < shuffled.independent_batches
    assert width(slow) > 1.5 * width(shuffled)


def test_the_interval_leans_towards_rare_expensive_slices() -> None:
    cost = np.ones((40, 6)) * np.exp(0.001 * np.random.default_rng(1).standard_normal((40, 6)))
    cost[[3, 20], [1, 4]] *= 10
    found = overhead(totals(cost), noisy(40, 6, noise=0.001))
    assert log(found.ratio_high / found.ratio) > 1.5 * log(found.ratio / found.ratio_low)


def test_swapping_the_arms_turns_the_interval_over() -> None:
    arm, control = noisy(30, 6, copy_sd=0.01, ratio=1.1), noisy(30, 6, seed=2)
    there, back = overhead(arm, control), overhead(control, arm)
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert back.ratio_low == pytest.approx(1 / there.ratio_high)
    assert back.df == pytest.approx(there.df)


def test_copies_without_rounds_and_batches_without_rounds_do_not_count() -> None:
    arm, control = noisy(12, 4), noisy(12, 4, seed=2)

    def padded(one: ArmTotals) -> ArmTotals:
        around = ((0, 3), (0, 2))
        return ArmTotals(
            np.pad(one.amount, around), np.pad(one.work, around), np.pad(one.rounds, around)
        )

    assert overhead(padded(arm), padded(control)) == overhead(arm, control)


def test_a_copy_that_missed_a_batch_changes_little() -> None:
    arm, control = noisy(40, 6), noisy(40, 6, seed=2)
    whole = overhead(arm, control)
    for one in (arm, control):
        for cells in (one.amount, one.work, one.rounds):
            cells[10, 3] = 0
    found = overhead(arm, control)
    assert found.ratio == pytest.approx(whole.ratio, abs=2e-3)
    assert width(found) == pytest.approx(width(whole), rel=0.4)


def test_identical_totals_have_an_interval_of_no_width() -> None:
    found = overhead(totals(np.ones((20, 3))), totals(np.ones((20, 3))))
    assert (found.ratio_low, found.ratio, found.ratio_high) == (1.0, 1.0, 1.0)
    assert found.df >= 1


def test_one_batch_says_that_noise_between_batches_is_not_in_the_interval() -> None:
    found = overhead(noisy(1, 6), noisy(1, 6, seed=2))
    assert found.df == pytest.approx(5)
    assert "one batch" in found.estimator


@pytest.mark.parametrize("batches", [1, 2, 3, 5, 19])
@pytest.mark.parametrize("copies", [1, 2, 6])
def test_every_shape_with_an_interval_has_finite_ends(batches: int, copies: int) -> None:
    if batches == copies == 1:
        return
    found = overhead(noisy(batches, copies), noisy(batches, copies, seed=2))
    numbers = (found.ratio_low, found.ratio, found.ratio_high, found.df, found.between_copy_sd)
    assert np.isfinite(numbers).all()
    assert found.ratio_low < found.ratio < found.ratio_high


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99, 0.999])
def test_more_confidence_is_a_wider_interval(confidence: float) -> None:
    arm, control = noisy(30, 6), noisy(30, 6, seed=2)
    found, usual = overhead(arm, control, confidence), overhead(arm, control)
    assert found.confidence == confidence
    assert (width(found) > width(usual)) == (confidence > 0.95)


def test_one_batch_on_one_copy_has_no_interval() -> None:
    with pytest.raises(MeasurementError, match="one batch on one copy"):
        overhead(noisy(1, 1), noisy(1, 1))


def test_an_arm_that_did_nothing_in_a_batch_is_named_with_the_batch() -> None:
    arm, control = noisy(5, 2), noisy(5, 2, seed=2)
    control.work[3] = 0
    with pytest.raises(MeasurementError, match="the control finished no transaction in batch 3"):
        overhead(arm, control)


def test_one_cell_without_work_is_data() -> None:
    arm, control = noisy(20, 4), noisy(20, 4, seed=2)
    arm.work[3, 1] = 0
    assert overhead(arm, control).ratio == pytest.approx(1 / (1 - 1 / 80), rel=0.01)


def test_nothing_measured_and_numbers_that_are_none_are_refused() -> None:
    nothing = totals(np.ones((3, 3)), rounds=0)
    with pytest.raises(MeasurementError, match="no round"):
        overhead(nothing, nothing)
    broken = noisy(5, 2)
    broken.amount[2, 1] = np.nan
    with pytest.raises(MeasurementError, match="not a finite number"):
        overhead(broken, noisy(5, 2))
    free = noisy(5, 2)
    free.amount[2] = 0
    with pytest.raises(MeasurementError, match="the arm used nothing in batch 2"):
        overhead(free, noisy(5, 2))


def test_cost_and_loss_of_throughput_are_two_sides_of_the_ratio() -> None:
    found = overhead(noisy(30, 6, ratio=1.25), noisy(30, 6, seed=2))
    cost, loss = found.cost(), found.throughput_loss()
    for more, less in zip(cost, loss, strict=True):
        assert (1 + more) * (1 - less) == pytest.approx(1)
    assert loss[1] < 0.2 < loss[2]
    assert exp(log(found.ratio)) == pytest.approx(1 + cost[0])


def test_a_design_of_draws_knows_its_degrees_of_freedom() -> None:
    rounds = np.kron(np.eye(3, dtype=np.int64), np.full((4, 2), 15))
    design = Design.of(rounds)
    assert (design.batches, design.copies) == (12, 6)
    assert design.fitted == pytest.approx(3)
    assert design.noise_df == pytest.approx(9)
    assert design.copies_df == pytest.approx(5)
    assert not design.crossed
    assert design.draws.shape == (12, 3)


def test_a_crossed_design_loses_one_degree_of_freedom() -> None:
    design = Design.of(np.full((12, 6), 5))
    assert design.crossed
    assert design.fitted == pytest.approx(1)
    assert design.between_scale == pytest.approx(6 / 5)
    assert design.cell_scale == pytest.approx(np.full(6, 12 / 11))
