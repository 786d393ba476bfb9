"""The exit codes of all commands but those that stand for another tool."""

from __future__ import annotations

from enum import IntEnum

from ciphermark.errors import (
    CiphermarkError,
    GateError,
    PlanError,
    UnstableMeasurement,
    UnsupportedCapability,
)

__all__ = ["ExitCode", "exit_code_of"]


class ExitCode(IntEnum):
    """What a script can tell from the code."""

    DONE = 0
    FAILURE = 1
    USAGE = 2
    """A wrong command line, or a plan that cannot be carried out."""
    GATE = 3
    """A condition of `compare --fail-if` is met."""
    INVALID = 4
    """The result is invalid, or too unstable for a verdict."""
    INTERRUPTED = 130


def exit_code_of(error: CiphermarkError) -> ExitCode:
    """The code of a command that ended with `error`."""
    if isinstance(error, (PlanError, GateError, UnsupportedCapability)):
        return ExitCode.USAGE
    if isinstance(error, UnstableMeasurement):
        return ExitCode.INVALID
    return ExitCode.FAILURE
