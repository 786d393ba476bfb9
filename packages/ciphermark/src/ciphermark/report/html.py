"""The report as one HTML page that needs neither network nor script."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from ciphermark.report import numbers
from ciphermark.report.answer import FORMULA, answer_of
from ciphermark.report.evidence import (
    arms_table,
    consistency_table,
    environment_table,
    errors_table,
    proof_table,
    settings_table,
)
from ciphermark.report.tables import (
    costs_table,
    cpu_table,
    latency_table,
    noise_table,
    points_table,
    published_table,
)
from ciphermark.report.view import View
from ciphermark.results.document import ResultDocument

__all__ = ["HTMLReporter", "render"]


@dataclass(frozen=True, slots=True)
class HTMLReporter:
    """One self-contained page."""

    file_name: str = "report.html"

    def render(self, document: ResultDocument) -> str:
        """The page as HTML."""
        return render(document)


def render(document: ResultDocument) -> str:
    """The page for a document."""
    view = View(document)
    template = _environment().get_template("report.html.j2")
    tables = {
        "slices": published_table(view, "slices"),
        "blocks": published_table(view, "blocks"),
        "costs": costs_table(view),
        "latency": latency_table(view),
        "cpu": cpu_table(view),
        "noise": noise_table(view),
        "points": points_table(view),
        "proof": proof_table(view),
        "arms": arms_table(view),
        "settings": settings_table(view),
        "errors": errors_table(view),
        "consistency": consistency_table(view),
        "environment": environment_table(view),
    }
    return template.render(
        document=document,
        view=view,
        answer=answer_of(view),
        tables=tables,
        numbers=numbers,
        formula=FORMULA,
    )


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("ciphermark.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
