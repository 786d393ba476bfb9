"""The front end: takes sysbench's arguments, does what they say, exits as sysbench does."""

from __future__ import annotations

import sys

from ciphermark import __version__
from ciphermark.compat.sysbench.command_line import (
    CommandLine,
    UnknownOption,
    UsageError,
    parse,
)
from ciphermark.compat.sysbench.help_text import general_help, test_help
from ciphermark.compat.sysbench.log import Level, Log

__all__ = ["main"]

_FAILURE = 1
_COMMANDS = ("prepare", "prewarm", "run", "cleanup", "help")
_SYSBENCH = "1.0.20"
_LEGACY = ("oltp", "oltp_complex", "oltp_simple")


def main(arguments: list[str]) -> int:
    """Carries a sysbench command line out and returns the exit code.

    0 is success, 1 a usage error or a failed run, 2 a forced shutdown or threads that did not
    start in time.
    """
    try:
        line = parse(arguments)
    except UnknownOption as error:
        _print_banner(Log())
        return _refuse(error)
    except UsageError as error:
        return _refuse(error)
    for remark in line.remarks:
        print(remark, file=sys.stderr)
    for warning in line.warnings:
        print(warning)
    if line.settings.flag("help"):
        print(general_help())
        return 0
    if line.settings.flag("version"):
        print(f"sysbench {_SYSBENCH} (Ciphermark {__version__})")
        return 0
    return _with_log(line)


def _refuse(error: UsageError) -> int:
    print(error, file=sys.stderr)
    return _FAILURE


def _with_log(line: CommandLine) -> int:
    verbosity = Level.DEBUG if line.settings.flag("debug") else line.settings.integer("verbosity")
    if verbosity not in tuple(Level):
        print(f"Invalid value for verbosity: {verbosity}")
        return _FAILURE
    log = Log(verbosity)
    try:
        return _command(line, log)
    except UsageError as error:
        log.fatal(str(error))
        return _FAILURE


def _command(line: CommandLine, log: Log) -> int:
    """Finds out what is wanted, before anything heavy is imported."""
    if not line.test:
        _print_banner(log)
        raise UsageError("a test is missing; --help lists the tests and their commands")
    if not line.known_test:
        _print_banner(log)
        raise UsageError(_unknown_test(line.test))
    if line.command and line.command not in _COMMANDS:
        _print_banner(log)
        print(f"Unknown command: {line.command}", file=sys.stderr)
        return _FAILURE
    if not line.command:
        _print_banner(log)
        raise UsageError(f"Command is required. Supported commands: {', '.join(_COMMANDS)}")
    if line.command == "help":
        _print_banner(log)
        log.notice(test_help(line.test).removesuffix("\n"))
        return 0
    return _carry_out(line, log)


def _unknown_test(test: str) -> str:
    if test in _LEGACY:
        return (
            f"'{test}' is a test of sysbench 0.4 and 0.5, with other statements and other options; "
            "the nearest test of sysbench 1.0 is oltp_read_write, or oltp_read_only"
        )
    return f"Cannot find benchmark '{test}': no such built-in test"


def _carry_out(line: CommandLine, log: Log) -> int:
    """Does what the command says on the database."""
    from ciphermark.compat.sysbench import data_commands, plan
    from ciphermark.compat.sysbench.database import open_database
    from ciphermark.compat.sysbench.run_command import run
    from ciphermark.errors import CiphermarkError

    run_plan = plan.run_plan(line.settings)
    if line.command == "run" and not (run_plan.events or run_plan.time_s):
        log.warning("Both event and time limits are disabled, running an endless test")
    _print_banner(log)
    database = open_database(line.settings)
    try:
        match line.command:
            case "prepare":
                data_commands.prepare(line, database, log)
            case "prewarm":
                data_commands.prewarm(line, database, log)
            case "cleanup":
                data_commands.cleanup(line, database, log)
            case _:
                database.require()
                workload = plan.workload(line)
                data_commands.warn_of_missing_rows(line, database, log)
                return run(run_plan, workload, database, log)
    except CiphermarkError as error:
        log.fatal(str(error))
        return _FAILURE
    return 0


def _print_banner(log: Log) -> None:
    log.notice(f"sysbench {_SYSBENCH} (using Ciphermark {__version__})")
    log.notice()
