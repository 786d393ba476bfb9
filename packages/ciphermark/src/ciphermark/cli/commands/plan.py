"""`ciphermark plan`: a dry run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    plan: Annotated[
        Path | None, typer.Argument(help="A plan file. Default: the embedded experiment.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="A plan that comes with the program.")
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print the effective plan, defaults included, as JSON.")
    ] = False,
) -> None:
    """Show what a plan would do, without doing it.

    Lists arms and points, and estimates time and disk. Creates nothing.
    """
    from ciphermark.cli.output import print_json
    from ciphermark.cli.plans import choose_plan
    from ciphermark.cli.views import print_experiment
    from ciphermark.plan.build import build_experiment
    from ciphermark.plan.estimate import estimate

    experiment = build_experiment(choose_plan(plan, preset), where=str(plan or ""))
    if json_output:
        print_json(experiment.plan)
    else:
        print_experiment(experiment, estimate(experiment).lines())
