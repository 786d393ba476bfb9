"""What was measured at a point so far, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ciphermark.errors import MeasurementError
from ciphermark.plan.experiment import Point
from ciphermark.results.journal import BatchRecord
from ciphermark.run.calibrate import SliceSize
from ciphermark.run.records import time_totals
from ciphermark.statistics.advice import advice
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.noise_floor import interval
from ciphermark.statistics.precision import half_width
from ciphermark.statistics.totals import Estimate

__all__ = ["PointOutcome"]


@dataclass(slots=True)
class PointOutcome:
    """A point's batches, in this run and, when it is resumed, in earlier ones.

    `copies` counts the copies of an arm over all planned draws: a copy that was made anew is
    another copy. `waited_s` is the time spent until background work was over, before blocks.
    """

    point: Point
    copies: int
    workers: int = 0
    size: SliceSize | None = None
    records: list[BatchRecord] = field(default_factory=list)
    discarded: int = 0
    stopped_by: str = ""
    reasons: list[str] = field(default_factory=list)
    regime: str = ""
    probes: dict[str, float] = field(default_factory=dict)
    waited_s: float = 0.0

    @property
    def measured_s(self) -> float:
        """Time of all batches, seconds."""
        return sum(record.measured_s for record in self.records)

    def estimates(self, confidence: float) -> list[Estimate]:
        """Cost in time of every arm but the control; empty while that cannot be told."""
        if len(self.records) < 2:
            return []
        control = time_totals(self.records, self.point.arms[0], self.copies)
        try:
            return [
                overhead(time_totals(self.records, arm, self.copies), control, confidence)
                for arm in self.point.arms[1:]
            ]
        except MeasurementError:
            return []

    def advice_text(self, confidence: float) -> str:
        """What the precision that was missed would take; nothing when it was reached."""
        estimates = self.estimates(confidence)
        if self.stopped_by != "time limit" or not estimates:
            return ""
        widest = max(estimates, key=half_width)
        if half_width(widest) <= self.point.precision:
            return ""
        return f"{self.point.key}: {advice(widest, self.point.precision)}"

    def interval_text(self, estimates: Sequence[Estimate]) -> str:
        """The cost of each arm so far, such as "tde aegis +5.7 % ± 0.4"."""
        texts = []
        for arm, estimate in zip(self.point.arms[1:], estimates, strict=False):
            loss = interval(estimate, "throughput")
            texts.append(f"{arm} {100 * loss.overhead:+.2f} % ± {100 * loss.half_width:.2f}")
        return "; ".join(texts)
