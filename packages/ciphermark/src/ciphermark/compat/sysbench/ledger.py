"""The books of a run: latencies and counts, since the last line and since the last report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ciphermark.compat.sysbench.buckets import Buckets
from ciphermark.compat.sysbench.report import IntervalLine, Rated, Report
from ciphermark.compat.sysbench.terminals import Counts, Terminal

__all__ = ["Ledger", "Period", "ThreadTimes"]

_NS_PER_MS = 1e6
_NS_PER_S = 1e9


@dataclass(slots=True)
class ThreadTimes:
    """Latencies of one thread."""

    events: int = 0
    sum_ns: int = 0
    lowest_ns: int = 0
    highest_ns: int = 0

    def add(self, latencies_ns: NDArray[np.int64]) -> None:
        """Adds events."""
        lowest = int(latencies_ns.min())
        self.lowest_ns = min(self.lowest_ns, lowest) if self.events else lowest
        self.highest_ns = max(self.highest_ns, int(latencies_ns.max()))
        self.events += len(latencies_ns)
        self.sum_ns += int(latencies_ns.sum())


@dataclass(slots=True)
class Period:
    """Latencies from one moment on, and the counts at that moment."""

    threads: int
    begun_ns: int
    counts: Counts = field(default_factory=Counts)
    buckets: Buckets = field(default_factory=Buckets)
    by_thread: list[ThreadTimes] = field(init=False)

    def __post_init__(self) -> None:
        self.by_thread = [ThreadTimes() for _ in range(self.threads)]

    def add(self, thread: int, latencies_ns: NDArray[np.int64]) -> None:
        """Adds events of one thread."""
        self.by_thread[thread].add(latencies_ns)
        self.buckets.add(latencies_ns)

    @property
    def events(self) -> int:
        """Events of all threads."""
        return sum(times.events for times in self.by_thread)


class Ledger:
    """Collects from all threads; percentile rank 0 means that none is wanted."""

    def __init__(self, terminals: Sequence[Terminal], rank: int, now_ns: int) -> None:
        self._terminals = terminals
        self._rank = rank
        self._started_ns = now_ns
        self._interval = Period(len(terminals), now_ns)
        self.period = Period(len(terminals), now_ns)

    def collect(self) -> None:
        """Takes the latencies of all events that have ended."""
        for terminal in self._terminals:
            drained = terminal.drain()
            if drained:
                latencies = np.array(drained, np.int64)
                self.period.add(terminal.number, latencies)
                self._interval.add(terminal.number, latencies)

    def restart(self, now_ns: int) -> None:
        """Forgets everything: the warm-up is over."""
        self._started_ns = now_ns
        self._interval = self._new_period(now_ns)
        self.period = self._new_period(now_ns)

    def checkpoint(self, now_ns: int) -> None:
        """Starts a new report; the total time goes on."""
        self.period = self._new_period(now_ns)

    def elapsed_s(self, now_ns: int) -> float:
        """Seconds since the start, or since the end of the warm-up."""
        return (now_ns - self._started_ns) / _NS_PER_S

    def interval_line(self, now_ns: int) -> IntervalLine:
        """The line of progress since the last one; starts the next interval."""
        self.collect()
        interval = self._interval
        seconds = max((now_ns - interval.begun_ns) / _NS_PER_S, 1e-9)
        self._interval = self._new_period(now_ns)
        counts = self._interval.counts - interval.counts
        return IntervalLine(
            elapsed_s=self.elapsed_s(now_ns),
            threads=len(self._terminals),
            tps=interval.events / seconds,
            read_per_s=counts.read / seconds,
            write_per_s=counts.write / seconds,
            other_per_s=counts.other / seconds,
            percentile=(
                self._rank,
                interval.buckets.percentile_ms(self._rank) if self._rank else 0.0,
            ),
            errors_per_s=counts.errors / seconds,
            reconnects_per_s=0.0,
        )

    def report(self, now_ns: int, unfinished: int | None = None) -> Report:
        """The report since the start, or since the last checkpoint."""
        self.collect()
        period = self.period
        seconds = max((now_ns - period.begun_ns) / _NS_PER_S, 1e-9)
        counts = self._counts() - period.counts
        threads = period.by_thread
        events, sum_ns = period.events, sum(times.sum_ns for times in threads)
        lowest_ns = min((times.lowest_ns for times in threads if times.events), default=0)
        return Report(
            read=counts.read,
            write=counts.write,
            other=counts.other,
            transactions=Rated(events, events / seconds),
            queries=Rated(counts.queries, counts.queries / seconds),
            ignored_errors=Rated(counts.errors, counts.errors / seconds),
            reconnects=Rated(0, 0.0),
            total_s=self.elapsed_s(now_ns),
            events=events,
            latency_min_ms=lowest_ns / _NS_PER_MS,
            latency_avg_ms=(sum_ns // events if events else 0) / _NS_PER_MS,
            latency_max_ms=max(times.highest_ns for times in threads) / _NS_PER_MS,
            latency_sum_ms=sum_ns / _NS_PER_MS,
            percentile=(
                (self._rank, period.buckets.percentile_ms(self._rank)) if self._rank else None
            ),
            thread_events=_spread([times.events for times in threads]),
            thread_time_s=_spread([times.sum_ns / _NS_PER_S for times in threads]),
            unfinished=unfinished,
            events_per_s=events / seconds,
        )

    def _new_period(self, now_ns: int) -> Period:
        return Period(len(self._terminals), now_ns, self._counts())

    def _counts(self) -> Counts:
        return sum((terminal.counts() for terminal in self._terminals), Counts())


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and standard deviation of the whole population."""
    return float(np.mean(values)), float(np.std(values))
