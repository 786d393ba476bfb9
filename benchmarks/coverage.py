"""How often the 95 % intervals hold the truth, in every scenario, and how wide they are.

Bars: coverage at least 93 % in each, with the stopping rule, and a mean width at most 1.3 times
that of an oracle that knows the variances. 2,000 experiments a scenario take a few minutes.
"""

from __future__ import annotations

import argparse
import sys

from ciphermark.statistics.coverage import Coverage, Measured, coverage
from ciphermark.statistics.latency_coverage import LATENCY_SCENARIOS, latency_coverage
from ciphermark.statistics.scenarios import SCENARIOS

COVERAGE_BAR = 0.93
WIDTH_BAR = 1.3


def main() -> int:
    """Prints a row for each scenario; returns 1 when one falls short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--latency-experiments", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="scenarios with this in their name")
    arguments = parser.parse_args()
    short = totals(arguments.experiments, arguments.seed, arguments.only)
    latencies(arguments.latency_experiments, arguments.seed, arguments.only)
    print(f"{short} scenarios fall short of {COVERAGE_BAR:.0%} coverage or {WIDTH_BAR} x the width")
    return 1 if short else 0


def totals(experiments: int, seed: int, only: str) -> int:
    """Throughput and CPU: prints a row for each scenario; returns how many fall short."""
    print("| scenario | stopped: coverage | width/oracle | batches | longest: coverage | width | |")
    print("|---|---|---|---|---|---|---|")
    short = 0
    for scenario in SCENARIOS:
        if only in scenario.name:
            found = coverage(scenario, experiments, seed)
            passed = holds(found.stopped) and holds(found.longest)
            short += not passed
            print(row(found, passed), flush=True)
    return short


def latencies(experiments: int, seed: int, only: str) -> None:
    """Latency: prints coverage, and width relative to an oracle's, for each metric."""
    print("\n| scenario | mean | p50 | p95 | p99 |\n|---|---|---|---|---|")
    for scenario in LATENCY_SCENARIOS:
        if experiments and only in scenario.name:
            found = latency_coverage(scenario, experiments, seed)
            cells = (
                f"{100 * covered:.1f} % ({found.relative_width[metric]:.2f})"
                for metric, covered in found.covered.items()
            )
            print(f"| {scenario.name} | {' | '.join(cells)} |", flush=True)


def holds(measured: Measured) -> bool:
    """Whether both bars are met."""
    return measured.covered >= COVERAGE_BAR and measured.relative_width <= WIDTH_BAR


def row(found: Coverage, passed: bool) -> str:
    """One line of the table."""
    stopped, longest = found.stopped, found.longest
    return (
        f"| {found.scenario.name} | {100 * stopped.covered:.1f} % | {stopped.relative_width:.2f} "
        f"| {stopped.batches:.0f} | {100 * longest.covered:.1f} % | {longest.relative_width:.2f} "
        f"| {'PASS' if passed else 'FALL SHORT'} |"
    )


if __name__ == "__main__":
    sys.exit(main())
