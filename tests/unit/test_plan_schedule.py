"""The order of slices, and the size that warm-up gives them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.loadgen.arrivals import arrivals_ns
from ciphermark.run.schedule import batch_orders, rounds_per_batch


@given(copies=st.integers(1, 64))
def test_a_batch_uses_all_copies_equally_often(copies: int) -> None:
    rounds = rounds_per_batch(copies)
    assert rounds >= 30
    assert rounds % copies == 0
    assert rounds - copies < 30


@given(
    arms=st.integers(2, 6),
    copies=st.integers(1, 8),
    seed=st.integers(0, 2**63 - 1),
    first_round=st.integers(0, 10**6),
)
def test_every_arm_runs_once_in_each_round_on_the_same_copy(
    arms: int, copies: int, seed: int, first_round: int
) -> None:
    rounds = rounds_per_batch(copies)
    orders = batch_orders(
        arms=arms,
        copies=copies,
        first_round=first_round,
        rounds=rounds,
        seed=seed,
        stream=3,
        duration_ns=1000,
    )
    assert len(orders) == arms * rounds
    for number in range(rounds):
        of_round = orders[number * arms : (number + 1) * arms]
        assert {order.round for order in of_round} == {first_round + number}
        assert {order.cell[0] for order in of_round} == set(range(arms))
        assert len({order.cell[1] for order in of_round}) == 1
    uses = Counter(order.cell for order in orders)
    assert set(uses.values()) == {rounds // copies}


def test_the_order_is_random_and_repeatable() -> None:
    def orders(seed: int, first_round: int) -> list[int]:
        made = batch_orders(
            arms=4,
            copies=2,
            first_round=first_round,
            rounds=30,
            seed=seed,
            stream=0,
            duration_ns=1,
        )
        return [order.cell[0] for order in made]

    assert orders(1, 0) == orders(1, 0)
    assert orders(1, 0) != orders(2, 0)
    assert orders(1, 0) != orders(1, 30)
    first = Counter(orders(5, 0)[::4])
    assert len(first) == 4, "each arm goes first now and then"


def test_arrivals_come_at_the_rate_and_in_order() -> None:
    offsets = arrivals_ns(10_000.0, 2_000_000_000, np.random.SeedSequence(1))
    assert (np.diff(offsets) >= 0).all()
    assert offsets[-1] < 2_000_000_000
    # 20,000 expected; six standard deviations of a Poisson count
    assert abs(len(offsets) - 20_000) < 6 * 20_000**0.5
    gaps = np.diff(offsets)
    assert 0.95 < gaps.std() / gaps.mean() < 1.05, "gaps are exponential"


def test_arrivals_of_terminals_add_up_to_one_process() -> None:
    parts = np.random.SeedSequence(4).spawn(4)
    merged = np.sort(np.concatenate([arrivals_ns(250.0, 10**10, seed) for seed in parts]))
    assert abs(len(merged) - 10_000) < 600
    gaps = np.diff(merged)
    assert 0.95 < gaps.std() / gaps.mean() < 1.05
