"""Endless sequences of random values that cost next to nothing to take from.

A terminal takes its values between two clock reads. A stream therefore draws them beforehand, in
chunks of whole NumPy arrays, turns them into Python objects, and hands them out by the `__next__`
of a C iterator. The chunk sizes follow a fixed schedule, so what a seed gives does not depend on
how much was drawn beforehand: every arm of a round replays the same values. What was drawn for the
last seed is kept, so that the second and later arms of a round draw nothing anew.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Generic, NoReturn, TypeVar

import numpy as np

__all__ = ["PREDRAWN_VALUES_MAX", "Stream", "child_seed", "equal_seeds", "generator_of"]

T = TypeVar("T")

PREDRAWN_VALUES_MAX = 1 << 18
"""Values that a stream holds beforehand, at most; more are drawn when they are needed."""

_CHUNK_MIN = 64
_CHUNK_MAX = 1024


class Stream(Generic[T]):
    """The values of one purpose, such as the ids of all point selects of a terminal.

    `draw` makes that many values from a generator; `number` tells the streams of a terminal apart.
    `take` gives the next value; it is replaced by `rewind`, so do not keep it across one.
    """

    take: Callable[[], T]

    def __init__(self, number: int, draw: Callable[[np.random.Generator, int], list[T]]) -> None:
        self._number = number
        self._draw = draw
        self._seed: np.random.SeedSequence | None = None
        self._chunks: list[list[T]] = []
        self._drawn = 0
        self.take = _not_rewound

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts again at the first value of `seed`, with `expected` values drawn beforehand."""
        if self._seed is None or not equal_seeds(self._seed, seed):
            self._seed = seed
            self._generator = generator_of(child_seed(seed, self._number))
            self._chunks = []
            self._drawn = 0
        while self._drawn < min(expected, PREDRAWN_VALUES_MAX):
            chunk = self._draw(self._generator, _chunk_size(len(self._chunks)))
            self._chunks.append(chunk)
            self._drawn += len(chunk)
        self.take = chain.from_iterable(self._all_chunks()).__next__

    def _all_chunks(self) -> Iterator[list[T]]:
        yield from self._chunks
        # What is drawn under the clock is not kept: each arm must pay for it alike.
        generator = copy.deepcopy(self._generator)
        number = len(self._chunks)
        while True:
            yield self._draw(generator, _chunk_size(number))
            number += 1


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The child of `seed` with that key; unlike `spawn`, the same at every call."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))


def generator_of(seed: np.random.SeedSequence) -> np.random.Generator:
    """The generator that all workloads draw from."""
    return np.random.Generator(np.random.SFC64(seed))


def _chunk_size(number: int) -> int:
    """Sizes grow from chunk to chunk: short slices draw little, long ones in big steps."""
    return _CHUNK_MAX if number > 4 else _CHUNK_MIN << number


def equal_seeds(one: np.random.SeedSequence, other: np.random.SeedSequence) -> bool:
    """Whether two seeds give the same values."""
    return one.entropy == other.entropy and one.spawn_key == other.spawn_key


def _not_rewound() -> NoReturn:
    raise RuntimeError("a stream must be rewound before values are taken from it")
