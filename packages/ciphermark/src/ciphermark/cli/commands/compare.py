"""`ciphermark compare`: two results side by side, and a gate for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    base: Annotated[Path, typer.Argument(help="The result to compare with.")],
    new: Annotated[Path, typer.Argument(help="The result that is judged.")],
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="CONDITION",
            help="End with 3 when this holds, such as 'throughput.overhead>5%', "
            "'throughput.change>1%' or 'invalid'; may be repeated.",
        ),
    ] = None,
) -> None:
    """Compare two results, with a gate for CI.

    Compared are the overheads, which carry over from one day to another; not the absolute figures.
    """
    from ciphermark.cli.exit_codes import ExitCode
    from ciphermark.cli.views import print_comparison, print_gates
    from ciphermark.results.compare import compare
    from ciphermark.results.files import read_result
    from ciphermark.results.gates import evaluate, parse_gate

    gates = [parse_gate(text) for text in fail_if or ()]
    comparison = compare(read_result(base), read_result(new))
    print_comparison(comparison)
    results = [evaluate(gate, comparison) for gate in gates]
    print_gates(results)
    if not all(result.passed for result in results):
        raise typer.Exit(ExitCode.GATE)
