"""`ciphermark list`: what there is to choose from."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Group", "command"]


class Group(StrEnum):
    """What can be listed."""

    ENGINES = "engines"
    PROTECTIONS = "protections"
    WORKLOADS = "workloads"
    REPORTS = "reports"
    PRESETS = "presets"


def command(
    group: Annotated[Group | None, typer.Argument(help="List only these.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List engines, protections, workloads, reports and presets.

    What needs a package that is not installed is shown with the command that installs it.
    """
    from ciphermark.cli.output import print_json
    from ciphermark.cli.plugin_list import list_plugins
    from ciphermark.cli.views import print_plugins

    rows = list_plugins([group.value.removesuffix("s")] if group else None)
    if json_output:
        print_json([row.to_json() for row in rows])
    else:
        print_plugins(rows)
