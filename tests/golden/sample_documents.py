"""Result documents as runs make them: the figures are invented, from a seed, the shape is real."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ciphermark.results.document import (
    Arm,
    BatchSummary,
    Comparison,
    ConsistencyResult,
    CopyInfo,
    EncryptionInfo,
    Environment,
    ErrorCount,
    ExperimentInfo,
    LatencySummary,
    Metric,
    Mode,
    NoiseFloor,
    PointResult,
    Proof,
    ResultDocument,
    SeriesPoint,
)

__all__ = [
    "Cost",
    "Setting",
    "aa_excludes_zero",
    "complete",
    "empty",
    "interrupted",
    "invalid",
    "long_names",
    "sweep",
]

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
DEMO = (
    Setting(
        "oltp_read_only",
        "slices",
        5230.0,
        {REPEAT: Cost(0.002, 0.001), "chacha20": Cost(0.346, 0.349), "aegis": Cost(0.057, 0.059)},
    ),
    Setting(
        "oltp_read_write",
        "slices",
        1480.0,
        {REPEAT: Cost(-0.004, 0.002), "chacha20": Cost(0.182, 0.221), "aegis": Cost(0.011, 0.062)},
        spread=0.03,
        sample=2,
    ),
    Setting(
        "oltp_read_write",
        "blocks",
        1391.0,
        {REPEAT: Cost(0.006, -0.003), "chacha20": Cost(0.196, 0.236)},
        batches=6,
        spread=0.035,
        sample=3,
    ),
)


def complete() -> ResultDocument:
    """The demo: three workloads and modes, two ciphers, nothing wrong."""
    return document(DEMO)


def invalid() -> ResultDocument:
    """One encrypted arm turns out to be plain; its comparisons are invalid."""
    good = document(DEMO)
    reason = "chacha20: the marker rows were found in its data file, so it is not encrypted"
    arms = tuple(
        arm.model_copy(
            update={
                "proof": arm.proof.model_copy(
                    update={
                        "status": "refuted",
                        "marker_hits": 384,
                        "entropy_bits_per_byte": 4.1,
                        "opens_without_key": True,
                        "details": ("384 marker rows found in 6 files", "opens without the key"),
                    }
                )
            }
        )
        if arm.name == "chacha20"
        else arm
        for arm in good.arms
    )
    comparisons = tuple(
        one.model_copy(
            update={"valid": False, "reasons": (reason,), "verdict": f"Invalid: {reason}."}
        )
        if one.arm == "chacha20"
        else one
        for one in good.comparisons
    )
    return good.model_copy(
        update={
            "arms": arms,
            "comparisons": comparisons,
            "valid": False,
            "reasons": (reason,),
            "errors": (
                *good.errors,
                ErrorCount(
                    workload="oltp_read_write",
                    terminals=1,
                    mode="slices",
                    arm="aegis",
                    kind="constraint",
                    count=812,
                    retried=0,
                    example="UNIQUE constraint failed: sbtest1.id",
                ),
            ),
            "consistency": (
                *good.consistency,
                ConsistencyResult(
                    arm="aegis",
                    copy_index=2,
                    check="rows equal the control's",
                    moment="after replay",
                    passed=False,
                    details="sbtest1: 25000 rows against 24999",
                ),
            ),
        }
    )


def aa_excludes_zero() -> ResultDocument:
    """Two plain arms differ more than chance allows, and one cost is below the noise."""
    biased = {REPEAT: Cost(0.021, 0.02), "chacha20": Cost(0.346, 0.349), "aegis": Cost(0.012, 0.02)}
    return document(
        (Setting("oltp_read_only", "slices", 5230.0, biased, batches=14, spread=0.009),),
        stopped_by="time limit",
        load_average=1.7,
    )


def interrupted() -> ResultDocument:
    """Ctrl-C in the first block: what is finished is kept."""
    return document(DEMO[:2], status="interrupted", stopped_by="interrupt")


def empty() -> ResultDocument:
    """A run that ended before anything was measured."""
    return document((), arms=(PLAIN, REPEAT, "chacha20"), status="failed", stopped_by="disk full")


def sweep() -> ResultDocument:
    """Six encrypted arms over 1 to 1024 terminals."""
    ciphers = ("chacha20", "sqlcipher", "aes256cbc", "aes128cbc", "aegis", "ascon128")
    base = (0.34, 0.52, 0.61, 0.55, 0.057, 0.72)
    settings = []
    for step in range(11):
        terminals = 2**step
        fade = 1 / (1 + terminals / 40)
        costs = {
            cipher: Cost(cost * (0.1 + 0.9 * fade), cost)
            for cipher, cost in zip(ciphers, base, strict=True)
        }
        settings.append(
            Setting(
                "oltp_read_write",
                "slices",
                1480.0 * terminals / (1 + terminals / 16),
                {REPEAT: Cost(0.001 * (-1) ** step, 0.0), **costs},
                terminals=terminals,
                batches=20,
                spread=0.012,
                sample=10 + step,
            )
        )
    return document(tuple(settings))


def long_names() -> ResultDocument:
    """Names as long as people make them, with characters that HTML and Markdown treat apart."""
    arm = "a very long name of an arm that a careful person gave to <b>TDE</b> | with & and `ticks`"
    workload = "oltp_read_write_with_a_name_that_has_no_blank_in_it_and_does_not_seem_to_end_at_all"
    return document(
        (
            Setting(
                workload,
                "slices",
                123.4,
                {REPEAT: NOTHING, arm: Cost(0.08, 0.1)},
                factors={"cache": "16 MiB of page cache per connection", "mode": "<script>"},
            ),
        )
    )


def document(
    settings: Sequence[Setting],
    *,
    arms: tuple[str, ...] = (),
    status: str = "complete",
    stopped_by: str = "precision",
    load_average: float = 0.08,
) -> ResultDocument:
    """A document of these points; its arms are those of the points."""
    names = arms or tuple(dict.fromkeys([PLAIN, *(arm for one in settings for arm in one.costs)]))
    made = [_Maker(setting, stopped_by) for setting in settings]
    elapsed_s = 20.0 * len(made)
    return ResultDocument.model_validate(
        {
            "experiment": _experiment(status, stopped_by, elapsed_s),
            "environment": _environment(load_average),
            "arms": [_arm(name) for name in names],
            "points": [one.point(index * 20.0) for index, one in enumerate(made)],
            "comparisons": [row for one in made for row in one.comparisons()],
            "noise_floor": [row for one in made for row in one.noise()],
            "batches": [row for i, one in enumerate(made) for row in one.batches(i * 20.0)],
            "errors": [
                ErrorCount(
                    workload="oltp_read_write",
                    terminals=1,
                    mode="slices",
                    arm="aegis",
                    kind="busy",
                    count=3,
                    retried=3,
                    example="database is locked",
                )
            ]
            if len(made) > 1
            else [],
            "consistency": [
                ConsistencyResult(
                    arm=name,
                    copy_index=0,
                    check="all rows equal the control's",
                    moment="after load",
                    passed=True,
                )
                for name in names
            ],
            "valid": True,
        }
    )


class _Maker:
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
                half_width=max(abs(row.ci_low), abs(row.ci_high)),
                excludes_zero=row.ci_low > 0 or row.ci_high < 0,
            )
            for row in self._metrics(REPEAT)
        ]

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
            verdict=_verdict(arm, metric, setting.terminals, overhead, low, high),
            valid=True,
        )


def _verdict(
    arm: str, metric: Metric, terminals: int, overhead: float, low: float, high: float
) -> str:
    noun = "throughput" if metric == "throughput" else metric.replace("_", " ")
    at = f"at {terminals} terminal{'' if terminals == 1 else 's'}"
    if low <= 0 <= high:
        return f"{_label(arm)}: {noun} is not distinguishable from the control's {at}"
    return (
        f"{_label(arm)} costs {overhead:.1%} of {noun} ({low * 100:.1f} to {high * 100:.1f}) {at}"
    )


def _label(name: str) -> str:
    return name if name in {PLAIN, REPEAT} or " " in name else f"TDE {name}"


def _experiment(status: str, stopped_by: str, measuring_s: float) -> ExperimentInfo:
    return ExperimentInfo.model_validate(
        {
            "name": "embedded",
            "id": "b3c1f0a5d2e94c57",
            "seed": 1,
            "plan_hash": "9f2c6ad4c0f25a1b" * 4,
            "plan": {
                "experiment": {"name": "embedded", "error_budget": 0.01, "precision": 0.01},
                "engine": {"kind": "sqlite", "cache_size_mib": 16, "synchronous": "FULL"},
                "data": {"copies": 6},
            },
            "started": "2026-11-30T20:15:04Z",
            "finished": "2026-11-30T20:17:21Z",
            "measuring_s": measuring_s,
            "status": status,
            "stopped_by": stopped_by,
            "versions": {"ciphermark": "0.1.0", "Python": "3.11.2", "apsw-sqlite3mc": "3.54.0"},
        }
    )


def _environment(load_average: float) -> Environment:
    return Environment(
        cpu_model="Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
        cores=2,
        memory_bytes=8_233_000_960,
        aes_instructions=("aes", "pclmulqdq", "vaes"),
        kernel="6.1.0-28-amd64",
        operating_system="Debian GNU/Linux 12 (bookworm)",
        file_system="ext4",
        disk="virtio block device",
        virtualization="kvm",
        load_average_at_start=load_average,
    )


def _arm(name: str) -> Arm:
    plain = name in {PLAIN, REPEAT}
    settings = {"journal_mode": "wal", "synchronous": "FULL", "cache_size": "-16384"}
    return Arm(
        name=name,
        label=_label(name),
        control=name == PLAIN,
        repeat_of_control=name == REPEAT,
        engine="sqlite",
        version="3.54.0",
        protection="none" if plain else "tde",
        protection_options={} if plain else {"cipher": name},
        cipher="" if plain else name,
        encryption=None
        if plain
        else EncryptionInfo(
            cipher=name,
            authenticated=name not in {"aes256cbc", "aes128cbc"},
            reserved_bytes_per_page=32,
            page_size=4096,
            page_count=1523,
            cold_connection_ms=0.41,
            cold_passphrase_ms=61.8,
        ),
        settings=settings,
        proof=Proof(
            status="proven",
            method="data file, WAL and journal scanned for marker rows after a checkpoint",
            files_scanned=12,
            bytes_scanned=37_748_736,
            marker_rows=64,
            marker_hits=384 if plain else 0,
            entropy_bits_per_byte=4.12 if plain else 7.9999,
            opens_without_key=plain,
        ),
        statement_mode="prepared",
        driver="apsw",
        copies=tuple(CopyInfo(index=index, draw=0, bytes=6_238_208) for index in range(6)),
    )
