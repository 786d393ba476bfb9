"""The strings of columns c and pad."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from ciphermark.workload.sysbench.strings import c_and_pad, c_values

C = re.compile(r"^\d{11}(-\d{11}){9}$")
PAD = re.compile(r"^\d{11}(-\d{11}){4}$")


def test_c_and_pad_have_their_forms() -> None:
    c, pad = c_and_pad(np.random.default_rng(1), 1000)
    assert len(c) == len(pad) == 1000
    assert all(C.match(text) and len(text) == 119 for text in c)
    assert all(PAD.match(text) and len(text) == 59 for text in pad)
    assert all(C.match(text) for text in c_values(np.random.default_rng(1), 100))


def test_every_digit_is_equally_frequent_everywhere() -> None:
    c, pad = c_and_pad(np.random.default_rng(2), 20_000)
    rows = [one + two for one, two in zip(c, pad, strict=True)]
    for position in (0, 3, 10, 12, 61, 118, 119, 129, 177):
        counts = Counter(row[position] for row in rows)
        assert len(counts) == 10
        assert max(counts.values()) / 20_000 == pytest.approx(0.1, abs=0.012)


def test_no_two_values_are_alike() -> None:
    c, pad = c_and_pad(np.random.default_rng(3), 5000)
    assert len(set(c)) == len(set(pad)) == 5000
    assert not any(two in one for one, two in zip(c, pad, strict=True))


def test_no_values_are_an_empty_list() -> None:
    assert c_and_pad(np.random.default_rng(4), 0) == ([], [])
