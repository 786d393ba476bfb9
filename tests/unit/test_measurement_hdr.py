"""The HDR export, read back by the rules of the format."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest

from ciphermark.measurement.hdr import to_hdr
from ciphermark.measurement.histogram import Histogram

SUB_BUCKETS = 256


def decoded(text: str) -> dict[int, int]:
    """Counts by the lowest value of each bin, of an HDR V2 histogram with two digits."""
    raw = base64.b64decode(text)
    cookie, length = struct.unpack_from(">ii", raw)
    assert cookie == 0x1C849314
    assert len(raw) == 8 + length
    content = zlib.decompress(raw[8:])
    header = struct.unpack_from(">iiiiqqd", content)
    assert (header[0], header[2], header[3], header[4], header[6]) == (0x1C849313, 0, 2, 1, 1.0)
    payload = content[40:]
    assert header[1] == len(payload)
    counts, index = {}, 0
    for number in zigzag_numbers(payload):
        if number > 0:
            counts[value_at(index)] = number
            index += 1
        else:
            index += max(1, -number)
    assert header[5] >= max(counts, default=0)
    return counts


def zigzag_numbers(payload: bytes) -> list[int]:
    """The signed numbers of a LEB128 stream."""
    numbers, value, shift = [], 0, 0
    for byte in payload:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append((value >> 1) ^ -(value & 1))
            value, shift = 0, 0
    return numbers


def value_at(index: int) -> int:
    """The lowest value of a bin: 256 single values, then 128 bins an octave."""
    bucket = index // 128 - 1
    if bucket < 0:
        return index
    return (index % 128 + 128) << bucket


def test_counts_arrive_where_they_were() -> None:
    histogram = Histogram()
    histogram.record_many([0, 3, 3, 127, 200, 10**6, 10**6, 10**6, 10**10])
    counts = decoded(to_hdr(histogram))
    assert sum(counts.values()) == 9
    assert (counts[0], counts[3], counts[127]) == (1, 2, 1)
    for value, count in {200: 1, 10**6: 3, 10**10: 1}.items():
        (near,) = (low for low in counts if abs(low - value) <= value / 64)
        assert counts[near] == count


def test_quantiles_agree_within_both_bins() -> None:
    histogram = Histogram()
    values = np.random.default_rng(7).lognormal(11.0, 1.5, 50_000).astype(np.int64)
    histogram.record_many(values)
    counts = decoded(to_hdr(histogram))
    ordered = sorted(counts)
    cumulative = np.cumsum([counts[low] for low in ordered])
    middle = ordered[int(np.searchsorted(cumulative, 25_000))]
    assert middle == pytest.approx(np.median(values), rel=0.02)


def test_an_empty_histogram_is_valid() -> None:
    assert decoded(to_hdr(Histogram())) == {}
