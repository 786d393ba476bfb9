"""Which charts a report shows, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ciphermark.report.bars import cost_chart, cost_domain, cpu_chart
from ciphermark.report.canvas import Chart, Legend, legend_of
from ciphermark.report.point_charts import latency_chart, series_chart
from ciphermark.report.sweep_charts import sweep_charts
from ciphermark.report.view import View
from ciphermark.results.points import PointKey

__all__ = ["OPEN_MAX", "ChartSection", "chart_sections", "used_legend"]

OPEN_MAX = 6


@dataclass(frozen=True, slots=True)
class ChartSection:
    """Charts of one kind; the first `OPEN_MAX` are shown, the others folded."""

    key: str
    heading: str
    text: str
    charts: tuple[Chart, ...]

    @property
    def shown(self) -> tuple[Chart, ...]:
        """The charts that are open."""
        return self.charts[:OPEN_MAX]

    @property
    def folded(self) -> tuple[Chart, ...]:
        """The charts that the reader must unfold."""
        return self.charts[OPEN_MAX:]


def chart_sections(view: View) -> tuple[ChartSection, ...]:
    """The sections that have charts, in the order of the page."""
    legend = legend_of(view)
    single = tuple(key for group in view.groups if not group.is_sweep for key in group.keys)
    domain = cost_domain(view, single)
    looked_at = (*single, *_samples(view))
    sweeps = [
        chart
        for group in view.groups
        if group.is_sweep
        for chart in sweep_charts(view, group, legend)
    ]
    sections = (
        ChartSection(
            "cost",
            "Cost by workload",
            "How much less work gets done in the same time: right of zero is a cost. The mark is "
            "the estimate, the line its interval; the grey band is the noise floor, what two plain "
            "arms differ by.",
            _each(single, lambda key: cost_chart(view, key, legend, domain)),
        ),
        ChartSection(
            "sweep",
            "Cost by number of terminals",
            "Lines through the marks are there for the eye; only the marks were measured. The "
            "grey band is the noise floor.",
            tuple(sweeps),
        ),
        ChartSection(
            "latency",
            "Latency",
            "Each step to the right looks at the slowest tenth of the step before: p90 means that "
            "nine of ten transactions were faster. Nothing is trimmed; the last mark is the "
            "longest of all.",
            _each(looked_at, lambda key: latency_chart(view, key, legend)),
        ),
        ChartSection(
            "time",
            "Throughput over time",
            "A batch is one point. The arms take turns within each batch, so what moves all curves "
            "together is the machine, and cancels out of the cost. The scales need not start at "
            "zero.",
            _each(looked_at, lambda key: series_chart(view, key, legend)),
        ),
        ChartSection(
            "cpu",
            "CPU per transaction",
            "Processor time of all threads, work in the background included. It shows what "
            "encryption takes even where the disk hides it; the thin line is the interval.",
            _each(single, lambda key: cpu_chart(view, key, legend)),
        ),
    )
    return tuple(section for section in sections if section.charts)


def used_legend(view: View) -> tuple[Legend, ...]:
    """The legend's entries in the order of the charts."""
    return tuple(legend_of(view).values())


def _samples(view: View) -> Iterable[PointKey]:
    """The lowest, a middle and the highest point of each sweep."""
    for group in view.groups:
        if group.is_sweep:
            count = len(group.keys)
            yield from (group.keys[index] for index in (0, count // 2, count - 1))


def _each(keys: Iterable[PointKey], make: Callable[[PointKey], Chart | None]) -> tuple[Chart, ...]:
    return tuple(chart for key in keys if (chart := make(key)) is not None)
