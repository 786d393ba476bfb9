"""`ciphermark init`: writes a plan to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("plan.toml"),
    engine: Annotated[str, typer.Option("--engine", help="The engine of the plan.")] = "sqlite",
) -> None:
    """Write a plan to start from, with a comment on every key.

    Never overwrites a file.
    """
    from ciphermark.cli.output import write_new
    from ciphermark.plan.starter import starter_plan

    write_new(file, starter_plan(engine))
    print(f"{file} is written. See what it would do with: ciphermark plan {file}")
