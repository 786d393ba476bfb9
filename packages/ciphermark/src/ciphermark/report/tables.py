"""The tables of a report, as text cells; each kind of report lays them out in its own way."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.report import numbers
from ciphermark.report.numbers import NOTHING
from ciphermark.report.table import Cell, Column, Table
from ciphermark.report.view import View
from ciphermark.results.absolute import absolute_interval
from ciphermark.results.document import Comparison, Mode
from ciphermark.results.points import PointKey, key_of, terminals_text

__all__ = [
    "brief_table",
    "costs_table",
    "cpu_table",
    "latency_table",
    "noise_table",
    "points_table",
    "published_table",
]


def published_table(view: View, mode: Mode) -> Table | None:
    """Scenario by throughput, latency and loss, as the vendors' reports print it."""
    keys = tuple(key for key in view.keys if key.mode == mode)
    arms = view.arms_at(keys)
    if not arms:
        return None
    control = view.label(view.control)
    columns = [*_point_columns(keys), *_value_columns(control)]
    for arm in arms:
        columns += [*_value_columns(view.label(arm)), Column("loss", view.label(arm), number=True)]
    columns += [Column("noise floor", number=True), Column("batches × copies", number=True)]
    rows = []
    for key in keys:
        row = [*_point_cells(key, keys), *_value_cells(view, key, view.control)]
        for arm in arms:
            row += [*_value_cells(view, key, arm), _loss_cell(view, key, arm)]
        rows.append((*row, *_evidence_cells(view, key, arms)))
    return Table(
        key=f"published-{mode}",
        caption=f"Throughput, latency and loss by scenario, measured in {mode}",
        columns=tuple(columns),
        rows=tuple(rows),
        note="TPS: transactions committed a second ± half the interval of the figure itself on "
        "this machine; latency: the mean; loss: 1 − TPS(arm)/TPS(control) with its interval, which "
        "is far sharper than the two throughputs, because the arms took turns.",
    )


def brief_table(view: View, mode: Mode) -> Table | None:
    """The same with one row an arm, for narrow places; the point's row shows the noise floor."""
    rows: list[tuple[Cell, ...]] = []
    for key in view.keys:
        if key.mode != mode or not view.arms_at([key]):
            continue
        noise = view.noise(key, view.leading(key))
        of = "" if view.leading(key) == "throughput" else " of mean latency"
        floor = f"noise floor{of} {numbers.plus_minus(noise.half_width)}" if noise else ""
        place = ", ".join(filter(None, (key.workload, terminals_text(key.terminals), key.levels)))
        rows.append((Cell(place, "strong"), Cell(""), Cell(""), Cell(floor, "muted"), Cell("")))
        rows += [_brief_row(view, key, arm) for arm in (view.control, *view.arms_at([key]))]
    if not rows:
        return None
    return Table(
        key=f"brief-{mode}",
        caption=f"Measured in {mode}",
        columns=(
            Column("arm"),
            Column("TPS", number=True),
            Column("mean ms", number=True),
            Column("loss", number=True),
            Column("CPU", number=True),
        ),
        rows=tuple(rows),
    )


def _brief_row(view: View, key: PointKey, arm: str) -> tuple[Cell, ...]:
    cells = (Cell(""), Cell(""))
    if arm != view.control:
        cells = (_loss_cell(view, key, arm), _cost_cell(view.cpu(key, arm)))
    return (Cell(f"  {view.label(arm)}"), *_value_cells(view, key, arm), *cells)


