"""Ids of rows that a terminal adds: never the same twice, however many slices it runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ciphermark.workload.streams import equal_seeds

__all__ = ["RowCounter", "scattered", "scattered_ids"]

_SIGNED_OFFSET = 1 << 31
_CHUNK = 256


class RowCounter:
    """Numbers the rows that one terminal adds: 0, 1, 2, …

    A new seed, that is a new slice, goes on behind the highest number that any slice has used. The
    same seed again, that is the next arm, starts where this slice started: each arm adds the same
    rows to data of its own.
    """

    def __init__(self) -> None:
        self.next = 0
        """Number of the next row."""
        self.used = False
        """Whether a slice has been started."""
        self._first = 0
        self._highest = 0
        self._seed: np.random.SeedSequence | None = None

    def rewind(self, seed: np.random.SeedSequence) -> None:
        """Sets `next` for a slice of `seed`."""
        self.used = True
        self._highest = max(self._highest, self.next)
        if self._seed is None or not equal_seeds(self._seed, seed):
            self._seed = seed
            self._first = self._highest
        self.next = self._first


def scattered_ids(
    counter: RowCounter, terminal: int, terminals: int, seed: np.random.SeedSequence
) -> Iterator[int]:
    """Signed 32-bit ids that look random and never repeat, over all terminals of a run.

    Stands for sysbench's own generator of unique values: any permutation of the 32-bit numbers
    does. The numbering begins where the root of `seed` says, which all terminals and slices of a
    run have in common, and another run most likely has not.
    """
    start = int(np.random.SeedSequence(seed.entropy).generate_state(1)[0]) + terminal
    while True:
        rows = np.arange(counter.next, counter.next + _CHUNK, dtype=np.uint64)
        for scattered_id in scattered(rows * np.uint64(terminals) + np.uint64(start)):
            counter.next += 1
            yield scattered_id


def scattered(numbers: np.typing.NDArray[np.uint64]) -> list[int]:
    """A permutation of the numbers below 2^32, moved to the signed range.

    Exclusive-or with a right shift of itself and multiplication by an odd number modulo 2^32 can
    both be undone, so no two numbers meet. The constants are those of the last step of A. Appleby's
    MurmurHash3 for 32 bits.
    """
    x = (numbers & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    ids: list[int] = (x.astype(np.int64) - _SIGNED_OFFSET).tolist()
    return ids
