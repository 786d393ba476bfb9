"""Searches raw files for marker texts and measures how random their bytes look.

The entropy is Shannon's, of the byte frequencies of blocks of 4096 bytes. Ciphertext of that length
comes out at 7.95 bits a byte (8 less the bias (256 - 1)/(2 · 4096 · ln 2) of the estimate, Miller
1955), text and database pages far below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ciphermark.proof.markers import Markers

__all__ = ["Entropy", "ScanResult", "scan"]

CHUNK_BYTES = 4 << 20
BLOCK_BYTES = 4096
LOW_ENTROPY_BITS = 7.8
"""A block below is not ciphertext: its chance is under 1e-100 for random bytes."""


@dataclass(frozen=True, slots=True)
class Entropy:
    """Entropy of the blocks that hold anything but zeros."""

    blocks: int
    low_blocks: int
    bits_per_byte: float | None
    """Mean over the blocks; None when there is no block."""

    def plus(self, other: Entropy) -> Entropy:
        """The entropy of the blocks of two files together."""
        blocks = self.blocks + other.blocks
        bits = sum(part.blocks * (part.bits_per_byte or 0.0) for part in (self, other))
        return Entropy(
            blocks, self.low_blocks + other.low_blocks, bits / blocks if blocks else None
        )


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What one pass over a file found.

    `hits` counts the places where a marker begins, whole or cut off; `found` the different markers
    that are there whole.
    """

    bytes: int
    hits: int
    found: frozenset[str]
    entropy: Entropy


def scan(
    file: BinaryIO,
    markers: Markers,
    *,
    measure_entropy: bool = True,
    chunk_bytes: int = CHUNK_BYTES,
) -> ScanResult:
    """Reads `file` once from its beginning, in bounded memory.

    Measuring the entropy takes ten times as long as searching; without it no block is counted.
    """
    search = _MarkerSearch(markers)
    meter = _EntropyMeter()
    size = 0
    for chunk in _chunks(file, chunk_bytes):
        size += len(chunk)
        search.feed(chunk)
        if measure_entropy:
            meter.feed(chunk)
    search.finish()
    return ScanResult(size, search.hits, frozenset(search.found), meter.result())


def _chunks(file: BinaryIO, chunk_bytes: int) -> Iterator[bytes]:
    file.seek(0)
    while chunk := file.read(chunk_bytes):
        yield chunk


class _MarkerSearch:
    """Counts markers in a stream of chunks; one that crosses a border is seen once."""

    __slots__ = ("_carried", "_length", "_prefix", "_texts", "found", "hits")

    def __init__(self, markers: Markers) -> None:
        self._texts = {text.encode("ascii"): text for text in markers.texts}
        self._prefix = markers.prefix.encode("ascii")
        self._length = max((len(text) for text in self._texts), default=len(self._prefix))
        self._carried = b""
        self.hits = 0
        self.found: set[str] = set()

    def feed(self, chunk: bytes) -> None:
        window = self._carried + chunk
        for start in self._starts(window):
            if start + self._length > len(window):
                break  # carried on: the next window begins before it
            self._count(window[start : start + self._length])
        self._carried = window[max(0, len(window) - self._length + 1) :]

    def finish(self) -> None:
        """Counts a marker that the end of the file cut off."""
        for start in self._starts(self._carried):
            self._count(self._carried[start:])
        self._carried = b""

    def _starts(self, window: bytes) -> Iterator[int]:
        start = window.find(self._prefix)
        while start >= 0:
            yield start
            start = window.find(self._prefix, start + 1)

    def _count(self, text: bytes) -> None:
        self.hits += 1
        if text in self._texts:
            self.found.add(self._texts[text])


class _EntropyMeter:
    """Sums the entropies of whole blocks; what is left at the end of the file does not count."""

    __slots__ = ("_blocks", "_carried", "_low_blocks", "_sum_bits")

    def __init__(self) -> None:
        self._carried = b""
        self._blocks = 0
        self._low_blocks = 0
        self._sum_bits = 0.0

    def feed(self, chunk: bytes) -> None:
        data = self._carried + chunk
        whole = len(data) // BLOCK_BYTES * BLOCK_BYTES
        self._carried = data[whole:]
        blocks = np.frombuffer(data[:whole], dtype=np.uint8).reshape(-1, BLOCK_BYTES)
        blocks = blocks[blocks.any(axis=1)]
        if len(blocks):
            bits = _entropy_bits(blocks)
            self._blocks += len(bits)
            self._low_blocks += int((bits < LOW_ENTROPY_BITS).sum())
            self._sum_bits += float(bits.sum())

    def result(self) -> Entropy:
        mean = self._sum_bits / self._blocks if self._blocks else None
        return Entropy(self._blocks, self._low_blocks, mean)


def _entropy_bits(blocks: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Shannon entropy of each row of `blocks`, bits per byte."""
    count = len(blocks)
    keys = blocks.astype(np.int64) + 256 * np.arange(count, dtype=np.int64)[:, None]
    frequencies = np.bincount(keys.ravel(), minlength=256 * count).reshape(count, 256)
    shares = frequencies / BLOCK_BYTES
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    result: NDArray[np.float64] = -(shares * logarithms).sum(axis=1)
    return result
