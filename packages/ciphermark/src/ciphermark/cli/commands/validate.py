"""`ciphermark validate`: everything that is wrong with a plan, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(plan: Annotated[Path, typer.Argument(help="A plan file.")]) -> None:
    """Check a plan and show everything that is wrong with it.

    Ends with 2 when something is. Creates nothing.
    """
    from ciphermark.plan.build import build_experiment, read_checked_plan

    experiment = build_experiment(read_checked_plan(plan), where=str(plan))
    arms, points = len(experiment.arms), len(experiment.points)
    print(f"{plan} is a valid plan of {arms} arms and {points} points.")
