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
    """The specification of these curves, on a grey band where one is given.

    Rows of the band have the keys `x`, `low` and `high`.
    """
    pen = _Pen(curves, frame)
    layers = [
        *(pen.band(band) if band else []),
        pen.lines(),
        pen.intervals(),
        pen.marks(),
        pen.names(),
    ]
    return CANVAS.finish([layer for layer in layers if layer is not None])


class _Pen:
    """Draws the layers of a chart, all on the same scales."""

    def __init__(self, curves: Sequence[Curve], frame: Frame) -> None:
        import altair as alt

        self.curves = curves
        self.frame = frame
        self.styles = scales([curve.entry for curve in curves])
        x_scale = alt.Scale(type=_scale_type(frame.x_log), domain=list(frame.x_domain), nice=False)
        self.x = alt.X("x:Q", scale=x_scale, axis=alt.Axis(grid=False, **frame.x_axis))
        self.y_scale = alt.Scale(
            type=_scale_type(frame.y_log), domain=list(frame.y_domain), nice=False
        )

    def y(self, field: str) -> Any:
        """The y position of a field."""
        import altair as alt

        axis = alt.Axis(title=None, **self.frame.y_axis)
        return alt.Y(f"{field}:Q", scale=self.y_scale, axis=axis)

    def band(self, rows: list[dict[str, float]]) -> list[Any]:
        """The noise floor, and a line at zero."""
        import altair as alt

        area = _chart(rows).mark_area(color=BAND.light)
        zero = _chart([{}]).mark_rule(color=MUTED.light)
        return [
            area.encode(x=self.x, y=self.y("low"), y2="high:Q"),
            zero.encode(y=alt.YDatum(0, scale=self.y_scale)),
        ]

    def lines(self) -> Any:
        """The curves themselves."""
        rows = _rows(self.curves, lambda curve: curve.places)
        return (
            _chart(rows)
            .mark_line(strokeWidth=1.8)
            .encode(
                x=self.x,
                y=self.y("y"),
                color=self.styles["color"],
                strokeDash=self.styles["strokeDash"],
            )
        )

    def intervals(self) -> Any | None:
        """The intervals at the marks, where there are any."""
        rows = [
            {"arm": curve.entry.short, "x": at, "low": low, "high": high}
            for curve in self.curves
            for at, low, high in curve.intervals
        ]
        if not rows:
            return None
        rules = _chart(rows).mark_rule(strokeWidth=1.2)
        return rules.encode(x=self.x, y=self.y("low"), y2="high:Q", color=self.styles["color"])

    def marks(self) -> Any | None:
        """The arms' shapes at the places that were measured, where there are any."""
        rows = _rows(self.curves, lambda curve: curve.marks)
        if not rows:
            return None
        return (
            _chart(rows)
            .mark_point(filled=True, size=36, opacity=1)
            .encode(x=self.x, y=self.y("y"), color=self.styles["color"], shape=self.styles["shape"])
        )

    def names(self) -> Any:
        """The arms' names at the right ends of their curves."""
        import altair as alt

        return (
            _chart(_labels(self.curves, self.frame))
            .mark_text(align="left", dx=8, baseline="middle")
            .encode(
                x=alt.value(CANVAS.width),
                y=alt.Y("height:Q", scale=None),
                text="arm:N",
                color=self.styles["color"],
            )
        )


def _chart(rows: Sequence[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(data(rows))


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
