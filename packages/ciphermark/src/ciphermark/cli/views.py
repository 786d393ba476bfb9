"""How commands show what they were given: findings, plans, comparisons, plug-ins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ciphermark.cli.exit_codes import ExitCode
from ciphermark.cli.output import print_error, print_indented, print_table

if TYPE_CHECKING:
    from ciphermark.cli.plugin_list import PluginRow
    from ciphermark.doctor.finding import Finding
    from ciphermark.plan.experiment import Experiment, Point
    from ciphermark.results.check import Finding as ResultFinding
    from ciphermark.results.compare import Change, ResultComparison
    from ciphermark.results.document import Comparison
    from ciphermark.results.gates import GateResult
    from ciphermark.run import RunOutcome

__all__ = [
    "print_check",
    "print_comparison",
    "print_experiment",
    "print_findings",
    "print_gates",
    "print_outcome",
    "print_plugins",
]


def print_outcome(outcome: RunOutcome) -> None:
    """The verdicts of a run, what ended it early, and the path of its report as the last line."""
    from ciphermark.report.terminal import TerminalReporter

    print(TerminalReporter().render(outcome.document).rstrip())
    if outcome.error is not None:
        print_error(outcome.error)
    if outcome.exit_code in (ExitCode.INTERRUPTED, ExitCode.FAILURE):
        print(f"What is finished is kept. Go on with: ciphermark run --resume {outcome.folder}")
    print(outcome.report)


def print_experiment(experiment: Experiment, estimate: Sequence[str]) -> None:
    """What a run of the experiment would do."""
    print(f"{experiment.name}, seed {experiment.seed}")
    print("\nArms")
    rows = [("arm", "protection", "copies", "")]
    for arm in experiment.arms:
        role = "control" if arm.control else "A/A" if arm.repeat_of_control else ""
        rows.append((arm.name, arm.protection.label, str(arm.copies), role))
    print_table(rows, indent="  ")
    print("\nPoints")
    head = ("workload", "terminals", "mode", "statements", "measuring", "arms", "factors")
    print_table([head, *(_point_row(point) for point in experiment.points)], indent="  ")
    print()
    for line in estimate:
        print(line)


def _point_row(point: Point) -> tuple[str, ...]:
    levels = [f"{name}={level}" for name, level in point.factors.items()]
    if point.rate_tps is not None and "rate_tps" not in point.factors:
        levels.append(f"rate_tps={point.rate_tps:g}")
    return (
        point.workload.name,
        str(point.terminals),
        point.mode,
        str(point.statement_mode),
        f"{point.time_limit_s:.0f} s",
        str(len(point.arms)),
        ", ".join(levels),
    )


def print_findings(findings: Sequence[Finding]) -> None:
    """What the doctor found, remedies below, and the sum of it."""
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        print_indented(f"{finding.level:<4}  {finding.subject:<{width}}  ", finding.what)
        if finding.remedy:
            print_indented(" " * (width + 8) + "→ ", finding.remedy)
    levels = Counter(str(finding.level) for finding in findings)
    print(", ".join(f"{number} {level}" for level, number in levels.items()))


def print_check(findings: Sequence[ResultFinding]) -> None:
    """What was found about a result, the worst first."""
    for finding in findings:
        print_indented(f"{finding.severity:<7}  ", str(finding))
    if not findings:
        print("Nothing speaks against this result.")


def print_comparison(comparison: ResultComparison) -> None:
    """Both results side by side, what differs between them, and what to be careful about."""
    for warning in comparison.warnings:
        print_indented("warning: ", warning)
    if comparison.changes:
        head = ("point", "arm", "metric", "base", "new", "change")
        print_table([head, *(_change_row(change) for change in comparison.changes)])
    for title in comparison.only_in_base:
        print(f"only in the base result: {title}")
    for title in comparison.only_in_new:
        print(f"only in the new result: {title}")
    for one in comparison.differences:
        print(f"differs: {one.name}: {one.base or '(absent)'} → {one.new or '(absent)'}")


def _change_row(change: Change) -> tuple[str, ...]:
    from ciphermark.report.numbers import cost, interval, metric_name, percent

    def side(one: Comparison) -> str:
        text = cost(one.overhead, one.ci_low, one.ci_high)
        return text if one.valid else f"invalid: {text}"

    base, new = change.base, change.new
    text = percent(change.change, signed=True)
    text += f" ({interval(change.change_low, change.change_high)})"
    return (
        change.point.title,
        new.arm,
        metric_name(new.metric),
        side(base),
        side(new),
        text if change.distinguishable else f"{text}, not distinguishable from zero",
    )


def print_gates(results: Sequence[GateResult]) -> None:
    """Whether each condition of `--fail-if` holds, and where."""
    for result in results:
        print(f"{'passed' if result.passed else 'FAILED'}: {result.gate.text}")
        for reason in result.reasons:
            print_indented("  ", reason)


def print_plugins(rows: Sequence[PluginRow]) -> None:
    """Plug-ins by group, with the command that installs what one misses."""
    groups = dict.fromkeys(row.group for row in rows)
    width = max((len(row.name) for row in rows), default=0)
    for group in groups:
        print(f"{group}s")
        for row in rows:
            if row.group == group:
                print_indented(f"  {row.name:<{width}}  ", row.description)
                if row.install:
                    print_indented(" " * (width + 4), f"not installed: {row.install}")
