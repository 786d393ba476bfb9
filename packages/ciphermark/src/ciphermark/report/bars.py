"""Charts with a row for each arm: the cost with its interval, and CPU per transaction."""

from __future__ import annotations

import math
from typing import Any

from ciphermark.report import numbers
from ciphermark.report.canvas import Canvas, Chart, Legend, data, padded, scales
from ciphermark.report.palette import BAND, INK, MUTED
from ciphermark.report.view import View
from ciphermark.results.document import Comparison
from ciphermark.results.points import PointKey

__all__ = ["cost_chart", "cost_domain", "cpu_chart"]

COST_ROW_HEIGHT = 28
CPU_ROW_HEIGHT = 38
LEFT_MAX = 118
CHARACTER_WIDTH = 6


def cost_domain(view: View, keys: tuple[PointKey, ...]) -> tuple[float, float]:
    """The per cent that all cost charts of these points span, so that they can be compared."""
    wanted = set(keys)
    ends = [0.0]
    for key in wanted:
        noise = view.noise(key, view.leading(key))
        ends += [noise.half_width * 100, -noise.half_width * 100] if noise else []
        for arm in view.compared:
            one = view.comparison(key, arm, view.leading(key))
            if one and one.valid:
                ends += [one.ci_low * 100, one.ci_high * 100, one.overhead * 100]
    return padded(ends, zero=True)


def cost_chart(
    view: View, key: PointKey, legend: dict[str, Legend], domain: tuple[float, float]
) -> Chart | None:
    """Cost of each arm with its interval, on the band of the noise floor.

    In throughput, at a fixed rate in mean latency.
    """
    metric = view.leading(key)
    found = [
        (legend[arm], one)
        for arm in view.compared
        if (one := view.comparison(key, arm, metric)) is not None
    ]
    if not found:
        return None
    noise = view.noise(key, metric)
    noun = "throughput" if metric == "throughput" else "mean latency"
    half_width = noise.half_width * 100 if noise else 0.0
    rows = [_cost_row(entry, one, domain) for entry, one in found]
    return Chart(
        key=f"cost-{view.keys.index(key)}",
        title=key.title,
        unit=f"cost in {noun}, {view.sample(found[0][1])}",
        description=f"Cost in {noun}: "
        + "; ".join(f"{entry.label}: {_cost_text(one)}" for entry, one in found)
        + (f". Noise floor {numbers.plus_minus(noise.half_width)}" if noise else ""),
        spec=_cost_spec(rows, [entry for entry, _ in found], domain, half_width),
    )


def _cost_text(one: Comparison) -> str:
    return numbers.cost(one.overhead, one.ci_low, one.ci_high) if one.valid else "invalid"


def _cost_row(entry: Legend, one: Comparison, domain: tuple[float, float]) -> dict[str, object]:
    """One row of data; an interval that leaves the chart is cut at its edge."""

    def inside(share: float) -> float | None:
        if math.isnan(share) or not one.valid:
            return None
        return min(max(share * 100, domain[0]), domain[1])

    return {
        "arm": entry.short,
        "cost": inside(one.overhead),
        "low": inside(one.ci_low),
        "high": inside(one.ci_high),
        "text": _cost_text(one),
    }


def _cost_spec(
    rows: list[dict[str, object]],
    entries: list[Legend],
    domain: tuple[float, float],
    half_width: float,
) -> dict[str, Any]:
    import altair as alt

    canvas = _canvas(entries, COST_ROW_HEIGHT)
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = alt.Axis(tickCount=4, labelExpr="datum.label + ' %'", title=None)
    styles = scales(entries)
    y = _name_position(entries)
    x = alt.X("cost:Q", scale=scale, axis=axis)
    base = alt.Chart(data(rows)).encode(y=y)
    reach = min(half_width, max(abs(domain[0]), abs(domain[1])))
    band = alt.Chart(data([{"low": max(-reach, domain[0]), "high": min(reach, domain[1])}]))
    return canvas.finish(
        [
            band.mark_rect(color=BAND.light).encode(
                x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
            ),
            band.mark_rule(color=MUTED.light).encode(x=alt.XDatum(0, scale=scale, axis=axis)),
            base.mark_rule(strokeWidth=2).encode(
                x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", color=styles["color"]
            ),
            base.mark_point(filled=True, size=70, opacity=1).encode(
                x=x, color=styles["color"], shape=styles["shape"]
            ),
            base.mark_text(align="left", dx=10, color=INK.light).encode(
                x=alt.value(canvas.width), text="text:N"
            ),
        ]
    )


