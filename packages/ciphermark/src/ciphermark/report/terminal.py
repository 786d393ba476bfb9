"""The report for a terminal: what is wrong, the verdicts, one table, the proof."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from ciphermark.report import numbers
from ciphermark.report.answer import FORMULA, Answer, VerdictGroup, answer_of
from ciphermark.report.evidence import PROOF_WORDS
from ciphermark.report.readable import shorten
from ciphermark.report.table import Cell, Table
from ciphermark.report.tables import brief_table
from ciphermark.report.view import View
from ciphermark.results.check import Finding, Severity
from ciphermark.results.document import Mode, ResultDocument

__all__ = ["TerminalReporter", "print_report"]

GAP = 3
NAME_MIN = 14
STYLES = {"bad": "bold red", "muted": "dim", "strong": "bold", "": ""}
ALARM_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


@dataclass(frozen=True, slots=True)
class TerminalReporter:
    """The terminal's report as plain text of a fixed width."""

    width: int = 100
    file_name: str = "report.txt"

    def render(self, document: ResultDocument) -> str:
        """The text, without colours."""
        stream = io.StringIO()
        console = Console(
            file=stream, width=self.width, force_terminal=False, color_system=None, highlight=False
        )
        print_report(document, console)
        return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def print_report(document: ResultDocument, console: Console) -> None:
    """Prints the report to a console, with colours when the console has them."""
    view = View(document)
    answer = answer_of(view)
    for part in _parts(view, answer, console.width):
        console.print(part)


def _parts(view: View, answer: Answer, width: int) -> Iterator[RenderableType]:
    experiment = view.document.experiment
    yield Text.assemble(
        ("Ciphermark", "bold"),
        f" {experiment.name}: {experiment.status}, "
        f"{numbers.duration(experiment.measuring_s)} under load, seed {experiment.seed}",
    )
    for alarm in answer.alarms:
        yield _finding(alarm)
    for group in answer.groups:
        yield from _verdicts(group, compact=answer.compact)
    for mode in get_args(Mode):
        table = brief_table(view, mode)
        if table:
            yield Text()
            yield from _table(table, width)
    yield Text()
    yield Text(f"proof: {_proof(view)}")
    yield Text(FORMULA, style="dim")
    for note in answer.notes:
        yield _finding(note)


def _finding(finding: Finding) -> Text:
    label = finding.severity.value.upper()
    return Text(f"{label}: {finding}", style=ALARM_STYLES[finding.severity])


def _verdicts(group: VerdictGroup, *, compact: bool) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble((group.title, "bold"), f", {group.subtitle}")
    for verdict in group.verdicts:
        style = "bold red" if verdict.kind == "invalid" else ""
        yield Padding(Text(verdict.sentence, style=style), (0, 0, 0, 2))
        if verdict.beside and not compact:
            yield Padding(Text("; ".join(verdict.beside), style="dim"), (0, 0, 0, 4))


def _proof(view: View) -> str:
    return (
        "; ".join(
            f"{view.label(arm.name)} {PROOF_WORDS[arm.proof.status]}" for arm in view.document.arms
        )
        or "no arm"
    )


def _table(table: Table, width: int) -> Iterator[Text]:
    """The table line by line; columns that do not fit are left out from the right.

    The first cell of a row that has nothing but a place takes the line up to the column of losses.
    """
    columns = list(range(1, len(table.columns)))
    widths = [
        max(len(column.title), *(len(row[index].text) for row in table.rows if row[1].text))
        for index, column in enumerate(table.columns)
    ]
    while len(columns) > 1 and sum(widths[index] + GAP for index in columns) + NAME_MIN > width:
        columns.pop()
    room = width - sum(widths[index] + GAP for index in columns)
    name_width = max(NAME_MIN, min(room, widths[0]))
    yield Text(table.caption, style="bold")
    yield _line(
        [Cell(column.title, "muted") for column in table.columns], name_width, widths, columns
    )
    for row in table.rows:
        if row[1].text:
            yield _line(list(row), name_width, widths, columns)
        else:
            place, floor = row[0], row[3]
            yield Text.assemble(_text(place), f", {floor.text}" if floor.text else "")


def _line(cells: list[Cell], name_width: int, widths: list[int], columns: list[int]) -> Text:
    line = _text(Cell(shorten(cells[0].text, name_width).ljust(name_width), cells[0].tone))
    for index in columns:
        line.append(" " * GAP)
        line.append_text(_text(Cell(cells[index].text.rjust(widths[index]), cells[index].tone)))
    return line


def _text(cell: Cell) -> Text:
    return Text(cell.text, style=STYLES[cell.tone])
