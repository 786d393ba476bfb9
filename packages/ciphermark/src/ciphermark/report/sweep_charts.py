"""Charts over the number of terminals: cost, throughput, p95 latency and CPU of each arm."""

from __future__ import annotations

import math
from collections.abc import Callable

from ciphermark.report import numbers
from ciphermark.report.canvas import Chart, Legend, log_ticks, padded
from ciphermark.report.curves import Curve, Frame, spec_of
from ciphermark.report.view import Group, View
from ciphermark.results.document import Comparison
from ciphermark.results.points import PointKey

__all__ = ["sweep_charts"]

TERMINALS_SHOWN_MAX = 6

Reader = Callable[[PointKey, str], float | None]


def sweep_charts(view: View, group: Group, legend: dict[str, Legend]) -> list[Chart]:
    """Cost, throughput, p95 latency and CPU against the number of terminals."""
    charts = [_cost(view, group, legend)]
    for name, unit, read in (
        ("throughput", "throughput, transactions/s", _value(view, "throughput")),
        ("p95", "p95 latency, ms, logarithmic", _p95(view)),
        ("cpu", "CPU per transaction, µs", _value(view, "cpu_per_transaction")),
    ):
        curves = _curves(group, legend, read)
        if curves:
            key = f"sweep-{name}-{view.groups.index(group)}"
            charts.append(_absolute(group, curves, key=key, unit=unit, y_log=name == "p95"))
    return [chart for chart in charts if chart is not None]


def _value(view: View, metric: str) -> Reader:
    def read(key: PointKey, arm: str) -> float | None:
        found = view.value(key, arm, metric)
        return found[1] if found else None

    return read


def _p95(view: View) -> Reader:
    def read(key: PointKey, arm: str) -> float | None:
        found = view.latency(key, arm)
        return found.p95 if found else None

    return read


def _curves(group: Group, legend: dict[str, Legend], read: Reader) -> list[Curve]:
    curves = []
    for arm, entry in legend.items():
        places = tuple(
            (float(key.terminals), value)
            for key in group.keys
            if (value := read(key, arm)) is not None and math.isfinite(value) and value > 0
        )
        if len(places) > 1:
            curves.append(Curve(entry, places, places))
    return curves


def _absolute(group: Group, curves: list[Curve], *, key: str, unit: str, y_log: bool) -> Chart:
    values = [y for curve in curves for _, y in curve.places]
    domain = (min(values) / 1.2, max(values) * 1.2) if y_log else padded(values, zero=True)
    return Chart(
        key=key,
        title=group.title,
        unit=unit,
        description=f"{unit}, by terminals: "
        + "; ".join(
            f"{curve.entry.label}: "
            + ", ".join(f"{numbers.figure(y)} at {x:.0f}" for x, y in curve.places)
            for curve in curves
        ),
        spec=spec_of(curves, _frame(group, domain, y_log=y_log)),
    )


def _cost(view: View, group: Group, legend: dict[str, Legend]) -> Chart | None:
    """Cost in throughput with intervals, on the band of the noise floor."""
    curves = [
        _cost_curve(legend[arm], rows)
        for arm in view.compared
        if (rows := _valid(view, group, arm))
    ]
    if not curves:
        return None
    band = [
        {"x": key.terminals, "low": -noise.half_width * 100, "high": noise.half_width * 100}
        for key in group.keys
        if (noise := view.noise(key, "throughput")) is not None
    ]
    ends = [end for curve in curves for _, low, high in curve.intervals for end in (low, high)]
    domain = padded([*ends, *(row["low"] for row in band)], zero=True)
    frame = _frame(group, domain, y_log=False)
    frame.y_axis["labelExpr"] = "datum.label + ' %'"
    return Chart(
        key=f"sweep-cost-{view.groups.index(group)}",
        title=group.title,
        unit="cost in throughput",
        description="Cost in throughput in per cent, by terminals: "
        + "; ".join(
            f"{curve.entry.label}: " + ", ".join(f"{y:.1f} at {x:.0f}" for x, y in curve.places)
            for curve in curves
        ),
        spec=spec_of(curves, frame, band),
    )


def _valid(view: View, group: Group, arm: str) -> list[Comparison]:
    """The comparisons of the sweep that may be shown and have two ends."""
    found = (view.comparison(key, arm, "throughput") for key in group.keys)
    return [one for one in found if one and one.valid and math.isfinite(one.ci_high - one.ci_low)]


def _cost_curve(entry: Legend, rows: list[Comparison]) -> Curve:
    places = tuple((float(one.terminals), one.overhead * 100) for one in rows)
    ends = tuple((float(one.terminals), one.ci_low * 100, one.ci_high * 100) for one in rows)
    return Curve(entry, places, places, ends)


def _frame(group: Group, y_domain: tuple[float, float], *, y_log: bool) -> Frame:
    terminals = [key.terminals for key in group.keys]
    step = math.ceil(len(terminals) / TERMINALS_SHOWN_MAX)
    return Frame(
        x_domain=(terminals[0], terminals[-1]),
        y_domain=y_domain,
        x_axis={"values": terminals[::step], "format": "d", "title": "terminals"},
        y_axis={
            **({"values": log_ticks(*y_domain)} if y_log else {"tickCount": 5}),
            "format": ",~r",
        },
        y_log=y_log,
        x_log=True,
    )
