"""Draws chart specifications as SVG for the page: self-contained, named, readable aloud."""

from __future__ import annotations

import importlib.util
import re
from functools import cache

from markupsafe import Markup, escape

from ciphermark.errors import ReportError
from ciphermark.report.canvas import Chart, Legend

__all__ = ["CHARTS_INSTALL", "can_draw", "draw", "swatch"]

CHARTS_INSTALL = "pip install 'ciphermark[report]'"
REQUIRED = ("altair", "vl_convert")

_OPENING = re.compile(r"<svg[^>]*>")
_SIZE = re.compile(r'viewBox="([^"]+)"')
_NOISE = re.compile(
    r' (?:role|aria-roledescription|aria-hidden|pointer-events|class)="[^"<>]*"'
    r'|<path d="" display="none"/>'
)
_IDENTIFIER = re.compile(r'(id="|url\(#|href="#)')


@cache
def can_draw() -> bool:
    """Whether the packages that draw charts are installed."""
    return all(importlib.util.find_spec(name) is not None for name in REQUIRED)


def draw(chart: Chart) -> Markup:
    """The chart as an SVG element; raises `ReportError` when the specification cannot be drawn."""
    import vl_convert

    try:
        svg: str = vl_convert.vegalite_to_svg(chart.spec, vl_version=_version())
    except ValueError as error:
        raise ReportError(
            f"the chart {chart.key} cannot be drawn: {_first_line(error)}",
            remedy="The tables hold the same figures",
        ) from error
    return Markup(_named(chart, _NOISE.sub("", svg)))  # noqa: S704 - vl-convert escapes texts


def _first_line(error: ValueError) -> str:
    """What the renderer says, without the places in its own source."""
    lines = [line for line in str(error).splitlines() if line.startswith("Error: ")]
    return lines[0].removeprefix("Error: ") if lines else "the renderer gives no reason"


def swatch(entry: Legend) -> Markup:
    """The arm's line and mark, for the legend."""
    colour = entry.style.colour.light
    dash = " ".join(str(length) for length in entry.style.dash)
    mark = _SHAPES[entry.style.shape]
    return Markup(
        '<svg viewBox="0 0 34 14" aria-hidden="true">'
        '<path d="M0,7H34" stroke="{}" stroke-width="2" stroke-dasharray="{}"/>'
        '<path d="{}" fill="{}"/></svg>'
    ).format(colour, "" if dash == "1 0" else dash, mark, colour)


# Centre 17,7; the outlines of Vega's shapes of the same names.
_SHAPES = {
    "circle": "M13,7a4,4 0 1 1 8,0a4,4 0 1 1 -8,0Z",
    "square": "M13.3,3.3h7.4v7.4h-7.4Z",
    "diamond": "M17,2l4,5l-4,5l-4,-5Z",
    "triangle-up": "M17,2.5l4.6,8h-9.2Z",
    "triangle-down": "M17,11.5l4.6,-8h-9.2Z",
    "triangle-right": "M21.5,7l-8,4.6v-9.2Z",
    "triangle-left": "M12.5,7l8,4.6v-9.2Z",
    "cross": "M15.5,2.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
}


def _version() -> str:
    """The newest version of Vega-Lite that the renderer knows."""
    import vl_convert

    versions: list[str] = vl_convert.get_vegalite_versions()
    return max(versions, key=lambda text: [int(part) for part in text.split(".")])


def _named(chart: Chart, svg: str) -> str:
    """With a title and a description instead of roles, and with identifiers of its own."""
    size = _SIZE.search(svg)
    if size is None:
        raise ReportError(f"the chart {chart.key} has no size")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="{size.group(1)}" '
        f'aria-labelledby="{chart.key}-title {chart.key}-text">'
        f'<title id="{chart.key}-title">{escape(f"{chart.title}: {chart.unit}")}</title>'
        f'<desc id="{chart.key}-text">{escape(chart.description)}</desc>'
    )
    body = _OPENING.sub("", svg, count=1)
    return opening + _IDENTIFIER.sub(rf"\g<1>{chart.key}-", body)
