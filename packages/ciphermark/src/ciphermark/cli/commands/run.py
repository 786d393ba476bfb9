"""`ciphermark run`: measures an experiment and writes its report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli.progress import ProgressKind

__all__ = ["command"]


def command(
    plan: Annotated[
        Path | None, typer.Argument(help="A plan file. Default: the embedded experiment.")
    ] = None,
    *,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Run a plan that comes with the program.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Result folder. Default: results/<experiment>-<UTC time>."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on with the interrupted run in this folder.")
    ] = None,
    time_limit_s: Annotated[
        float | None,
        typer.Option("--time-limit", help="Seconds of measuring, instead of the plan's."),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option("--precision", help="Half-width of the interval to stop at, such as 0.005."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of all data, orders and transactions.")
    ] = None,
    progress: Annotated[
        ProgressKind, typer.Option("--progress", help="How to show what goes on.")
    ] = ProgressKind.AUTO,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Leave the databases for a look; see cleanup.")
    ] = False,
) -> None:
    """Run an experiment and write its report.

    Prints the verdicts, and the path of the report as the last line. Ctrl-C keeps what is
    finished. Ends with 4 when the result is invalid.
    """
    from ciphermark.cli.plans import Overrides, check_resume, choose_plan

    overrides = Overrides(time_limit_s=time_limit_s, precision=precision, seed=seed)
    if resume is not None:
        check_resume(plan, preset, out, overrides)
        chosen = None
    else:
        chosen = choose_plan(plan, preset, overrides)

    from ciphermark.cli.progress import make_progress
    from ciphermark.cli.views import print_outcome
    from ciphermark.run import run_experiment

    shown = make_progress(progress)
    try:
        outcome = run_experiment(chosen, out, shown, resume, keep_data=keep_data)
    finally:
        shown.close()
    print_outcome(outcome)
    raise typer.Exit(outcome.exit_code)
