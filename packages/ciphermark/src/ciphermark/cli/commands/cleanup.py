"""`ciphermark cleanup`: removes the data of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    folder: Annotated[Path, typer.Argument(help="The result folder of the run.")],
) -> None:
    """Remove the data and keys that a run left, and nothing else.

    Results, reports and the journal stay.
    """
    from ciphermark.run import cleanup

    removed = cleanup(folder)
    for line in removed:
        print(f"removed {line}")
    if not removed:
        print("There was nothing to remove.")