def costs_table(view: View) -> Table | None:
    """Every arm's cost in every metric: one row an arm and point."""
    metrics = (
        ("throughput", "throughput"),
        ("latency_mean", "mean latency"),
        ("latency_p50", "p50"),
        ("latency_p95", "p95"),
        ("latency_p99", "p99"),
    )
    present = [one for one in metrics if any(c.metric == one[0] for c in view.document.comparisons)]
    keys = view.keys
    rows = []
    for key in keys:
        for arm in view.arms_at([key]):
            cells = [_cost_cell(view.comparison(key, arm, metric)) for metric, _ in present]
            rows.append(
                (
                    *_point_cells(key, keys),
                    Cell(key.mode),
                    Cell(view.label(arm)),
                    *cells,
                    _cost_cell(view.cpu(key, arm)),
                    _holm_cell(view.comparison(key, arm, "throughput")),
                )
            )
    if not rows:
        return None
    return Table(
        key="costs",
        caption="Cost in every metric, with its 95 % interval",
        columns=(
            *_point_columns(keys),
            Column("mode"),
            Column("arm"),
            *(Column(title, number=True) for _, title in present),
            Column("CPU", number=True),
            Column("Holm"),
        ),
        rows=tuple(rows),
        note="A positive figure is a cost; CPU is that of a transaction. Holm: whether the cost in "
        "throughput stays significant when all comparisons of this result are looked at together.",
    )


def latency_table(view: View) -> Table | None:
    """Latency of every arm at every point, in milliseconds."""
    columns = ("mean", "p50", "p90", "p95", "p99", "p99.9", "max")
    rows = []
    for key in view.keys:
        point = view.point(key)
        for one in point.latency if point else ():
            values = (one.mean, one.p50, one.p90, one.p95, one.p99, one.p999, one.max)
            rows.append(
                (
                    *_point_cells(key, view.keys),
                    Cell(key.mode),
                    Cell(view.label(one.arm)),
                    Cell(one.transaction),
                    Cell(numbers.count(one.count)),
                    *(Cell(numbers.figure(value)) for value in values),
                )
            )
    if not rows:
        return None
    return Table(
        key="latency",
        caption="Latency of transactions, ms",
        columns=(
            *_point_columns(view.keys),
            Column("mode"),
            Column("arm"),
            Column("transactions"),
            Column("n", number=True),
            *(Column(title, number=True) for title in columns),
        ),
        rows=tuple(rows),
        note="All batches together; nothing is trimmed. n: transactions that were timed.",
    )


def cpu_table(view: View) -> Table | None:
    """CPU per transaction of every arm at every point, with the cost."""
    rows = []
    for key in view.keys:
        for arm in view.arms_at([key]):
            one = view.cpu(key, arm)
            if one is None:
                continue
            rows.append(
                (
                    *_point_cells(key, view.keys),
                    Cell(key.mode),
                    Cell(view.label(arm)),
                    Cell(one.unit),
                    Cell(_with_interval(view, one, one.control)),
                    Cell(_with_interval(view, one, one.arm)),
                    _cost_cell(one),
                    Cell(_sample(one)),
                )
            )
    if not rows:
        return None
    return Table(
        key="cpu",
        caption="CPU per transaction",
        columns=(
            *_point_columns(view.keys),
            Column("mode"),
            Column("arm"),
            Column("unit"),
            Column(view.label(view.control), number=True),
            Column("arm", number=True),
            Column("cost", number=True),
            Column("batches × copies", number=True),
        ),
        rows=tuple(rows),
        note="CPU clocks of all threads; work in the background is charged to the arm that "
        "caused it.",
    )


def noise_table(view: View) -> Table | None:
    """What two plain arms differ by: the smallest cost that could be seen."""
    rows = [
        (
            *_point_cells(key_of(one), view.keys),
            Cell(one.mode),
            Cell(numbers.metric_name(one.metric)),
            Cell(numbers.cost(one.overhead, one.ci_low, one.ci_high)),
            Cell(numbers.plus_minus(one.half_width)),
            Cell("excludes zero", "bad") if one.excludes_zero else Cell("contains zero"),
        )
        for one in view.document.noise_floor
    ]
    if not rows:
        return None
    return Table(
        key="noise",
        caption="Noise floor: the control against further copies of itself (A/A)",
        columns=(
            *_point_columns(view.keys),
            Column("mode"),
            Column("metric"),
            Column("A/A difference", number=True),
            Column("noise floor", number=True),
            Column("interval"),
        ),
        rows=tuple(rows),
        note="Both arms are plain, so the true difference is zero. Of twenty such intervals one "
        "excludes zero by chance.",
    )


