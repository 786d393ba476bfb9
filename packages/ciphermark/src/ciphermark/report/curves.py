"""How charts with a curve for each arm are drawn: scales, marks, names at the ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ciphermark.report.canvas import Canvas, Legend, data, scales, spread
from ciphermark.report.palette import BAND, MUTED

__all__ = ["Curve", "Frame", "Place", "spec_of"]

CANVAS = Canvas(left=52, right=118, height=210)
LABEL_GAP = 14

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """One arm's curve; `marks` are the places drawn with the arm's shape.

    An interval is a place on the x axis with its two ends.
    """

    entry: Legend
    places: tuple[Place, ...]
    marks: tuple[Place, ...] = ()
    intervals: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """Both scales and axes of a chart with curves."""

    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    x_axis: dict[str, Any]
    y_axis: dict[str, Any]
    y_log: bool = False
    x_log: bool = False

    def height_of(self, value: float) -> float:
        """Pixels from the top of the plot."""
        low, high = self.y_domain
        if self.y_log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return CANVAS.height * (1 - (value - low) / (high - low))


def spec_of(
    curves: Sequence[Curve], frame: Frame, band: list[dict[str, float]] | None = None
) -> dict[str, Any]:
    import altair as alt

    styles = scales([curve.entry for curve in curves])
    x_scale = alt.Scale(type=_scale_type(frame.x_log), domain=list(frame.x_domain), nice=False)
    y_scale = alt.Scale(type=_scale_type(frame.y_log), domain=list(frame.y_domain), nice=False)
    x = alt.X("x:Q", scale=x_scale, axis=alt.Axis(grid=False, **frame.x_axis))
    y_axis = alt.Axis(title=None, **frame.y_axis)
    y = alt.Y("y:Q", scale=y_scale, axis=y_axis)

    def chart(rows: list[dict[str, Any]]) -> Any:
        return alt.Chart(data(rows))

    layers = []
    if band is not None:
        low = alt.Y("low:Q", scale=y_scale, axis=y_axis)
        layers = [
            chart(list(band)).mark_area(color=BAND.light).encode(x=x, y=low, y2="high:Q"),
            chart([{}]).mark_rule(color=MUTED.light).encode(y=alt.YDatum(0, scale=y_scale)),
        ]
    layers.append(
        chart(_rows(curves, lambda curve: curve.places))
        .mark_line(strokeWidth=1.8)
        .encode(x=x, y=y, color=styles["color"], strokeDash=styles["strokeDash"])
    )
    if any(curve.intervals for curve in curves):
        low = alt.Y("low:Q", scale=y_scale, axis=y_axis)
        rows = [
            {"arm": curve.entry.short, "x": at, "low": low_end, "high": high_end}
            for curve in curves
            for at, low_end, high_end in curve.intervals
        ]
        layers.append(
            chart(rows)
            .mark_rule(strokeWidth=1.2)
            .encode(x=x, y=low, y2="high:Q", color=styles["color"])
        )
    marks = _rows(curves, lambda curve: curve.marks)
    if marks:
        layers.append(
            chart(marks)
            .mark_point(filled=True, size=36, opacity=1)
            .encode(x=x, y=y, color=styles["color"], shape=styles["shape"])
        )
    layers.append(
        chart(_labels(curves, frame))
        .mark_text(align="left", dx=8, baseline="middle")
        .encode(
            x=alt.value(CANVAS.width),
            y=alt.Y("height:Q", scale=None),
            text="arm:N",
            color=styles["color"],
        )
    )
    return CANVAS.finish(layers)


def _scale_type(log: bool) -> Literal["log", "linear"]:
    return "log" if log else "linear"


def _rows(
    curves: Sequence[Curve], places: Callable[[Curve], Sequence[Place]]
) -> list[dict[str, Any]]:
    return [
        {"arm": curve.entry.short, "x": x, "y": y} for curve in curves for x, y in places(curve)
    ]


def _labels(curves: Sequence[Curve], frame: Frame) -> list[dict[str, Any]]:
    """The names at the right ends of the curves, moved apart where they would overlap."""
    heights = [frame.height_of(curve.places[-1][1]) for curve in curves]
    placed = spread(heights, LABEL_GAP, CANVAS.height)
    return [
        {"arm": curve.entry.short, "height": height}
        for curve, height in zip(curves, placed, strict=True)
    ]
