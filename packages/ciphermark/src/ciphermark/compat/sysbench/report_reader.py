"""Reads reports that sysbench, or Ciphermark in its place, has printed."""

from __future__ import annotations

import re

from ciphermark.compat.sysbench.report import IntervalLine, Rated, Report, Variant

__all__ = ["parse_interval", "parse_report"]

_INTERVAL = re.compile(
    r"^\[\s*(?P<elapsed>\d+)s\s*\]\s+thds:\s*(?P<threads>\d+)\s+tps:\s*(?P<tps>[\d.]+)\s+"
    r"qps:\s*[\d.]+\s+"
    r"\(r/w/o:\s*(?P<read>[\d.]+)/(?P<write>[\d.]+)/(?P<other>[\d.]+)\)\s+"
    r"lat \(ms,(?P<rank>\d+)%\):\s*(?P<latency>[\d.]+)\s+"
    r"err/s:?\s*(?P<errors>[\d.]+)\s+reconn/s:\s*(?P<reconnects>[\d.]+)"
)
_VALUE = r"\s*(?P<value>[\d.]+)"
_RATED = r":\s*(?P<count>\d+)\s*\((?P<per_s>[\d.]+) per sec\.\)"
_SPREAD = r":\s*(?P<mean>[\d.]+)/\s*(?P<sd>[\d.]+)"


def parse_interval(line: str) -> IntervalLine | None:
    """The figures of an interval's line, or None for any other line.

    The colon behind "err/s" may be missing, as customised scripts leave it out.
    """
    match = _INTERVAL.match(line)
    if match is None:
        return None
    return IntervalLine(
        elapsed_s=float(match["elapsed"]),
        threads=int(match["threads"]),
        tps=float(match["tps"]),
        read_per_s=float(match["read"]),
        write_per_s=float(match["write"]),
        other_per_s=float(match["other"]),
        percentile=(int(match["rank"]), float(match["latency"])),
        errors_per_s=float(match["errors"]),
        reconnects_per_s=float(match["reconnects"]),
    )


def parse_report(text: str) -> Report:
    """The last full report of `text`, in either form; raises ValueError when there is none."""
    start = text.rfind("SQL statistics:")
    if start < 0:
        raise ValueError("no report of sysbench: the line 'SQL statistics:' is missing")
    return _Reader(text[start:]).report()


class _Reader:
    """Finds labelled figures in the text of one report, whatever empty lines stand between."""

    def __init__(self, text: str) -> None:
        self._text = text

    def report(self) -> Report:
        development = re.search(r"^Throughput:", self._text, re.MULTILINE) is not None
        return Report(
            read=int(self._value("read:")),
            write=int(self._value("write:")),
            other=int(self._value("other:")),
            transactions=self._rated("transactions"),
            queries=self._rated("queries"),
            ignored_errors=self._rated("ignored errors"),
            reconnects=self._rated("reconnects"),
            total_s=self._value("time elapsed:" if development else "total time:"),
            events=int(self._value("total number of events:")),
            latency_min_ms=self._value("min:"),
            latency_avg_ms=self._value("avg:"),
            latency_max_ms=self._value("max:"),
            latency_sum_ms=self._value("sum:"),
            percentile=self._percentile(),
            thread_events=self._spread("events"),
            thread_time_s=self._spread("execution time"),
            unfinished=self._unfinished(),
            events_per_s=self._value("events/s (eps):") if development else 0.0,
            variant=Variant.DEVELOPMENT if development else Variant.RELEASED,
        )

    def _find(self, label: str, pattern: str) -> re.Match[str]:
        match = re.search(rf"^\s*{re.escape(label)}{pattern}", self._text, re.MULTILINE)
        if match is None:
            raise ValueError(f"no report of sysbench: the line {label!r} is missing or damaged")
        return match

    def _value(self, label: str) -> float:
        return float(self._find(label, _VALUE)["value"])

    def _rated(self, label: str) -> Rated:
        match = self._find(label, _RATED)
        return Rated(int(match["count"]), float(match["per_s"]))

    def _spread(self, label: str) -> tuple[float, float]:
        match = self._find(f"{label} (avg/stddev)", _SPREAD)
        return float(match["mean"]), float(match["sd"])

    def _percentile(self) -> tuple[int, float] | None:
        match = re.search(r"^\s*(\d+)th percentile:\s*([\d.]+)", self._text, flags=re.MULTILINE)
        return None if match is None else (int(match[1]), float(match[2]))

    def _unfinished(self) -> int | None:
        match = re.search(r"unfinished transactions on forced shutdown: (\d+)", self._text)
        return None if match is None else int(match[1])
