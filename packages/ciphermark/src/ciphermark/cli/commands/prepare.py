"""`ciphermark prepare`: loads the data of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli.progress import ProgressKind

__all__ = ["command"]


def command(
    folder: Annotated[Path, typer.Option("--out", help="The result folder to prepare.")],
    plan: Annotated[
        Path | None, typer.Argument(help="A plan file. Default: the embedded experiment.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="A plan that comes with the program.")
    ] = None,
    progress: Annotated[
        ProgressKind, typer.Option("--progress", help="How to show what goes on.")
    ] = ProgressKind.AUTO,
) -> None:
    """Load the data of a plan and stop before measuring.

    Go on with `ciphermark run --resume FOLDER`, or take everything away with
    `ciphermark cleanup FOLDER`.
    """
    from ciphermark.cli.plans import choose_plan
    from ciphermark.cli.progress import make_progress
    from ciphermark.run import prepare

    shown = make_progress(progress)
    try:
        prepare(choose_plan(plan, preset), folder, shown)
    finally:
        shown.close()
    print(f"The data are loaded. Measure with: ciphermark run --resume {folder}")
