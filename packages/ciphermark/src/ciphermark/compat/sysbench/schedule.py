"""When a run's lines, checkpoints, end of warm-up and forced shutdown are due."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.compat.sysbench.plan import RunPlan

__all__ = ["Schedule"]

_NS_PER_S = 1_000_000_000


class Schedule:
    """What is due when: lines, checkpoints, the end of the warm-up, the forced shutdown."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._due: list[tuple[int, str]] = []
        self._interval_ns = plan.report_interval_s * _NS_PER_S

    def begin(self, now_ns: int) -> None:
        """Sets all times, counted from the end of the warm-up."""
        plan = self._plan
        measured_ns = now_ns + plan.warm_up_s * _NS_PER_S
        self._due = [(measured_ns + at_s * _NS_PER_S, "checkpoint") for at_s in plan.checkpoints_s]
        if plan.warm_up_s:
            self._due.append((measured_ns, "warm-up"))
        if plan.shutdown_s is not None and plan.time_s:
            self._due.append((measured_ns + plan.shutdown_s * _NS_PER_S, "shutdown"))
        if self._interval_ns:
            self._due.append((measured_ns + self._interval_ns, "interval"))
        self._due.sort()

    @property
    def next_ns(self) -> int:
        """When the next thing is due."""
        return self._due[0][0] if self._due else 2**62

    def due(self, now_ns: int) -> Sequence[str]:
        """What is due by now, in order; an interval that was missed gives no line of its own."""
        due = [what for at_ns, what in self._due if at_ns <= now_ns]
        self._due = [
            (self._next_interval(at_ns, now_ns), what) if at_ns <= now_ns else (at_ns, what)
            for at_ns, what in self._due
            if at_ns > now_ns or what == "interval"
        ]
        self._due.sort()
        return due

    def _next_interval(self, at_ns: int, now_ns: int) -> int:
        missed = (now_ns - at_ns) // self._interval_ns
        return at_ns + (missed + 1) * self._interval_ns
