"""sysbench's reports as values that can be printed, and read from what sysbench has printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

__all__ = ["IntervalLine", "Rated", "Report", "Variant", "parse_interval", "parse_report"]

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


class Variant(Enum):
    """Which sysbench prints the report."""

    RELEASED = "1.0.20"
    DEVELOPMENT = "1.1.0"
    """The unreleased version has a section Throughput in place of General statistics."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A number, and how many that is in a second."""

    count: int
    per_s: float


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a report, with as many digits as it prints.

    `percentile` is (rank, milliseconds), or None when it is switched off; `unfinished` is the
    number of events that a forced shutdown cut off. The two fairness values are the mean and the
    standard deviation over the threads; times are in seconds.
    """

    read: int
    write: int
    other: int
    transactions: Rated
    queries: Rated
    ignored_errors: Rated
    reconnects: Rated
    total_s: float
    events: int
    latency_min_ms: float
    latency_avg_ms: float
    latency_max_ms: float
    latency_sum_ms: float
    percentile: tuple[int, float] | None
    thread_events: tuple[float, float]
    thread_time_s: tuple[float, float]
    unfinished: int | None = None
    events_per_s: float = 0.0
    variant: Variant = Variant.RELEASED

    def lines(self) -> list[str]:
        """The report as sysbench prints it."""
        return [
            *self._statements(),
            *self._shutdown(),
            "",
            *self._totals(),
            "",
            *self._latency(),
            "",
            *self._fairness(),
            "",
        ]

    def _statements(self) -> list[str]:
        return [
            "SQL statistics:",
            "    queries performed:",
            f"        read:                            {self.read}",
            f"        write:                           {self.write}",
            f"        other:                           {self.other}",
            f"        total:                           {self.read + self.write + self.other}",
            _rated("transactions", self.transactions),
            _rated("queries", self.queries),
            _rated("ignored errors", self.ignored_errors),
            _rated("reconnects", self.reconnects),
        ]

    def _shutdown(self) -> list[str]:
        if self.unfinished is None:
            return []
        return ["", f"Number of unfinished transactions on forced shutdown: {self.unfinished}"]

    def _totals(self) -> list[str]:
        if self.variant is Variant.DEVELOPMENT:
            return [
                "Throughput:",
                f"    events/s (eps):                      {self.events_per_s:.4f}",
                f"    time elapsed:                        {self.total_s:.4f}s",
                f"    total number of events:              {self.events}",
            ]
        return [
            "General statistics:",
            f"    total time:                          {self.total_s:.4f}s",
            f"    total number of events:              {self.events}",
        ]

    def _latency(self) -> list[str]:
        if self.percentile is None:
            percentile = "         percentile stats:               disabled"
        else:
            rank, value_ms = self.percentile
            percentile = f"        {rank:3d}th percentile: {value_ms:27.2f}"
        return [
            "Latency (ms):",
            f"         min: {self.latency_min_ms:39.2f}",
            f"         avg: {self.latency_avg_ms:39.2f}",
            f"         max: {self.latency_max_ms:39.2f}",
            percentile,
            f"         sum: {self.latency_sum_ms:39.2f}",
        ]

    def _fairness(self) -> list[str]:
        (events, events_sd), (time_s, time_sd) = self.thread_events, self.thread_time_s
        return [
            "Threads fairness:",
            f"    events (avg/stddev):           {events:.4f}/{events_sd:3.2f}",
            f"    execution time (avg/stddev):   {time_s:.4f}/{time_sd:3.2f}",
        ]


def _rated(name: str, rated: Rated) -> str:
    return f"    {name + ':':<37}{rated.count:<6d} ({rated.per_s:.2f} per sec.)"


@dataclass(frozen=True, slots=True)
class IntervalLine:
    """What happened since the last line, per second; `percentile` as in `Report`."""

    elapsed_s: float
    threads: int
    tps: float
    read_per_s: float
    write_per_s: float
    other_per_s: float
    percentile: tuple[int, float]
    errors_per_s: float
    reconnects_per_s: float

    def __str__(self) -> str:
        qps = self.read_per_s + self.write_per_s + self.other_per_s
        rank, value_ms = self.percentile
        return (
            f"[ {self.elapsed_s:.0f}s ] thds: {self.threads} tps: {self.tps:4.2f} qps: {qps:4.2f} "
            f"(r/w/o: {self.read_per_s:4.2f}/{self.write_per_s:4.2f}/{self.other_per_s:4.2f}) "
            f"lat (ms,{rank}%): {value_ms:4.2f} err/s: {self.errors_per_s:4.2f} "
            f"reconn/s: {self.reconnects_per_s:4.2f}"
        )


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