def points_table(view: View) -> Table | None:
    """How each point was measured."""
    rows = []
    for key in view.keys:
        point = view.point(key)
        if point is None:
            continue
        length = (
            numbers.plural(point.slice_transactions, "transaction")
            if point.slice_transactions
            else numbers.duration(point.slice_s)
        )
        loop = f"open, {numbers.figure(point.rate_tps)}/s" if point.rate_tps else "closed"
        rows.append(
            (
                *_point_cells(key, view.keys),
                Cell(f"{key.mode} of {length}"),
                Cell(loop),
                Cell(numbers.count(point.workers)),
                Cell(numbers.count(point.rounds)),
                Cell(numbers.count(point.batches)),
                Cell(numbers.count(point.discarded_batches)),
                Cell(point.stopped_by),
                Cell(point.regime),
            )
        )
    if not rows:
        return None
    return Table(
        key="points",
        caption="How each point was measured",
        columns=(
            *_point_columns(view.keys),
            Column("load"),
            Column("loop"),
            Column("workers", number=True),
            Column("rounds", number=True),
            Column("batches", number=True),
            Column("discarded", number=True),
            Column("ended by"),
            Column("data and cache", wide=True),
        ),
        rows=tuple(rows),
    )


def _point_columns(keys: Sequence[PointKey]) -> list[Column]:
    swept = any(key.levels for key in keys)
    return [
        Column("scenario"),
        *([Column("settings")] if swept else []),
        Column("terminals", number=True),
    ]


def _point_cells(key: PointKey, keys: Sequence[PointKey]) -> list[Cell]:
    swept = any(other.levels for other in keys)
    return [
        Cell(key.workload, "strong"),
        *([Cell(key.levels)] if swept else []),
        Cell(numbers.count(key.terminals)),
    ]


def _value_columns(group: str) -> list[Column]:
    return [Column("TPS", group, number=True), Column("latency, ms", group, number=True)]


def _value_cells(view: View, key: PointKey, arm: str) -> list[Cell]:
    found = view.value(key, arm, "throughput")
    latency = view.latency(key, arm)
    return [
        Cell(_with_interval(view, found[0], arm)) if found else Cell(NOTHING, "muted"),
        Cell(numbers.figure(latency.mean)) if latency else Cell(NOTHING, "muted"),
    ]


def _with_interval(view: View, one: Comparison, arm: str) -> str:
    """An absolute figure with its own interval, where the batches tell it."""
    if arm == one.control:  # its figure is in every comparison: always the same interval
        first = view.value(key_of(one), arm, one.metric)
        one = first[0] if first else one
    value = one.control_value if arm == one.control else one.arm_value
    reach = absolute_interval(view.document, one, arm)
    if reach is None:
        return numbers.figure(value)
    return f"{numbers.figure(value)} ± {numbers.like(reach.half_width, value)}"


def _cost_cell(one: Comparison | None) -> Cell:
    if one is None:
        return Cell(NOTHING, "muted")
    text = numbers.cost(one.overhead, one.ci_low, one.ci_high)
    return Cell(text) if one.valid else Cell(f"invalid: {text}", "bad")


def _loss_cell(view: View, key: PointKey, arm: str) -> Cell:
    """The loss of throughput, where throughput is not given by the plan."""
    one = view.comparison(key, arm, "throughput")
    if one is not None and view.leading(key) != "throughput":
        return Cell("fixed rate", "muted")
    return _cost_cell(one)


def _holm_cell(one: Comparison | None) -> Cell:
    if one is None or one.significant_after_holm is None:
        return Cell(NOTHING, "muted")
    return Cell("yes" if one.significant_after_holm else "no")


def _evidence_cells(view: View, key: PointKey, arms: Sequence[str]) -> list[Cell]:
    """The noise floor and the sample behind a row."""
    noise = view.noise(key, view.leading(key))
    first = next(
        (found for arm in arms if (found := view.comparison(key, arm, "throughput"))), None
    )
    floor = Cell(NOTHING, "muted")
    if noise:
        floor = Cell(numbers.plus_minus(noise.half_width), "bad" if noise.excludes_zero else "")
    return [floor, Cell(_sample(first)) if first else Cell(NOTHING, "muted")]


def _sample(one: Comparison) -> str:
    return f"{one.batches:,} × {one.copies:,}"
