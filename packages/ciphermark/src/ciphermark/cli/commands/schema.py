"""`ciphermark schema`: the JSON Schema of the two kinds of files."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Kind", "command"]


class Kind(StrEnum):
    """What has a schema."""

    PLAN = "plan"
    RESULT = "result"


def command(
    kind: Annotated[Kind, typer.Argument(help="The kind of file.")] = Kind.PLAN,
) -> None:
    """Print the JSON Schema of plans or of results; editors complete and check with it."""
    from ciphermark.cli.output import print_json
    from ciphermark.plan.schema import plan_schema
    from ciphermark.results.files import result_schema

    print_json(plan_schema() if kind is Kind.PLAN else result_schema())
