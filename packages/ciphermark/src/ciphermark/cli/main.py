"""The entry point: the table of commands, and the options that stand before a command."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.main import get_command

from ciphermark import __version__
from ciphermark.cli.lazy import LazyGroup

__all__ = ["app", "main"]

app = typer.Typer(
    name="ciphermark",
    cls=LazyGroup,
    help="Measures what encrypting a database costs, and proves that it was encrypted.",
    epilog="Without a plan, `ciphermark run` measures the embedded engine in about two minutes.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help starts in half the time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ciphermark {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="On an error, show where in the program it arose.")
    ] = False,
) -> None:
    """Measures what encrypting a database costs, and proves that it was encrypted."""


def main(arguments: list[str] | None = None) -> None:
    """Runs a command line, that of the process by default, and exits with its code."""
    get_command(app).main(args=arguments, prog_name="ciphermark")
