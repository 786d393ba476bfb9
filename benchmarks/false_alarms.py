"""How often an A/A comparison excludes zero, on real runs with fresh copies each.

Every run loads its own copies and starts its own workers, so that differences between copies are
drawn anew. Bar: at most 16 false alarms in 200 runs of at least 5 s (5 % of 200 is 10; more than
16 comes by chance in about 3 % of all series).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from small_experiment import experiment_of, load, measure

from ciphermark.plan.experiment import Experiment
from ciphermark.run.outcome import PointOutcome
from ciphermark.run.records import cpu_totals, time_totals
from ciphermark.statistics.estimate import overhead
from ciphermark.statistics.noise_floor import Interval, interval

ROWS = 2_000
BAR_OF_200 = 16


def main() -> None:
    """Prints a line for each run with an alarm, and the counts at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workload", default="oltp_read_only")
    arguments = parser.parse_args()
    alarms = {"throughput": 0, "CPU": 0}
    widths: dict[str, list[float]] = {"throughput": [], "CPU": []}
    for number in range(arguments.runs):
        found = one_run(arguments.workload, arguments.seconds, seed=time.time_ns() % 2**40)
        for name, cost in found.items():
            widths[name].append(cost.half_width)
            if cost.excludes_zero:
                alarms[name] += 1
                print(f"run {number}: {name} {cost.overhead:+.2%} ± {cost.half_width:.2%}")
    bar = BAR_OF_200 * arguments.runs / 200
    for name, count in alarms.items():
        verdict = "within" if count <= bar else "FALLS SHORT of"
        middle = sorted(widths[name])[arguments.runs // 2]
        print(
            f"{arguments.workload}, A/A, {name}: {count} alarms in {arguments.runs} runs, "
            f"{verdict} the bar of {bar:g}; median half-width ±{middle:.2%}"
        )


def one_run(workload: str, seconds: float, seed: int) -> dict[str, Interval]:
    """The A/A interval of throughput and of CPU, on copies made for it."""
    experiment = experiment_of({"kind": workload, "table_size": ROWS}, seconds=seconds, seed=seed)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        outcome = measure(experiment, load(experiment, Path(folder)))
    return intervals(outcome, experiment)


def intervals(outcome: PointOutcome, experiment: Experiment) -> dict[str, Interval]:
    """The second arm against the first, in both metrics."""
    first, second = outcome.point.arms[:2]
    copies = experiment.control.copies
    records = outcome.records
    time_cost = overhead(time_totals(records, second, copies), time_totals(records, first, copies))
    cpu_cost = overhead(cpu_totals(records, second, copies), cpu_totals(records, first, copies))
    return {
        "throughput": interval(time_cost, "throughput"),
        "CPU": interval(cpu_cost, "cpu_per_transaction"),
    }


if __name__ == "__main__":
    main()
