"""The group of commands, which imports a command when it is used and reports errors in words.

The list of commands with its one-liners is a table, so that `--help` imports none of them: NumPy,
Pydantic and Rich alone would take longer to load than the help takes to read.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ciphermark.cli.exit_codes import ExitCode, exit_code_of
from ciphermark.cli.output import print_error
from ciphermark.errors import CiphermarkError

__all__ = ["COMMANDS", "Entry", "LazyGroup"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What `--help` says of a command, and the "module:attribute" path of its function."""

    summary: str
    function: str


COMMANDS = {
    "run": Entry(
        "Run an experiment and write its report.",
        "ciphermark.cli.commands.run:command",
    ),
    "plan": Entry(
        "Show what a plan would do, without doing it.",
        "ciphermark.cli.commands.plan:command",
    ),
    "init": Entry(
        "Write a plan to start from.",
        "ciphermark.cli.commands.init:command",
    ),
    "validate": Entry(
        "Check a plan and show everything that is wrong with it.",
        "ciphermark.cli.commands.validate:command",
    ),
    "schema": Entry(
        "Print the JSON Schema of plans or of results.",
        "ciphermark.cli.commands.schema:command",
    ),
    "doctor": Entry(
        "Check this machine, and whether engines can be used on it.",
        "ciphermark.cli.commands.doctor:command",
    ),
    "list": Entry(
        "List engines, protections, workloads, reports and presets.",
        "ciphermark.cli.commands.list:command",
    ),
    "prepare": Entry(
        "Load the data of a plan and stop before measuring.",
        "ciphermark.cli.commands.prepare:command",
    ),
    "cleanup": Entry(
        "Remove the data and keys that a run left, and nothing else.",
        "ciphermark.cli.commands.cleanup:command",
    ),
    "check": Entry(
        "Say whether a result can be trusted.",
        "ciphermark.cli.commands.check:command",
    ),
    "compare": Entry(
        "Compare two results, with a gate for CI.",
        "ciphermark.cli.commands.compare:command",
    ),
    "report": Entry(
        "Make a report from a result.",
        "ciphermark.cli.commands.report:command",
    ),
    "export": Entry(
        "Write the figures of a result for other programs.",
        "ciphermark.cli.commands.export:command",
    ),
    "sysbench": Entry(
        "Take a sysbench command line.",
        "ciphermark.cli.commands.sysbench:command",
    ),
}

PASSED_THROUGH = frozenset({"sysbench"})
"""Commands whose words are all left to the tool that they stand for."""


class _PassThrough(TyperCommand):
    """A command that reads none of its words itself, `--help` included."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keeps the words as they are."""
        ctx.args = list(args)
        return list(args)


class LazyGroup(TyperGroup):
    """Shows commands from the table and imports the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name=name, help=entry.summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The command that `args` begins with, imported, and the words behind it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, _load(name) if name in COMMANDS else command, rest

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; an error becomes a message and an exit code, without a traceback."""
        warnings.showwarning = _show_warning
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.TyperException, BrokenPipeError):
            raise
        except CiphermarkError as error:
            raise _reported(error, ctx, exit_code_of(error)) from error
        except Exception as error:
            raise _reported(error, ctx, ExitCode.FAILURE) from error


def _load(name: str) -> TyperCommand:
    from ciphermark.registry import import_object

    function = import_object(COMMANDS[name].function)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=_PassThrough if name in PASSED_THROUGH else None)(function)
    command = get_command(single)
    assert isinstance(command, TyperCommand)
    return command


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning as a message to the user, without the place in the program."""
    print(f"Warning: {message}", file=sys.stderr)


def _reported(error: Exception, ctx: Any, code: ExitCode) -> typer.Exit:
    """Prints the error and returns what ends the command."""
    if ctx.params.get("debug"):
        traceback.print_exception(error)
    print_error(error)
    return typer.Exit(code)
