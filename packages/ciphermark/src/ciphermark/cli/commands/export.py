"""`ciphermark export`: figures for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Format", "command"]


class Format(StrEnum):
    """Formats that other programs read."""

    CSV = "csv"
    JSON = "json"


def command(
    result: Annotated[Path, typer.Argument(help="A result.json, or the folder that holds it.")],
    format_: Annotated[Format, typer.Option("--format", help="The format.")] = Format.CSV,
    table: Annotated[
        str,
        typer.Option(
            "--table", help="For CSV: comparisons, noise_floor, batches, series or latency."
        ),
    ] = "comparisons",
    output: Annotated[
        Path | None, typer.Option("--output", help="Write to this file, not to the terminal.")
    ] = None,
) -> None:
    """Write the figures of a result for other programs, with units in the column names."""
    from ciphermark.cli.output import print_or_write
    from ciphermark.results.export import to_csv, to_json
    from ciphermark.results.files import read_result

    document = read_result(result)
    text = to_json(document) if format_ is Format.JSON else to_csv(document, table)
    print_or_write(text, output)
