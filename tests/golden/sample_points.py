"""Points of sample documents: throughput, latency and batches, invented from a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ciphermark.results.document import (
    BatchSummary,
    Comparison,
    LatencySummary,
    Metric,
    Mode,
    NoiseFloor,
    PointResult,
    SeriesPoint,
)
from ciphermark.statistics.noise_floor import Interval
from ciphermark.statistics.verdict import Finding, verdict

__all__ = ["NOTHING", "PLAIN", "REPEAT", "Cost", "SamplePoint", "Setting", "label_of"]

PLAIN = "plain"
REPEAT = "plain (A/A)"
T_95 = 2.09
BINS_PER_DECADE = 10


@dataclass(frozen=True)
class Cost:
    """What an arm really costs, as fractions: time and CPU of a transaction."""

    time: float
    cpu: float


@dataclass(frozen=True)
class Setting:
    """One point: the control's throughput, each arm's cost, and the spread of a batch."""

    workload: str
    mode: Mode
    control_tps: float
    costs: Mapping[str, Cost]
    terminals: int = 1
    batches: int = 24
    spread: float = 0.006
    factors: Mapping[str, str] = field(default_factory=dict)
    sample: int = 1


NOTHING = Cost(0.0, 0.0)


class SamplePoint:
    """Invents what was measured at one point."""

    def __init__(self, setting: Setting, stopped_by: str) -> None:
        self.setting = setting
        self.stopped_by = stopped_by
        self.random = random.Random(setting.sample)
        self.arms = {PLAIN: NOTHING, **setting.costs}
        self.tps = {
            arm: [self._batch_tps(cost, batch) for batch in range(setting.batches)]
            for arm, cost in self.arms.items()
        }
        self.cpu_us = {
            arm: 0.82e6 / setting.control_tps * (1 + cost.cpu) for arm, cost in self.arms.items()
        }
        self.latency = {arm: self._latency(arm, cost) for arm, cost in self.arms.items()}

    def _batch_tps(self, cost: Cost, batch: int) -> float:
        drift = 1 + 0.02 * math.sin(batch / 4)
        level = self.setting.control_tps / (1 + cost.time)
        return level * drift * self.random.gauss(1, self.setting.spread)

    def _latency(self, arm: str, cost: Cost) -> LatencySummary:
        mean_ms = 1e3 * self.setting.terminals / self.setting.control_tps * (1 + cost.time)
        tail = 1.8 if self.setting.mode == "slices" else 2.4
        count = 24_000
        values = sorted(
            mean_ms
            * 0.93
            * self.random.lognormvariate(0, 0.22)
            * (tail**3 if self.random.random() < 0.004 else 1)
            for _ in range(4_000)
        )

        def quantile(share: float) -> float:
            return round(values[min(len(values) - 1, int(share * len(values)))], 4)

        first = math.floor(math.log10(values[0]) * BINS_PER_DECADE * 2)
        last = math.ceil(math.log10(values[-1]) * BINS_PER_DECADE * 2)
        edges = [10 ** (step / BINS_PER_DECADE / 2) for step in range(first, last + 1)]
        counts = [sum(low < value <= high for value in values) for low, high in pairwise(edges)]
        return LatencySummary(
            arm=arm,
            transaction="all",
            count=count,
            mean=round(sum(values) / len(values), 4),
            p50=quantile(0.5),
            p90=quantile(0.9),
            p95=quantile(0.95),
            p99=quantile(0.99),
            p999=quantile(0.999),
            max=round(values[-1], 4),
            histogram=tuple(
                (round(edge, 5), number * (count // len(values)))
                for edge, number in zip(edges[1:], counts, strict=True)
            ),
        )

    def point(self, start_s: float) -> PointResult:
        setting = self.setting
        step_s = 18.0 / setting.batches
        return PointResult(
            workload=setting.workload,
            workload_options={"tables": "1", "table_size": "25000", "rand_type": "special"},
            terminals=setting.terminals,
            workers=1,
            mode=setting.mode,
            factors=dict(setting.factors),
            slice_s=0.008 if setting.mode == "slices" else 2.0,
            warm_up_s=1.0,
            rounds=setting.batches * (40 if setting.mode == "slices" else 1),
            batches=setting.batches,
            discarded_batches=0,
            stopped_by=self.stopped_by,
            regime="in memory: 5.9 MiB of data, 16.0 MiB of page cache",
            cache_hit_ratio={arm: 0.9994 for arm in self.arms},
            latency=tuple(self.latency.values()),
            series=tuple(
                SeriesPoint(
                    arm=arm,
                    elapsed_s=round(start_s + (batch + 1) * step_s, 3),
                    tps=round(self.tps[arm][batch], 2),
                    cpu_us_per_transaction=round(
                        self.cpu_us[arm] * self.random.gauss(1, setting.spread / 3), 3
                    ),
                )
                for arm in self.arms
                for batch in range(setting.batches)
            ),
            probes={arm: {"memory_bytes": 48.2e6, "written_bytes": 9.1e6} for arm in self.arms},
        )

    def batches(self, start_s: float) -> list[BatchSummary]:
        setting = self.setting
        time_s = 18.0 / setting.batches / len(self.arms)
        rows = []
        for index in range(setting.batches):
            transactions = {arm: round(self.tps[arm][index] * time_s) for arm in self.arms}
            rows.append(
                BatchSummary(
                    workload=setting.workload,
                    terminals=setting.terminals,
                    mode=setting.mode,
                    factors=dict(setting.factors),
                    index=index,
                    rounds=40 if setting.mode == "slices" else 1,
                    ended_s=round(start_s + (index + 1) * 18.0 / setting.batches, 3),
                    transactions=transactions,
                    planned_rollbacks=dict.fromkeys(self.arms, 0),
                    queries={arm: count * 16 for arm, count in transactions.items()},
                    time_s=dict.fromkeys(self.arms, round(time_s, 4)),
                    cpu_s={
                        arm: round(count * self.cpu_us[arm] * 1e-6, 4)
                        for arm, count in transactions.items()
                    },
                )
            )
        return rows

    def comparisons(self) -> list[Comparison]:
        return [row for arm in self.setting.costs if arm != REPEAT for row in self._metrics(arm)]

    def noise(self) -> list[NoiseFloor]:
        return [
            NoiseFloor(
                workload=row.workload,
                terminals=row.terminals,
                mode=row.mode,
                factors=row.factors,
                metric=row.metric,
                overhead=row.overhead,
                ci_low=row.ci_low,
                ci_high=row.ci_high,
                half_width=(row.ci_high - row.ci_low) / 2,
                excludes_zero=row.ci_low > 0 or row.ci_high < 0,
            )
            for row in self._metrics(REPEAT)
        ]

    def _floor(self, metric: Metric) -> Interval:
        row = next(one for one in self._metrics(REPEAT) if one.metric == metric)
        return Interval(row.overhead, row.ci_low, row.ci_high)

    def _metrics(self, arm: str) -> list[Comparison]:
        width = T_95 * self.setting.spread * math.sqrt(2 / self.setting.batches)
        mean = {name: sum(tps) / len(tps) for name, tps in self.tps.items()}
        plain, other = self.latency[PLAIN], self.latency[arm]
        return [
            self._row(arm, "throughput", "transactions/s", mean[PLAIN], mean[arm], width),
            self._row(arm, "latency_mean", "ms", plain.mean, other.mean, width),
            self._row(arm, "latency_p50", "ms", plain.p50, other.p50, width * 0.8),
            self._row(arm, "latency_p95", "ms", plain.p95, other.p95, width * 1.6),
            self._row(arm, "latency_p99", "ms", plain.p99, other.p99, width * 4),
            self._row(
                arm,
                "cpu_per_transaction",
                "µs",
                self.cpu_us[PLAIN],
                self.cpu_us[arm],
                width * 0.4,
            ),
        ]

    def _row(
        self, arm: str, metric: Metric, unit: str, control: float, value: float, width: float
    ) -> Comparison:
        setting = self.setting
        overhead = 1 - value / control if metric == "throughput" else value / control - 1
        low, high = overhead - width, overhead + width
        return Comparison(
            workload=setting.workload,
            terminals=setting.terminals,
            mode=setting.mode,
            factors=dict(setting.factors),
            arm=arm,
            control=PLAIN,
            metric=metric,
            unit=unit,
            control_value=round(control, 4),
            arm_value=round(value, 4),
            overhead=round(overhead, 6),
            ci_low=round(low, 6),
            ci_high=round(high, 6),
            confidence=0.95,
            rounds=setting.batches * (40 if setting.mode == "slices" else 1),
            batches=setting.batches,
            copies=6,
            df=round(setting.batches / 2 + 4.3, 1),
            between_copy_sd=0.002,
            estimator="ratio of batch totals",
            significant_after_holm=low > 0 or high < 0,
            verdict=verdict(
                Finding(
                    arm=label_of(arm),
                    metric=metric,
                    terminals=setting.terminals,
                    overhead=Interval(overhead, low, high),
                    floor=None if arm == REPEAT else self._floor(metric),
                )
            ),
            valid=True,
        )


def label_of(name: str) -> str:
    return name if name in {PLAIN, REPEAT} or " " in name else f"TDE {name}"
