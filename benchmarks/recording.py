"""What recording a latency costs; the bar is 0.3 µs.

The cost has two parts: the stores into the recorder's buffers, inside the clock, and the share of
the binning, outside. The stores are the difference between two loops that are alike but for them,
run in turns; the binning is timed for full buffers and for slices of a few transactions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from ciphermark.measurement.histogram import Histogram
from ciphermark.measurement.recorder import LatencyRecorder

BAR_NS = 300.0
TURNS = 25
COUNT = 50_000
SLICES = (2, 20, 200, 65_536)


def main() -> int:
    """0 when the bar is held for full buffers."""
    recorder = LatencyRecorder()
    stores_ns = median(
        loop_ns(with_stores, recorder) - loop_ns(without_stores, recorder) for _ in range(TURNS)
    )
    print(f"storing a latency and its outcome   {stores_ns:7.1f} ns")
    binning_ns = {count: binning(recorder, count) for count in SLICES}
    for count, each_ns in binning_ns.items():
        print(f"binning, {count:>6} in the buffer       {each_ns:7.1f} ns each, outside the clock")
    total_ns = stores_ns + binning_ns[SLICES[-1]]
    print(f"together, with full buffers         {total_ns:7.1f} ns")
    print(f"of the bar of {BAR_NS:.0f} ns                {total_ns / BAR_NS:7.2f}")
    return int(total_ns > BAR_NS)


def with_stores(recorder: LatencyRecorder, count: int) -> None:
    """The frame of the hot loop, with the stores."""
    now_ns = time.perf_counter_ns
    latencies, outcomes = recorder.latencies, recorder.outcomes
    before_ns = now_ns()
    for index in range(count):
        after_ns = now_ns()
        latencies[index] = after_ns - before_ns
        outcomes[index] = 0
        before_ns = after_ns


def without_stores(recorder: LatencyRecorder, count: int) -> None:
    """The same frame, without them."""
    now_ns = time.perf_counter_ns
    before_ns = now_ns()
    for _ in range(count):
        after_ns = now_ns()
        after_ns - before_ns
        before_ns = after_ns


def loop_ns(loop: Callable[[LatencyRecorder, int], None], recorder: LatencyRecorder) -> float:
    """Nanoseconds of one turn of a loop."""
    started_ns = time.perf_counter_ns()
    loop(recorder, COUNT)
    return (time.perf_counter_ns() - started_ns) / COUNT


def binning(recorder: LatencyRecorder, count: int) -> float:
    """Nanoseconds a latency when `count` of them are drained at once."""
    values = np.random.default_rng(1).lognormal(11.0, 1.0, count).astype(np.int64)
    recorder.latencies[:count] = type(recorder.latencies)("q", values.tolist())
    histograms: dict[int, Histogram] = {}
    times = max(20, 20_000 // count)
    durations = []
    for _ in range(TURNS):
        started_ns = time.perf_counter_ns()
        for _ in range(times):
            recorder.drain_into(count, histograms)
        durations.append((time.perf_counter_ns() - started_ns) / (times * count))
    return median(durations)


if __name__ == "__main__":
    sys.exit(main())
