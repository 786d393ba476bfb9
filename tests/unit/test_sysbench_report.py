"""Reports: their layout, and that what is printed can be read back."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.compat.sysbench.buckets import BUCKETS, Buckets, value_ms
from ciphermark.compat.sysbench.report import (
    IntervalLine,
    Rated,
    Report,
    Variant,
    parse_interval,
    parse_report,
)

RELEASED = """\
SQL statistics:
    queries performed:
        read:                            140000
        write:                           40000
        other:                           20000
        total:                           200000
    transactions:                        10000  (999.61 per sec.)
    queries:                             200000 (19992.20 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          10.0039s
    total number of events:              10000

Latency (ms):
         min:                                    1.85
         avg:                                    4.00
         max:                                   32.11
         95th percentile:                        6.55
         sum:                                39989.71

Threads fairness:
    events (avg/stddev):           2500.0000/7.91
    execution time (avg/stddev):   9.9974/0.00

"""
DEVELOPMENT = RELEASED.replace(
    "General statistics:\n    total time:                          10.0039s\n",
    "Throughput:\n    events/s (eps):                      999.6100\n"
    "    time elapsed:                        10.0039s\n",
)
FIGURES = Report(
    read=140_000,
    write=40_000,
    other=20_000,
    transactions=Rated(10_000, 999.61),
    queries=Rated(200_000, 19_992.2),
    ignored_errors=Rated(0, 0.0),
    reconnects=Rated(0, 0.0),
    total_s=10.0039,
    events=10_000,
    latency_min_ms=1.85,
    latency_avg_ms=4.0,
    latency_max_ms=32.11,
    latency_sum_ms=39_989.71,
    percentile=(95, 6.55),
    thread_events=(2500.0, 7.91),
    thread_time_s=(9.9974, 0.0),
)
LINE = (
    "[ 10s ] thds: 4 tps: 8.40 qps: 168.01 (r/w/o: 117.61/33.60/16.80) "
    "lat (ms,95%): 9799.46 err/s: 2.00 reconn/s: 0.00"
)


def text_of(report: Report) -> str:
    return "\n".join(report.lines()) + "\n"


def test_the_layout_of_both_variants() -> None:
    assert text_of(FIGURES) == RELEASED
    newer = replace(FIGURES, variant=Variant.DEVELOPMENT, events_per_s=999.61)
    assert text_of(newer) == DEVELOPMENT


@pytest.mark.parametrize("text", [RELEASED, DEVELOPMENT])
def test_parse_print_parse(text: str) -> None:
    report = parse_report("noise\n[ 1s ] thds: 4 …\n" + text)
    assert text_of(report) == text
    assert parse_report(text_of(report)) == report


def test_without_percentile_and_after_a_forced_shutdown() -> None:
    report = replace(FIGURES, percentile=None, unfinished=4)
    text = text_of(report)
    assert "         percentile stats:               disabled\n" in text
    assert "\n\nNumber of unfinished transactions on forced shutdown: 4\n\n" in text
    assert parse_report(text) == report


figures = st.floats(0, 1e9).map(lambda value: round(value, 2))
times = st.floats(0, 1e6).map(lambda value: round(value, 4))
counts = st.integers(0, 10**12)
rated = st.builds(Rated, counts, figures)
spread = st.tuples(times, figures)
reports = st.builds(
    Report,
    read=counts,
    write=counts,
    other=counts,
    transactions=rated,
    queries=rated,
    ignored_errors=rated,
    reconnects=rated,
    total_s=times,
    events=counts,
    latency_min_ms=figures,
    latency_avg_ms=figures,
    latency_max_ms=figures,
    latency_sum_ms=figures,
    percentile=st.none() | st.tuples(st.integers(1, 100), figures),
    thread_events=spread,
    thread_time_s=spread,
    unfinished=st.none() | st.integers(0, 1000),
    variant=st.just(Variant.RELEASED),
)


@given(reports)
def test_every_report_can_be_read_back(report: Report) -> None:
    assert parse_report(text_of(report)) == report


@given(reports, times)
def test_every_report_of_the_development_version_can_be_read_back(
    report: Report, events_per_s: float
) -> None:
    newer = replace(report, variant=Variant.DEVELOPMENT, events_per_s=events_per_s)
    assert parse_report(text_of(newer)) == newer


@pytest.mark.parametrize("missing", ["SQL statistics", "read:", "sum:", "execution time"])
def test_a_damaged_report_is_refused(missing: str) -> None:
    with pytest.raises(ValueError, match="no report of sysbench"):
        parse_report(re.sub(f".*{missing}.*\n", "", RELEASED))


def test_the_interval_line() -> None:
    parsed = parse_interval(LINE)
    assert parsed is not None
    assert str(parsed) == LINE
    assert parsed.threads == 4
    assert parsed.percentile == (95, 9799.46)
    assert parse_interval(LINE.replace("err/s:", "err/s")) == parsed
    assert parse_interval("[ 10s ] queue length: 3, concurrency: 1") is None


@given(
    st.builds(
        IntervalLine,
        st.integers(0, 10**6).map(float),
        st.integers(1, 4096),
        figures,
        figures,
        figures,
        figures,
        st.tuples(st.integers(0, 100), figures),
        figures,
        figures,
    )
)
def test_every_interval_line_can_be_read_back(line: IntervalLine) -> None:
    assert parse_interval(str(line)) == line


def milliseconds(*values: float) -> Buckets:
    buckets = Buckets()
    buckets.add(np.array([value * 1e6 for value in values]).astype(np.int64))
    return buckets


def test_the_percentile_of_one_to_a_hundred() -> None:
    found = milliseconds(*range(1, 101)).percentile_ms(95)
    assert found == pytest.approx(95, rel=0.0091)
    assert f"{milliseconds().percentile_ms(95):.2f}" == "0.00"


def test_both_ends_are_clamped() -> None:
    buckets = milliseconds(0, 0.0001, 1e6, 1e9)
    assert buckets.counts[0] == 2
    assert buckets.counts[BUCKETS - 1] == 2
    assert buckets.percentile_ms(100) == pytest.approx(100_000)


@given(st.floats(0.001, 99_999))
def test_a_bucket_is_within_one_percent_of_its_values(value: float) -> None:
    assert milliseconds(value).percentile_ms(50) == pytest.approx(value, rel=0.0095)


@given(st.lists(st.floats(0.01, 1000), min_size=1, max_size=50), st.integers(1, 100))
def test_the_percentile_is_the_first_bucket_that_reaches_the_rank(
    values: list[float], rank: int
) -> None:
    buckets = milliseconds(*values)
    needed = int(len(values) * rank / 100 + 0.5)
    found = buckets.percentile_ms(rank)
    below = sum(milliseconds(value).percentile_ms(50) <= found for value in values)
    assert below >= needed


def test_the_histogram_as_text() -> None:
    lines = milliseconds(*[1.857] * 42, 4, 4).lines()
    assert lines[0] == "Latency histogram (values are in milliseconds)"
    assert lines[1] == "       value  ------------- distribution ------------- count"
    assert (
        lines[2] == f"{value_ms(int(np.argmax(milliseconds(1.857).counts))):12.3f} |{'*' * 40} 42"
    )
    assert lines[3].endswith(f"|{'**':<40} 2")
    assert lines[4:] == [" "]
