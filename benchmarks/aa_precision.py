"""How narrow the A/A interval gets in 60 s, and what the same time in long runs would give.

Two plain arms with six copies each. Bars on two idle cores: throughput within ±0.8 % on
oltp_read_only and ±2 % on oltp_read_write, CPU per transaction within ±0.6 % and ±1 %. Beside it,
in the same run and for the same time, one copy of each arm in alternating runs of 5 s, the way
such figures are usually made; its interval is Student's, of the ratios of neighbouring runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats
from small_experiment import experiment_of, load, measure

from ciphermark.engine.base import Copy
from ciphermark.loadgen.orders import LoadSpec, SliceOrder
from ciphermark.loadgen.pool import WorkerPool
from ciphermark.plan.experiment import Experiment
from ciphermark.run.records import cpu_totals, time_totals
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.noise_floor import interval

BARS = {"oltp_read_only": (0.008, 0.006), "oltp_read_write": (0.02, 0.01)}
RUN_S = 5.0
ROWS = 25_000


def main() -> None:
    """Prints, for each workload, both intervals of both ways and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--workload", choices=sorted(BARS), default=None)
    arguments = parser.parse_args()
    for workload, bars in BARS.items():
        if arguments.workload in (None, workload):
            report(workload, bars, arguments.seconds, arguments.seed)


def report(workload: str, bars: tuple[float, float], seconds: float, seed: int) -> None:
    """One workload, both ways."""
    experiment = experiment_of({"kind": workload, "table_size": ROWS}, seconds=seconds, seed=seed)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        copies = load(experiment, Path(folder))
        fine = measure_fine(experiment, copies)
        coarse = measure_coarse(experiment, copies, seconds)
    for name, bar in zip(("throughput", "CPU"), bars, strict=True):
        (mean, half), (mean_coarse, half_coarse) = fine[name], coarse[name]
        verdict = "within" if half <= bar else "FALLS SHORT of"
        print(
            f"{workload}, A/A, {name}: {mean:+.2%} ± {half:.2%}, {verdict} the bar of ±{bar:.1%}; "
            f"alternating {RUN_S:.0f} s runs {mean_coarse:+.2%} ± {half_coarse:.2%}: "
            f"{half_coarse / half:.1f} times as wide"
        )


def measure_fine(
    experiment: Experiment, copies: list[list[Copy]]
) -> dict[str, tuple[float, float]]:
    """Cost and half-width by metric, as Ciphermark measures them."""
    outcome = measure(experiment, copies)
    first, second = outcome.point.arms
    found = {}
    for name, totals in (("throughput", time_totals), ("CPU", cpu_totals)):
        estimate = overhead(
            totals(outcome.records, second, len(copies[0])),
            totals(outcome.records, first, len(copies[0])),
        )
        cost = interval(estimate, "throughput" if name == "throughput" else "cpu_per_transaction")
        found[name] = (cost.overhead, cost.half_width)
        print(
            f"  {name}: {estimate.batches} batches, {estimate.rounds} rounds, df {estimate.df:.1f},"
            f" between copies {estimate.between_copy_sd:.2%}"
        )
    return found


def measure_coarse(
    experiment: Experiment, copies: list[list[Copy]], seconds: float
) -> dict[str, tuple[float, float]]:
    """The same from alternating long runs on one copy of each arm."""
    point = experiment.points[0]
    spec = LoadSpec(
        engine=point.engine,
        workload=point.workload,
        copies=tuple((arm[0],) for arm in copies),
        statement_mode=point.statement_mode,
        terminals=1,
        workers=1,
        seed=experiment.seed,
        stream=1,
    )
    ratios: dict[str, list[float]] = {"throughput": [], "CPU": []}
    with WorkerPool(spec) as pool:
        for number in range(max(int(seconds / (2 * RUN_S)), 2)):
            costs = []
            for arm in (0, 1) if number % 2 else (1, 0):
                report = pool.run([SliceOrder((arm, 0), number, int(RUN_S * 1e9))])
                totals = report.cells[arm, 0]
                costs.append(
                    (
                        arm,
                        totals.time_ns / totals.transactions,
                        totals.cpu_ns / totals.transactions,
                    )
                )
            (_, time_a, cpu_a), (_, time_b, cpu_b) = sorted(costs)
            ratios["throughput"].append(np.log(time_b / time_a))
            ratios["CPU"].append(np.log(cpu_b / cpu_a))
    return {name: student(logs) for name, logs in ratios.items()}


def student(logs: list[float]) -> tuple[float, float]:
    """Mean and half-width of Student's 95 % interval."""
    quantile = float(stats.t.ppf(0.975, len(logs) - 1))
    return float(np.mean(logs)), quantile * float(np.std(logs, ddof=1)) / len(logs) ** 0.5


if __name__ == "__main__":
    main()
