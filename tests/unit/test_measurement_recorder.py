"""The recorder's buffers, filled as the hot loop fills them."""

from __future__ import annotations

import pytest

from ciphermark.errors import MeasurementError
from ciphermark.measurement.histogram import Histogram
from ciphermark.measurement.recorder import LatencyRecorder
from ciphermark.workload.base import planned_rollback


def write(recorder: LatencyRecorder, *entries: tuple[int, int]) -> int:
    """Writes (latency, outcome) as the hot loop does; returns the count."""
    for index, (latency_ns, outcome) in enumerate(entries):
        recorder.latencies[index] = latency_ns
        recorder.outcomes[index] = outcome
    return len(entries)


def test_kinds_of_transactions_are_kept_apart() -> None:
    recorder = LatencyRecorder(8)
    drained = recorder.drain(write(recorder, (10, 0), (20, 2), (30, 0)))
    assert sorted(drained.committed) == [0, 2]
    assert (drained.committed[0].count, drained.committed[0].sum_ns) == (2, 40)
    assert (drained.committed[2].count, drained.committed[2].sum_ns) == (1, 20)
    assert drained.planned_rollbacks == 0
    assert drained.transactions == 3


def test_planned_rollbacks_are_counted_and_are_no_latency() -> None:
    recorder = LatencyRecorder(8)
    entries = (10, 0), (999, planned_rollback(0)), (998, planned_rollback(1)), (30, 1)
    drained = recorder.drain(write(recorder, *entries))
    assert drained.planned_rollbacks == 2
    assert drained.transactions == 2
    assert max(histogram.max_ns for histogram in drained.committed.values()) == 30


def test_a_slice_of_rollbacks_only_holds_no_latency() -> None:
    recorder = LatencyRecorder(4)
    drained = recorder.drain(write(recorder, (10, planned_rollback(0))))
    assert drained.planned_rollbacks == 1
    assert drained.committed == {}


def test_what_was_not_written_is_not_drained() -> None:
    recorder = LatencyRecorder(8)
    write(recorder, (10, 0), (20, 0), (30, 0))
    assert recorder.drain(2).committed[0].sum_ns == 30
    assert recorder.drain(0).committed == {}
    assert recorder.drain(0).transactions == 0


def test_a_full_buffer_is_drained_whole_and_reused() -> None:
    recorder = LatencyRecorder(100)
    total: dict[int, Histogram] = {}
    for start in (1, 101):
        count = write(recorder, *((start + n, 0) for n in range(recorder.capacity)))
        assert recorder.drain_into(count, total) == 0
    assert total[0].count == 200
    assert total[0].sum_ns == sum(range(1, 201))


def test_a_clock_that_went_back_is_an_error() -> None:
    recorder = LatencyRecorder(4)
    with pytest.raises(MeasurementError, match="the clock went back"):
        recorder.drain(write(recorder, (-5, 0)))


def test_more_than_the_buffer_holds_cannot_be_drained() -> None:
    with pytest.raises(AssertionError):
        LatencyRecorder(4).drain(5)
