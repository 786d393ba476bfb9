"""The report as one HTML page that needs neither network nor script."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ciphermark.errors import ReportError
from ciphermark.report import numbers
from ciphermark.report.answer import FORMULA, answer_of
from ciphermark.report.canvas import Chart
from ciphermark.report.context import context_table
from ciphermark.report.evidence import (
    arms_table,
    consistency_table,
    engine_text,
    environment_table,
    errors_table,
    options_table,
    proof_table,
    settings_table,
)
from ciphermark.report.palette import colours
from ciphermark.report.table import Table
from ciphermark.report.tables import (
    costs_table,
    cpu_table,
    latency_table,
    noise_table,
    points_table,
    published_table,
)
from ciphermark.report.usage import load_table, resources_table
from ciphermark.report.view import View
from ciphermark.results.document import Mode, ResultDocument

__all__ = ["HTMLReporter", "render", "without_secrets"]

_SECRET = re.compile(r"(^|_)(password|passphrase|secret|token|credentials?|key)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HTMLReporter:
    """One self-contained page."""

    file_name: str = "report.html"

    def render(self, document: ResultDocument) -> str:
        """The page as HTML; without charts when the packages that draw them are missing."""
        return render(document)


def render(document: ResultDocument) -> str:
    """The page for a document.

    >>> from ciphermark.results.files import read_result  # doctest: +SKIP
    >>> page = render(read_result(Path("results/demo")))  # doctest: +SKIP
    """
    view = View(document)
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            document=document,
            view=view,
            answer=answer_of(view),
            formula=FORMULA,
            numbers=numbers,
            engines=_engines(view),
            confidence=_confidence(view),
            totals=_totals(view),
            tables=_tables(view),
            context=context_table(),
            plan=json.dumps(without_secrets(document.experiment.plan), indent=2, default=str),
            colours=colours(),
            **_charts(view),
        )
    )


def without_secrets(value: object) -> object:
    """The plan without the values of keys that are named like a secret.

    A plan holds no secret, only paths of key files; this is the second lock on the same door.
    """
    if isinstance(value, Mapping):
        return {
            str(name): "(not shown)"
            if _SECRET.search(str(name)) and isinstance(inner, str)
            else without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(inner) for inner in value]
    return value


def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("ciphermark.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["breakable"] = _breakable
    templates.filters["unbroken"] = _unbroken
    return templates


def _unbroken(text: str) -> str:
    """The text with each sign of per cent held to its figure."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _breakable(text: str) -> Markup:
    """The text with places where a line may break, behind each underscore."""
    return Markup("<wbr>").join(re.split(r"(?<=_)", text))


def _charts(view: View) -> dict[str, object]:
    """The chart sections with their images; empty when charts cannot be drawn here."""
    from ciphermark.report.svg import CHARTS_INSTALL, can_draw, swatch

    found: dict[str, object] = {
        "drawn": can_draw(),
        "charts_install": CHARTS_INSTALL,
        "swatch": swatch,
        "sections": (),
        "legend": (),
        "images": {},
    }
    if can_draw():
        from ciphermark.report.charts import chart_sections, used_legend

        sections = chart_sections(view)
        images = {chart.key: _drawn(chart) for section in sections for chart in section.charts}
        found |= {"sections": sections, "legend": used_legend(view), "images": images}
    return found


def _drawn(chart: Chart) -> Markup | str:
    """The image, or words instead: one chart that fails must not cost the whole report."""
    from ciphermark.report.svg import draw

    try:
        return draw(chart)
    except ReportError as error:
        return str(error)


def _tables(view: View) -> dict[str, list[Table]]:
    """The tables by section; those that would be empty are left out."""
    sections = {
        "figures": [
            *(published_table(view, mode) for mode in get_args(Mode)),
            costs_table(view),
            latency_table(view),
            cpu_table(view),
            resources_table(view),
            noise_table(view),
            errors_table(view),
        ],
        "proof": [proof_table(view), consistency_table(view)],
        "method": [points_table(view), load_table(view)],
        "machine": [
            arms_table(view),
            environment_table(view),
            settings_table(view),
            options_table(view),
        ],
    }
    return {
        name: [table for table in tables if table is not None] for name, tables in sections.items()
    }


def _engines(view: View) -> str:
    names = dict.fromkeys(map(engine_text, view.document.arms))
    return ", ".join(names) or "no engine"


def _confidence(view: View) -> str:
    levels = {one.confidence for one in view.document.comparisons} or {0.95}
    return " and ".join(f"{level * 100:g} %" for level in sorted(levels))


def _totals(view: View) -> str:
    """The size of the sample, in words."""
    points = view.document.points
    if not points:
        return ""
    copies = sorted({one.copies for one in view.document.comparisons})
    parts = [
        numbers.plural(len(points), "point"),
        numbers.plural(sum(point.rounds for point in points), "round"),
        numbers.plural(sum(point.batches for point in points), "batch"),
    ]
    if copies:
        span = (
            f"{copies[0]} to {copies[-1]} copies"
            if len(copies) > 1
            else (numbers.plural(copies[0], "copy"))
        )
        parts.append(f"{span} an arm")
    return ", ".join(parts)
