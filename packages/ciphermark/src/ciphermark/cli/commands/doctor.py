"""`ciphermark doctor`: checks this machine and the engines on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    folder: Annotated[
        Path, typer.Option("--folder", help="Where data and results would lie.")
    ] = Path("results"),
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine", help="Check this engine; may be repeated. Default: embedded ones."
        ),
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print findings as a JSON array.")
    ] = False,
) -> None:
    """Check this machine, and whether engines can be used on it.

    Ends with 0 unless a check fails; warnings tell what makes figures worse than they could be.
    """
    from ciphermark.cli.exit_codes import ExitCode
    from ciphermark.cli.output import print_json
    from ciphermark.cli.views import print_findings
    from ciphermark.doctor.examine import examine, worst
    from ciphermark.doctor.finding import Level

    findings = tuple(examine(folder, engine or ()))
    if json_output:
        print_json([finding.to_json() for finding in findings])
    else:
        print_findings(findings)
    if worst(findings) is Level.FAIL:
        raise typer.Exit(ExitCode.FAILURE)
