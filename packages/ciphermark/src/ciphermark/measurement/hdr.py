"""Histograms in the HDR format, for the tools that read it.

The layout is version 2 of the HdrHistogram encoding, compressed, as base64: a header of 40 bytes,
then the counts as zigzag LEB128 with runs of empty bins as negative numbers. Two significant
digits make its bins half as wide as ours, so each of our bins goes into the one that holds its
middle, and no more is lost than is lost already.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Iterator

from ciphermark.measurement.histogram import Histogram, bin_edges

__all__ = ["to_hdr"]

COOKIE = 0x1C849303 | 0x10
COMPRESSED_COOKIE = 0x1C849304 | 0x10
SIGNIFICANT_DIGITS = 2
SUB_BUCKET_BITS = 8
"""256 sub-buckets: the power of two that two significant digits need."""


def to_hdr(histogram: Histogram) -> str:
    """The histogram in the HDR V2 format, nanoseconds, compressed and base64-encoded."""
    payload = b"".join(map(_zigzag_leb128, _with_runs(_counts(histogram))))
    highest_ns = max(2, histogram.max_ns)
    header = struct.pack(
        ">iiiiqqd", COOKIE, len(payload), 0, SIGNIFICANT_DIGITS, 1, highest_ns, 1.0
    )
    packed = zlib.compress(header + payload)
    return base64.b64encode(struct.pack(">ii", COMPRESSED_COOKIE, len(packed)) + packed).decode()


def _counts(histogram: Histogram) -> list[int]:
    """Counts by HDR bin, up to the last one that is not empty."""
    edges = bin_edges()
    found: dict[int, int] = {}
    for bin_ in histogram.counts.nonzero()[0].tolist():
        index = _index((edges[bin_] + edges[bin_ + 1] - 1) // 2)
        found[index] = found.get(index, 0) + int(histogram.counts[bin_])
    return [found.get(index, 0) for index in range(max(found, default=-1) + 1)]


def _index(value_ns: int) -> int:
    bucket = max(0, value_ns.bit_length() - SUB_BUCKET_BITS)
    return (bucket << (SUB_BUCKET_BITS - 1)) + (value_ns >> bucket)


def _with_runs(counts: Iterable[int]) -> Iterator[int]:
    """The counts, with n > 1 empty bins in a row written as -n."""
    empty = 0
    for count in counts:
        if not count:
            empty += 1
            continue
        if empty:
            yield -empty if empty > 1 else 0
        empty = 0
        yield count


def _zigzag_leb128(number: int) -> bytes:
    """Seven bits a byte, the lowest first; a count has fewer than 56 bits."""
    rest = (number << 1) ^ (number >> 63)
    assert 0 <= rest < 1 << 56
    written = bytearray()
    while rest >= 0x80:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)
