"""The help texts, laid out as sysbench lays its own out."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.compat.sysbench.option_list import GENERAL, TESTS, Option, script_options

__all__ = ["general_help", "test_help"]

_HEAD = """\
Usage:
  ciphermark sysbench [options]... [testname] [command]

Commands of the tests: prepare prewarm run cleanup help
"""
_FOOT = """\
See 'ciphermark sysbench <testname> help' for the options of a test.
"""


def general_help() -> str:
    """What --help prints."""
    sections = [f"{group.heading}:\n{_lines(group.options)}" for group in GENERAL]
    tests = "Tests:\n" + "".join(f"  {name}\n" for name in TESTS)
    return "\n".join([_HEAD, *sections, tests, _FOOT])


def test_help(test: str) -> str:
    """What the command help prints for a test."""
    return f"{test} options:\n{_lines(script_options(test))}\n"


def _lines(options: Sequence[Option]) -> str:
    width = max(len(option.usage) for option in options)
    return "".join(_line(option, width) for option in options)


def _line(option: Option, width: int) -> str:
    default = "" if option.default is None else f" [{option.default}]"
    return f"  {option.usage:<{width}} {option.description}{default}\n"
