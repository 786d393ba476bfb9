"""`ciphermark check`: whether a result can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    result: Annotated[Path, typer.Argument(help="A result.json, or the folder that holds it.")],
    json_output: Annotated[
        bool, typer.Option("--json", help="Print findings as a JSON array.")
    ] = False,
) -> None:
    """Say whether a result can be trusted: noise, sizes, proofs, errors, drift.

    Ends with 4 when the result is invalid or too unstable to be used.
    """
    from ciphermark.cli.exit_codes import ExitCode
    from ciphermark.cli.output import print_json
    from ciphermark.cli.views import print_check
    from ciphermark.results.check import Severity, check
    from ciphermark.results.files import read_result

    findings = check(read_result(result))
    if json_output:
        print_json(
            [{"severity": one.severity, "where": one.where, "text": one.text} for one in findings]
        )
    else:
        print_check(findings)
    if any(one.severity is Severity.ERROR for one in findings):
        raise typer.Exit(ExitCode.INVALID)
