"""`ciphermark sysbench`: a sysbench command line, word for word."""

from __future__ import annotations

import typer

__all__ = ["command"]


def command(context: typer.Context) -> None:
    """Take a sysbench command line: ciphermark sysbench [OPTIONS] [TEST] [COMMAND]."""
    from ciphermark.compat.sysbench.front_end import main

    raise typer.Exit(main(context.args))
