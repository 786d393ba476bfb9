"""The report for pull requests and issues: short, complete, and folded where it is long."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from ciphermark.report import numbers
from ciphermark.report.answer import FORMULA, Answer, VerdictGroup, answer_of
from ciphermark.report.evidence import (
    arms_table,
    consistency_table,
    environment_table,
    errors_table,
    proof_table,
)
from ciphermark.report.table import Table
from ciphermark.report.tables import costs_table, latency_table, noise_table, published_table
from ciphermark.report.view import View
from ciphermark.results.check import Finding, Severity
from ciphermark.results.document import Mode, ResultDocument

__all__ = ["MarkdownReporter", "escape"]

_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK_START = re.compile(r"^(?=[-+#=])|^(\d+)(?=[.)](?:\s|$))")
_MENTION = re.compile(r"@(?=\w)")


@dataclass(frozen=True, slots=True)
class MarkdownReporter:
    """GitHub-flavoured Markdown."""

    file_name: str = "report.md"

    def render(self, document: ResultDocument) -> str:
        """The report as Markdown."""
        view = View(document)
        return "\n".join(_lines(view, answer_of(view))).rstrip("\n") + "\n"


def escape(text: str) -> str:
    """The text so that Markdown and HTML take it for nothing but text, on one line."""
    line = html.escape(" ".join(text.split()), quote=False)
    line = _SPECIAL.sub(r"\\\g<0>", line)
    line = _BLOCK_START.sub(r"\1\\", line)
    return _MENTION.sub("@<!-- -->", line)


def _lines(view: View, answer: Answer) -> Iterator[str]:
    experiment = view.document.experiment
    yield f"# What encryption costs: {escape(experiment.name)}"
    yield ""
    yield (
        f"{numbers.moment(experiment.started)}, {experiment.status}, "
        f"{numbers.duration(experiment.measuring_s)} under load, seed {experiment.seed}"
    )
    yield ""
    yield from _findings(answer.alarms)
    for group in answer.groups:
        yield from _verdicts(group, compact=answer.compact)
    yield FORMULA + "."
    yield ""
    for mode in get_args(Mode):
        yield from _open(published_table(view, mode))
    yield from _open(proof_table(view))
    for table in (
        costs_table(view),
        latency_table(view),
        noise_table(view),
        arms_table(view),
        errors_table(view),
        consistency_table(view),
        environment_table(view),
    ):
        yield from _folded(table)
    yield from _findings(answer.notes)


def _findings(findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        word = (
            "**Invalid**"
            if finding.severity is Severity.ERROR
            else (f"**{finding.severity.value.capitalize()}**")
        )
        yield f"> {word}: {escape(str(finding))}"
        yield ">"
    if findings:
        yield ""


def _verdicts(group: VerdictGroup, *, compact: bool) -> Iterator[str]:
    yield f"**{escape(group.title)}**, {escape(group.subtitle)}"
    yield ""
    for verdict in group.verdicts:
        yield f"- {escape(verdict.sentence)}"
        if verdict.beside and not compact:
            yield f"  <br>{escape('; '.join(verdict.beside))}"
    yield ""


def _open(table: Table | None) -> Iterator[str]:
    if table:
        yield f"### {escape(table.caption)}"
        yield ""
        yield from _rows(table)


def _folded(table: Table | None) -> Iterator[str]:
    if table:
        yield f"<details><summary>{html.escape(table.caption)}</summary>"
        yield ""
        yield from _rows(table)
        yield "</details>"
        yield ""


def _rows(table: Table) -> Iterator[str]:
    titles = [
        escape(f"{column.group}: {column.title}" if column.group else column.title)
        for column in table.columns
    ]
    yield _row(titles)
    yield _row(["---:" if column.number else "---" for column in table.columns])
    for row in table.rows:
        yield _row([escape(cell.text) for cell in row])
    yield ""
    if table.note:
        yield escape(table.note)
        yield ""


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