def cpu_chart(view: View, key: PointKey, legend: dict[str, Legend]) -> Chart | None:
    """CPU per transaction of each arm; whiskers are the interval of its ratio to the control."""
    found = [
        (legend[arm], one)
        for arm in view.compared
        if (one := view.cpu(key, arm)) is not None and one.valid
    ]
    if not found:
        return None
    unit = found[0][1].unit
    control = legend[view.control]
    value = found[0][1].control_value
    rows: list[dict[str, object]] = [
        {
            "arm": control.short,
            "cpu": value,
            "text": f"{numbers.figure(value)} {unit}",
            "change": "",
        }
    ]
    rows += [_cpu_row(entry, one) for entry, one in found]
    return Chart(
        key=f"cpu-{view.keys.index(key)}",
        title=key.title,
        unit=f"{unit} of CPU per transaction, {view.sample(found[0][1])}",
        description=f"CPU per transaction: {control.label}: {rows[0]['text']}; "
        + "; ".join(
            f"{entry.label}: {numbers.figure(one.arm_value)} {unit}, {_cost_text(one)} more"
            for entry, one in found
        ),
        spec=_cpu_spec(rows, [control, *(entry for entry, _ in found)]),
    )


def _cpu_row(entry: Legend, one: Comparison) -> dict[str, object]:
    def absolute(share: float) -> float | None:
        return one.control_value * (1 + share) if math.isfinite(share) else None

    return {
        "arm": entry.short,
        "cpu": one.arm_value,
        "low": absolute(one.ci_low),
        "high": absolute(one.ci_high),
        "text": f"{numbers.figure(one.arm_value)} {one.unit}",
        "change": numbers.cost(one.overhead, one.ci_low, one.ci_high, signed=True),
    }


def _cpu_spec(rows: list[dict[str, object]], entries: list[Legend]) -> dict[str, Any]:
    import altair as alt

    canvas = _canvas(entries, CPU_ROW_HEIGHT)
    ends = [row.get(name) for row in rows for name in ("cpu", "high")]
    domain = padded([end for end in ends if isinstance(end, float | int)], zero=True)
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = alt.Axis(tickCount=4, title=None)
    styles = scales(entries)
    base = alt.Chart(data(rows)).encode(y=_name_position(entries))
    x = alt.X("cpu:Q", scale=scale, axis=axis)
    return canvas.finish(
        [
            base.mark_bar(size=10).encode(x=x, color=styles["color"]),
            base.mark_rule(color=INK.light, strokeWidth=1.5).encode(
                x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
            ),
            base.mark_text(align="left", dx=10, dy=-7, color=INK.light).encode(
                x=alt.value(canvas.width), text="text:N"
            ),
            base.mark_text(align="left", dx=10, dy=7, color=MUTED.light).encode(
                x=alt.value(canvas.width), text="change:N"
            ),
        ]
    )


def _canvas(entries: list[Legend], row_height: int) -> Canvas:
    """Room at the left for the longest name, at the right for the figures."""
    longest = max(len(entry.short) for entry in entries)
    left = min(LEFT_MAX, 22 + CHARACTER_WIDTH * longest)
    return Canvas(left=left, right=158, height=row_height * len(entries), bottom=24)


def _name_position(entries: list[Legend]) -> Any:
    """The rows, in the order of the entries, named at the left."""
    import altair as alt

    axis = alt.Axis(
        grid=False,
        labelColor=INK.light,
        labelFontSize=12,
        labelLimit=0,  # the renderer may cut a letter in two and fail
        labelPadding=8,
    )
    scale = alt.Scale(domain=[entry.short for entry in entries])
    return alt.Y("arm:N", scale=scale, sort=None, title=None, axis=axis)
