"""What all charts share: size, type, grid, and how an arm is drawn.

A chart is a Vega-Lite specification: data and a description of marks, so that a test can read it.
Its geometry is fixed here rather than computed by the renderer, so that names can be placed at the
ends of their curves without covering each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermark.report.palette import CONTROL, GRID, INK, MUTED, REPEAT, SOLID, Style, style_of
from ciphermark.report.readable import shorten
from ciphermark.report.view import View

__all__ = [
    "WIDTH",
    "Canvas",
    "Chart",
    "Legend",
    "data",
    "legend_of",
    "log_ticks",
    "padded",
    "scales",
    "spread",
]

WIDTH = 400
FONT_SIZE = 12
NAME_LENGTH = 17
LOG_TICKS_MAX = 7


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: `title` and `unit` stand above it, `description` is read aloud instead of it."""

    key: str
    title: str
    unit: str
    description: str
    spec: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Canvas:
    """The inner size of a chart; the rest of its width holds names and figures."""

    left: int
    right: int
    height: int
    top: int = 6
    bottom: int = 40

    @property
    def width(self) -> int:
        """Width of the plot itself."""
        return WIDTH - self.left - self.right

    def finish(self, layers: Sequence[Any]) -> dict[str, Any]:
        """The specification of these layers, drawn on this canvas."""
        import altair

        chart = altair.layer(*layers).properties(
            width=self.width,
            height=self.height,
            padding={
                "left": self.left,
                "right": self.right,
                "top": self.top,
                "bottom": self.bottom,
            },
            autosize=altair.AutoSizeParams(type="none"),
        )
        spec: dict[str, Any] = chart.to_dict()
        spec["config"] = _CONFIG
        return spec


@dataclass(frozen=True, slots=True)
class Legend:
    """One arm's entry in the legend, and its short name in charts."""

    arm: str
    label: str
    short: str
    style: Style


def legend_of(view: View) -> dict[str, Legend]:
    """How each arm is drawn, by name; the control first. Short names are unique."""
    entries: dict[str, Legend] = {}
    taken: set[str] = set()
    for arm in view.shown:
        label = view.label(arm)
        short = shorten(label, NAME_LENGTH)
        if short in taken:
            number = f" {len(taken)}"
            short = shorten(label, NAME_LENGTH - len(number)) + number
        taken.add(short)
        entries[arm] = Legend(arm, label, short, _style(view, arm))
    return entries


def _style(view: View, arm: str) -> Style:
    if arm == view.control:
        return CONTROL
    return REPEAT if arm in view.repeats else style_of(view.compared.index(arm))


def scales(legend: Iterable[Legend]) -> dict[str, Any]:
    """Altair scales from short names to colour, shape and dash, without Vega's own legend."""
    import altair

    entries = list(legend)
    domain = [entry.short for entry in entries]

    def scale(values: list[Any]) -> Any:
        return altair.Scale(domain=domain, range=values)

    return {
        "color": altair.Color(
            "arm:N", scale=scale([entry.style.colour.light for entry in entries]), legend=None
        ),
        "shape": altair.Shape(
            "arm:N", scale=scale([entry.style.shape for entry in entries]), legend=None
        ),
        "strokeDash": altair.StrokeDash(
            "arm:N", scale=scale([list(entry.style.dash) for entry in entries]), legend=None
        ),
    }


def data(rows: Sequence[Mapping[str, object]]) -> Any:
    """Rows as inline data of a specification."""
    import altair

    return altair.InlineData(values=[dict(row) for row in rows])


def spread(positions: Sequence[float], gap: float, limit: float) -> list[float]:
    """The positions, moved apart as little as need be: `gap` between neighbours, 0 to `limit`.

    The order is kept. When they cannot all have their gap, they share the space evenly.
    """
    count = len(positions)
    if count > 1:
        gap = min(gap, limit / (count - 1))
    order = sorted(range(count), key=lambda index: positions[index])
    placed = [0.0] * count
    floor = 0.0
    for index in order:
        floor = max(floor, positions[index])
        placed[index] = floor
        floor += gap
    ceiling = limit
    for index in reversed(order):
        ceiling = min(ceiling, placed[index])
        placed[index] = ceiling
        ceiling -= gap
    return placed


def padded(values: Iterable[float], *, zero: bool) -> tuple[float, float]:
    """A domain that holds the finite values with a little room; from zero on when asked."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return (low if zero and low == 0 else low - room), high + room


def log_ticks(low: float, high: float) -> list[float]:
    """Round values between the two, a handful: 1, 2, 5 of each power of ten, or fewer."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**power for power in powers for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= LOG_TICKS_MAX:
            return inside
    return inside[:: math.ceil(len(inside) / LOG_TICKS_MAX)]


_CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "font": "'Segoe UI', 'Liberation Sans', Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": GRID.light,
        "gridDash": list(SOLID),
        "labelColor": MUTED.light,
        "labelFontSize": FONT_SIZE - 1,
        "labelPadding": 6,
        "titleColor": MUTED.light,
        "titleFontSize": FONT_SIZE - 1,
        "titleFontWeight": "normal",
        "titlePadding": 6,
    },
    "text": {"fontSize": FONT_SIZE, "color": INK.light},
}
