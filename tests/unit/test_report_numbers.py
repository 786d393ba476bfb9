"""Numbers as readers see them."""

from __future__ import annotations

import math

import pytest

from ciphermark.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345.6, "12,346"),
        (1480.2, "1,480"),
        (156.84, "156.8"),
        (61.8, "61.80"),
        (9.87654, "9.877"),
        (0.191, "0.191"),
        (0.24, "0.240"),
        (0.00012345, "0.000123"),
        (-5.5, "-5.500"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_a_figure_has_about_four_digits(value: float, text: str) -> None:
    assert numbers.figure(value) == text


@pytest.mark.parametrize(
    ("overhead", "low", "high", "text"),
    [
        (0.021, 0.016, 0.027, "2.10 % (1.60 to 2.70)"),
        (0.0213, 0.0209, 0.0217, "2.130 % (2.090 to 2.170)"),
        (0.31, 0.16, 0.46, "31 % (16 to 46)"),
        (-0.004, -0.010, 0.002, "−0.40 % (−1.00 to 0.20)"),
        (-0.00001, -0.01, 0.01, "0.0 % (−1.0 to 1.0)"),
        (12.5, 12.3, 12.7, "1,250 % (1,230 to 1,270)"),
        (0.1, -math.inf, math.inf, "10.0 % (−∞ to ∞)"),
        (math.nan, math.nan, math.nan, "– % (– to –)"),
    ],
)
def test_a_cost_has_the_digits_that_its_interval_allows(
    overhead: float, low: float, high: float, text: str
) -> None:
    assert numbers.cost(overhead, low, high) == text


def test_half_an_interval_has_the_decimals_of_its_figure() -> None:
    assert numbers.like(31.4, 5234.0) == "31"
    assert numbers.like(0.8, 123.5) == "0.8"
    assert numbers.like(0.00049, 0.191) == "0.000"
    assert numbers.like(0.00001, 0.00002) == "1e-05"
    assert numbers.like(math.nan, 1.0) == "–"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.008, "8 ms"),
        (0.00025, "0.25 ms"),
        (2.0, "2 s"),
        (119.4, "119 s"),
        (220.0, "3 min 40 s"),
        (math.inf, "∞"),
    ],
)
def test_a_duration_has_a_unit_that_fits(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (6_238_208, "5.9 MiB"),
        (8_233_000_960, "7.7 GiB"),
        (2**50, "1,024.0 TiB"),
    ],
)
def test_a_size_has_a_unit_that_fits(size: int, text: str) -> None:
    assert numbers.byte_size(size) == text


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "copy", "1 copy"),
        (6, "copy", "6 copies"),
        (24, "batch", "24 batches"),
        (2000, "round", "2,000 rounds"),
    ],
)
def test_a_plural(number: int, noun: str, text: str) -> None:
    assert numbers.plural(number, noun) == text


def test_a_moment_that_is_no_time_stamp_is_kept() -> None:
    assert numbers.moment("2026-11-30T20:15:04Z") == "2026-11-30 20:15 UTC"
    assert numbers.moment("2026-11-30T21:15:04+01:00") == "2026-11-30 20:15 UTC"
    assert numbers.moment("yesterday") == "yesterday"
