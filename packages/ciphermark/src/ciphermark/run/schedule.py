"""The order of slices: every arm once in each round, in a random order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ciphermark.loadgen.orders import SliceOrder

__all__ = ["ROUNDS_PER_BATCH_MIN", "batch_orders", "rounds_per_batch"]

ROUNDS_PER_BATCH_MIN = 30
ORDER_STREAM = 0x0DE4
"""Keeps the random order apart from the random values of the terminals."""


def rounds_per_batch(copies: int) -> int:
    """The fewest rounds, at least 30, that use every copy equally often."""
    return copies * -(-ROUNDS_PER_BATCH_MIN // copies)


def batch_orders(
    *,
    arms: int,
    copies: int,
    first_round: int,
    rounds: int,
    seed: int,
    stream: int,
    duration_ns: int | None,
    count: int | None = None,
) -> tuple[SliceOrder, ...]:
    """The slices of one batch.

    Within a round every arm runs on its copy of the same number, so that what the machine does at
    that moment is common to all; which copy it is, and the order of the arms, is random. The order
    depends on nothing but the seed, the point (`stream`) and the round.
    """
    generator = np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream, first_round, ORDER_STREAM)))
    )
    return tuple(
        SliceOrder((arm, copy), first_round + number, duration_ns, count)
        for number, copy in enumerate(_copies_in_turn(generator, copies, rounds))
        for arm in generator.permutation(arms).tolist()
    )


def _copies_in_turn(generator: np.random.Generator, copies: int, rounds: int) -> Iterator[int]:
    """Each copy once in random order, again and again."""
    left = rounds
    while left > 0:
        turn: Sequence[int] = generator.permutation(copies).tolist()
        yield from turn[:left]
        left -= copies
