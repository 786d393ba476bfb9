"""Checks that take a moment: how long the disk flushes, and whether the clocks agree."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from ciphermark.doctor.finding import Finding, fail, ok, warn
from ciphermark.measurement.clock import ClockFindings, ClockWatch
from ciphermark.measurement.storage import existing_folder

__all__ = ["check_clocks", "check_flush", "judge_clocks", "judge_flush", "measure_flush_ms"]

FLUSHES = 20
BLOCK_BYTES = 4096
FLUSH_MS_SLOW = 30.0
FLUSH_MS_UNBELIEVABLE = 0.02
WATCH_S = 0.2


def check_flush(folder: Path) -> Finding:
    """How long `folder`, or the nearest folder above it, takes to make a block durable."""
    place = existing_folder(folder)
    try:
        return judge_flush(measure_flush_ms(place))
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        return fail(
            "flush", f"{place} cannot be written to: {reason}", "Choose a folder of your own"
        )


def measure_flush_ms(folder: Path, times: int = FLUSHES) -> tuple[float, ...]:
    """Milliseconds of writing one block and flushing it, `times` times; leaves no file behind."""
    durations = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(times):
            started_ns = time.monotonic_ns()
            os.pwrite(file.fileno(), bytes(BLOCK_BYTES), 0)
            os.fsync(file.fileno())
            durations.append((time.monotonic_ns() - started_ns) / 1e6)
    return tuple(durations)


def judge_flush(durations_ms: Sequence[float]) -> Finding:
    """What the durations say about durable commits in this folder."""
    middle_ms = median(durations_ms)
    told = f"{middle_ms:.2f} ms for a block (median of {len(durations_ms)})"
    if middle_ms < FLUSH_MS_UNBELIEVABLE:
        return warn(
            "flush",
            f"{told}: too fast for a disk, so commits may not survive a power cut",
            "Use a folder on a disk, or read write figures as those of memory",
        )
    if middle_ms > FLUSH_MS_SLOW:
        return warn(
            "flush",
            f"{told}: durable commits will hide most of what encryption costs",
            "Use a faster disk, or give write workloads more time",
        )
    return ok("flush", told)


def check_clocks(watch: ClockWatch | None = None, wait_s: float = WATCH_S) -> Finding:
    """Whether the machine's clocks run alike over a moment."""
    watch = ClockWatch() if watch is None else watch
    time.sleep(wait_s)
    return judge_clocks(watch.check())


def judge_clocks(findings: ClockFindings) -> Finding:
    """What happened to the clocks, as a finding."""
    if findings.problems:
        return warn(
            "clocks",
            "; ".join(findings.problems),
            "Keep the machine awake, and let a time service slew the clock instead of setting it",
        )
    return ok("clocks", "they agree")
