"""Charts of one point with a curve for each arm: latency, and throughput over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from ciphermark.report import numbers
from ciphermark.report.canvas import Chart, Legend, log_ticks, padded
from ciphermark.report.curves import Curve, Frame, Place, spec_of
from ciphermark.report.view import View
from ciphermark.results.document import LatencySummary
from ciphermark.results.points import PointKey

__all__ = ["latency_chart", "series_chart"]

SERIES_POINTS_MAX = 120


def latency_chart(view: View, key: PointKey, legend: dict[str, Legend]) -> Chart | None:
    """Latency by percentile, the rare and slow to the right: each tick is a tenth of the last."""
    found = [
        (entry, one)
        for arm, entry in legend.items()
        if (one := view.latency(key, arm)) is not None and one.count > 1 and one.max > 0
    ]
    if not found:
        return None
    curves = [_latency_curve(entry, one) for entry, one in found]
    values = [y for curve in curves for _, y in curve.places]
    low, high = min(values) / 1.15, max(values) * 1.15
    frame = Frame(
        x_domain=(0.0, max(curve.places[-1][0] for curve in curves) + 0.1),
        y_domain=(low, high),
        x_axis={
            "values": [math.log10(2), 1, 2, 3, 4, 5, 6],
            "labelExpr": "datum.value < 0.5 ? 'p50' : "
            "datum.value == 1 ? 'p90' : datum.value == 2 ? 'p99' : "
            "'p99.' + slice('9999', 0, datum.value - 2)",
            "title": "share of transactions that are faster",
        },
        y_axis={"values": log_ticks(low, high), "format": ",~r"},
        y_log=True,
    )
    return Chart(
        key=f"latency-{view.keys.index(key)}",
        title=key.title,
        unit="latency, ms, logarithmic",
        description="Latency in ms: "
        + "; ".join(
            f"{entry.label}: p50 {numbers.figure(one.p50)}, p95 {numbers.figure(one.p95)}, "
            f"p99 {numbers.figure(one.p99)}, longest {numbers.figure(one.max)}"
            for entry, one in found
        ),
        spec=spec_of(curves, frame),
    )


def _latency_curve(entry: Legend, one: LatencySummary) -> Curve:
    """The curve from the bins' upper edges, where the cumulative count is exact.

    The edge of the bin that holds the longest lies above it, so edges are cut at the longest.
    """
    total = sum(count for _, count in one.histogram)
    below = accumulate(count for _, count in one.histogram)
    last = (_nines(1 - 1 / max(one.count, 2)), one.max)
    edges = [
        (_nines(done / total), min(edge, one.max))
        for (edge, count), done in zip(one.histogram, below, strict=True)
        if count and done < total and edge > 0
    ]
    marks = [
        (_nines(share), value)
        for share, value in ((0.5, one.p50), (0.9, one.p90), (0.99, one.p99), (0.999, one.p999))
        if value > 0 and one.count * (1 - share) >= 1
    ]
    places = sorted(place for place in (*edges, *marks) if place[0] < last[0])
    return Curve(entry, (*places, last), (*marks, last))


def _nines(share: float) -> float:
    """0.9 is 1, 0.99 is 2: every further nine is one step."""
    return -math.log10(1 - share)


def series_chart(view: View, key: PointKey, legend: dict[str, Legend]) -> Chart | None:
    """Throughput of each arm, batch by batch."""
    point = view.point(key)
    if point is None:
        return None
    curves = []
    for arm, entry in legend.items():
        places = [(one.elapsed_s, one.tps) for one in point.series if one.arm == arm]
        if len(places) > 1:
            curves.append(Curve(entry, tuple(_thinned(places))))
    if not curves:
        return None
    times = [x for curve in curves for x, _ in curve.places]
    rates = [y for curve in curves for _, y in curve.places]
    frame = Frame(
        x_domain=(min(times), max(times)),
        y_domain=padded(rates, zero=min(rates) < 0.4 * max(rates)),
        x_axis={"tickCount": 5, "title": "seconds since the start of the run"},
        y_axis={"tickCount": 5, "format": ",~r"},
    )
    return Chart(
        key=f"series-{view.keys.index(key)}",
        title=key.title,
        unit="throughput, transactions/s, by batch",
        description="Throughput over time in transactions/s: "
        + "; ".join(
            f"{curve.entry.label}: {numbers.figure(min(y for _, y in curve.places))} to "
            f"{numbers.figure(max(y for _, y in curve.places))}"
            for curve in curves
        ),
        spec=spec_of(curves, frame),
    )


def _thinned(places: Sequence[Place]) -> list[Place]:
    """At most `SERIES_POINTS_MAX` places: the means of neighbours when there are more."""
    step = math.ceil(len(places) / SERIES_POINTS_MAX)
    runs = [places[start : start + step] for start in range(0, len(places), step)]
    return [(run[-1][0], sum(y for _, y in run) / len(run)) for run in runs]
