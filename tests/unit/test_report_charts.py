"""Charts, read as specifications: what is drawn where, and under which name."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import sample_documents

from ciphermark.report.canvas import (
    Chart,
    Legend,
    data,
    legend_of,
    log_ticks,
    padded,
    scales,
    spread,
)
from ciphermark.report.charts import OPEN_MAX, ChartSection, chart_sections, used_legend
from ciphermark.report.palette import STYLES, colours
from ciphermark.report.view import View
from ciphermark.results.document import ResultDocument, SeriesPoint


def sections_of(document: ResultDocument) -> dict[str, ChartSection]:
    return {section.key: section for section in chart_sections(View(document))}


def rows(chart: Chart, *fields: str) -> list[dict[str, Any]]:
    """The data of the first layer whose rows have all these fields."""
    for layer in chart.spec["layer"]:
        name = layer.get("data", chart.spec.get("data", {})).get("name")
        values: list[dict[str, Any]] = chart.spec["datasets"].get(name, [])
        if values and set(fields) <= set(values[0]):
            return values
    raise AssertionError(f"no data with {fields}")


@pytest.fixture(scope="module")
def complete() -> dict[str, ChartSection]:
    return sections_of(sample_documents.complete())


@pytest.fixture(scope="module")
def swept() -> dict[str, ChartSection]:
    return sections_of(sample_documents.sweep())


def test_a_page_has_all_kinds_of_chart(complete: dict[str, ChartSection]) -> None:
    assert list(complete) == ["cost", "latency", "time", "cpu"]
    assert {key: len(section.charts) for key, section in complete.items()} == {
        "cost": 3,
        "latency": 3,
        "time": 3,
        "cpu": 3,
    }


def test_a_chart_has_a_key_of_its_own(swept: dict[str, ChartSection]) -> None:
    keys = [chart.key for section in swept.values() for chart in section.charts]
    assert len(set(keys)) == len(keys)


def test_the_cost_chart_holds_estimate_interval_and_noise_floor(
    complete: dict[str, ChartSection],
) -> None:
    document = sample_documents.complete()
    first = document.comparisons[0]
    chart = complete["cost"].charts[0]
    row = rows(chart, "arm", "cost")[0]
    assert row["arm"] == "TDE chacha20"
    assert row["cost"] == pytest.approx(first.overhead * 100)
    assert (row["low"], row["high"]) == pytest.approx((first.ci_low * 100, first.ci_high * 100))
    floor = document.noise_floor[0].half_width * 100
    assert rows(chart, "low", "high")[0] == {"low": -floor, "high": floor}
    assert chart.unit == "cost in throughput, 24 batches × 6 copies"
    assert "TDE chacha20: 25.82 % (25.46 to 26.18)" in chart.description
    assert "Noise floor ±0.36 %" in chart.description


def test_cost_charts_of_a_page_share_their_scale(complete: dict[str, ChartSection]) -> None:
    domains = {
        str(layer["encoding"]["x"]["scale"]["domain"])
        for chart in complete["cost"].charts
        for layer in chart.spec["layer"]
        if "scale" in layer["encoding"]["x"]
    }
    assert len(domains) == 1


def test_an_invalid_cost_is_named_and_not_drawn() -> None:
    charts = sections_of(sample_documents.invalid())
    row = rows(charts["cost"].charts[0], "arm", "cost")[0]
    assert (row["arm"], row["cost"], row["text"]) == ("TDE chacha20", None, "invalid")
    assert "chacha20" not in str(charts["cpu"].charts[0].spec)


def test_an_interval_without_an_end_stays_inside_the_chart() -> None:
    document = sample_documents.complete()
    first, *others = document.comparisons
    endless = first.model_copy(update={"ci_low": -math.inf, "ci_high": math.inf})
    document = document.model_copy(update={"comparisons": (endless, *others)})
    chart = sections_of(document)["cost"].charts[0]
    row = rows(chart, "arm", "cost")[0]
    domain = chart.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert [row["low"], row["high"]] == domain


def test_the_latency_curve_rises_to_the_longest(complete: dict[str, ChartSection]) -> None:
    one = sample_documents.complete().points[0].latency[0]
    chart = complete["latency"].charts[0]
    curve = [(row["x"], row["y"]) for row in rows(chart, "x", "y") if row["arm"] == "plain"]
    assert curve == sorted(curve)
    assert all(before[1] <= after[1] * 1.001 for before, after in pairwise(curve))
    assert curve[-1] == (pytest.approx(math.log10(one.count)), one.max)
    assert (pytest.approx(math.log10(2)), one.p50) in curve
    assert (pytest.approx(2), one.p99) in curve
    assert chart.spec["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"


def test_an_edge_above_the_longest_does_not_lift_the_curve_over_it() -> None:
    document = sample_documents.complete()
    one = (
        document.points[0]
        .latency[0]
        .model_copy(update={"count": 10, "max": 7.5, "histogram": ((1.0, 8), (8.0, 1), (9.0, 1))})
    )
    points = (document.points[0].model_copy(update={"latency": (one,)}),)
    charts = sections_of(document.model_copy(update={"points": points}))
    curve = rows(charts["latency"].charts[0], "arm", "x", "y")
    assert max(row["y"] for row in curve) == 7.5
    assert curve[-1]["y"] == 7.5
    assert [row["x"] for row in curve] == sorted({row["x"] for row in curve})


def test_throughput_over_time_shows_each_batch(complete: dict[str, ChartSection]) -> None:
    point = sample_documents.complete().points[0]
    found = rows(complete["time"].charts[0], "arm", "x", "y")
    assert len(found) == len(point.series)
    assert {"arm": "plain", "x": point.series[0].elapsed_s, "y": point.series[0].tps} in found


def test_a_long_series_is_thinned_to_means() -> None:
    document = sample_documents.complete()
    series = tuple(
        SeriesPoint(arm="plain", elapsed_s=batch, tps=100 + batch % 2) for batch in range(1080)
    )
    points = (document.points[0].model_copy(update={"series": series}),)
    charts = sections_of(document.model_copy(update={"points": points}))
    found = rows(charts["time"].charts[0], "arm", "x", "y")
    assert len(found) <= 120
    assert found[-1]["x"] == 1079
    assert all(100.3 < row["y"] < 100.7 for row in found)


def test_the_cpu_chart_shows_the_control_and_the_interval(
    complete: dict[str, ChartSection],
) -> None:
    chart = complete["cpu"].charts[0]
    plain, cipher, *_ = rows(chart, "arm", "cpu")
    assert plain == {"arm": "plain", "cpu": 156.7878, "text": "156.8 µs", "change": ""}
    assert cipher["change"] == "+34.90 % (34.76 to 35.04)"
    assert cipher["low"] < cipher["cpu"] < cipher["high"]


def test_a_sweep_is_drawn_over_its_terminals(swept: dict[str, ChartSection]) -> None:
    assert list(swept) == ["sweep", "latency", "time"]
    cost, throughput, p95, cpu = swept["sweep"].charts
    assert [chart.key for chart in (cost, throughput, p95, cpu)] == [
        "sweep-cost-0",
        "sweep-throughput-0",
        "sweep-p95-0",
        "sweep-cpu-0",
    ]
    marks = [row["x"] for row in rows(cost, "arm", "x", "y") if row["arm"] == "TDE aegis"]
    assert marks == [2**step for step in range(11)]
    assert len(rows(cost, "arm", "x", "low", "high")) == 6 * 11
    assert len([row for row in rows(cost, "x", "low", "high") if "arm" not in row]) == 11
    x_axis = cost.spec["layer"][0]["encoding"]["x"]
    assert x_axis["scale"]["type"] == "log"
    assert len(x_axis["axis"]["values"]) <= 6


def test_a_sweep_shows_curves_of_its_ends_and_its_middle(swept: dict[str, ChartSection]) -> None:
    titles = [chart.title for chart in swept["latency"].charts]
    assert [title.split(", ")[1] for title in titles] == [
        "1 terminal",
        "32 terminals",
        "1,024 terminals",
    ]


def test_nothing_measured_is_no_chart() -> None:
    assert chart_sections(View(sample_documents.empty())) == ()


def test_more_than_a_few_charts_are_folded(complete: dict[str, ChartSection]) -> None:
    charts = complete["cost"].charts * 5
    section = ChartSection("cost", "", "", charts)
    assert len(section.shown) == OPEN_MAX
    assert section.shown + section.folded == charts


def test_an_arm_looks_the_same_everywhere() -> None:
    view = View(sample_documents.sweep())
    legend = used_legend(view)
    assert [entry.label for entry in legend][:2] == ["plain", "plain (A/A)"]
    looks = {(entry.style.colour.light, entry.style.shape) for entry in legend}
    assert len(looks) == len(legend)
    scale = scales(legend)["color"].to_dict()["scale"]
    assert scale["domain"] == [entry.short for entry in legend]
    assert scale["range"] == [entry.style.colour.light for entry in legend]


def test_long_names_that_begin_alike_stay_apart() -> None:
    document = sample_documents.complete()
    arms = tuple(
        arm.model_copy(update={"label": "the same long beginning " + arm.name})
        for arm in document.arms
    )
    legend = legend_of(View(document.model_copy(update={"arms": arms})))
    shorts = [entry.short for entry in legend.values()]
    assert len(set(shorts)) == len(shorts)
    assert all(len(short) <= 17 for short in shorts)


def test_neighbouring_names_are_moved_apart_and_keep_their_order() -> None:
    placed = spread([100.0, 101.0, 100.5, 10.0], gap=14, limit=210)
    assert placed[3] == 10.0
    first, second, third = placed[0], placed[2], placed[1]
    assert (second - first, third - second) == (14, 14)
    assert spread([209.0, 210.0], gap=14, limit=210) == [196.0, 210.0]
    crowded = spread([5.0] * 30, gap=14, limit=210)
    assert min(crowded) >= 0
    assert max(crowded) <= 210.0001
    assert spread([], gap=14, limit=210) == []


def test_a_domain_holds_its_values_with_room() -> None:
    assert padded([0.0, 10.0], zero=True) == pytest.approx((0.0, 10.6))
    low, high = padded([5.0, 10.0, math.nan, math.inf], zero=False)
    assert low < 5.0
    assert high > 10.0
    assert padded([-2.0, 4.0], zero=True)[0] < -2.0
    assert padded([7.0], zero=False) == pytest.approx((6.3, 7.7))
    assert padded([], zero=True) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.08, 2.3, [0.1, 0.2, 0.5, 1, 2]),
        (0.5, 900, [1, 3, 10, 30, 100, 300]),
        (0.001, 9000, [0.001, 0.01, 0.1, 1, 10, 100, 1000]),
        (1.0, 1e9, [1, 100, 10_000, 1e6, 1e8]),
    ],
)
def test_logarithmic_ticks_are_round_and_few(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high) == pytest.approx(ticks)


def test_data_are_copied_into_the_specification() -> None:
    assert data([{"a": 1}]).to_dict() == {"values": [{"a": 1}]}


def test_every_colour_is_distinct_so_that_the_dark_page_can_replace_it() -> None:
    light = [colour.light for colour in colours()]
    assert len(set(light)) == len(light)
    assert len({style.shape for style in STYLES[:7]}) == 7


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    first, second = sorted((luminance(one), luminance(other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def test_names_in_the_colours_of_their_arms_can_be_read() -> None:
    arms: list[Legend] = list(used_legend(View(sample_documents.sweep())))
    styles = [*STYLES, *(entry.style for entry in arms)]
    for style in styles:
        assert contrast(style.colour.light, "#fdfdfc") >= 4.5, style
        assert contrast(style.colour.dark, "#15181c") >= 4.5, style
