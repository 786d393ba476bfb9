"""`ciphermark report`: a report from a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    result: Annotated[Path, typer.Argument(help="A result.json, or the folder that holds it.")],
    format_: Annotated[
        str,
        typer.Option("--format", metavar="NAME", help="See: ciphermark list reports."),
    ] = "terminal",
    output: Annotated[
        Path | None, typer.Option("--output", help="Write to this file, not to the terminal.")
    ] = None,
) -> None:
    """Make a report from a result: terminal, html, markdown, json or csv."""
    from ciphermark.cli.output import print_or_write
    from ciphermark.registry import find
    from ciphermark.results.files import read_result

    reporter = find("report", format_).load()()
    print_or_write(reporter.render(read_result(result)), output)
