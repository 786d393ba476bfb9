"""The built-in reporters, as the registry finds them."""

from __future__ import annotations

from ciphermark.registry import Plugin

__all__ = ["CSV", "HTML", "JSON", "MARKDOWN", "TERMINAL"]

TERMINAL = Plugin(
    name="terminal",
    description="verdicts and one table for the terminal",
    factory="ciphermark.report.terminal:TerminalReporter",
)
HTML = Plugin(
    name="html",
    description="one self-contained page with charts, tables, proof and method",
    factory="ciphermark.report.html:HTMLReporter",
)
MARKDOWN = Plugin(
    name="markdown",
    description="a summary for pull requests and issues",
    factory="ciphermark.report.markdown:MarkdownReporter",
)
JSON = Plugin(
    name="json",
    description="the whole result document",
    factory="ciphermark.report.data:JSONReporter",
)
CSV = Plugin(
    name="csv",
    description="the comparisons, one a row, units in the column names",
    factory="ciphermark.report.data:CSVReporter",
)
