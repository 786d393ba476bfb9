"""`ciphermark export`: figures for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Format", "Table", "command"]


class Format(StrEnum):
    """Formats that other programs read."""

    CSV = "csv"
    JSON = "json"
    HDR = "hdr"


class Table(StrEnum):
    """The tables of `ciphermark.results.export`."""

    COMPARISONS = "comparisons"
    NOISE_FLOOR = "noise_floor"
    BATCHES = "batches"
    SERIES = "series"
    LATENCY = "latency"


def command(
    result: Annotated[Path, typer.Argument(help="A result.json, or the folder that holds it.")],
    format_: Annotated[
        Format,
        typer.Option("--format", help="hdr: exact latencies, from the journal beside the result."),
    ] = Format.CSV,
    table: Annotated[
        Table, typer.Option("--table", help="The table that becomes CSV.")
    ] = Table.COMPARISONS,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write to this file, not to the terminal.")
    ] = None,
) -> None:
    """Write the figures of a result for other programs, with units in the column names."""
    from ciphermark.cli.output import print_or_write
    from ciphermark.results.export import to_csv, to_json
    from ciphermark.results.files import read_result
    from ciphermark.results.hdr_log import to_hdr_log

    if format_ is Format.HDR:
        text = to_hdr_log(result)
    elif format_ is Format.JSON:
        text = to_json(read_result(result))
    else:
        text = to_csv(read_result(result), table)
    print_or_write(text, output)
