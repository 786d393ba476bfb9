"""The tables of what was used beside time: cache, memory and bytes, by arm and by the load."""

from __future__ import annotations

from collections.abc import Mapping

from ciphermark.report import numbers
from ciphermark.report.numbers import NOTHING
from ciphermark.report.table import Cell, Column, Table
from ciphermark.report.view import View
from ciphermark.results.document import PointResult
from ciphermark.results.points import PointKey

__all__ = ["load_table", "resources_table"]

_SHARES = ("machine_cpu_busy", "machine_cpu_waiting_for_io", "machine_cpu_stolen")
_NAMES = {
    "rss_peak_bytes": "memory, peak",
    "pss_peak_bytes": "memory with its share, peak",
    "cpu_s": "CPU, s",
    "machine_cpu_busy": "machine: CPU busy",
    "machine_cpu_waiting_for_io": "machine: waiting for I/O",
    "machine_cpu_stolen": "machine: CPU stolen",
    "waited_s": "waited for, s",
}
_Reading = tuple[PointKey, str, dict[str, str]]


def resources_table(view: View) -> Table | None:
    """What each arm used beside time: cache, bytes, memory, delays."""
    found = [
        (key, arm, values)
        for key in view.keys
        if (point := view.point(key)) is not None
        for arm in view.shown
        if (values := _of_arm(point, arm))
    ]
    return _table(view, found, key="resources", caption="Cache, memory and bytes")


def load_table(view: View) -> Table | None:
    """What the load generator itself used: a slow client hides a part of the cost."""
    found = [
        (key, who, _readings(probes))
        for key in view.keys
        if (point := view.point(key)) is not None
        for who, probes in point.probes.items()
        if who not in view.shown
    ]
    return _table(view, found, key="load", caption="The load generator and the machine")


def _table(view: View, found: list[_Reading], *, key: str, caption: str) -> Table | None:
    names = list(dict.fromkeys(name for _, _, values in found for name in values))
    if not names:
        return None
    return Table(
        key=key,
        caption=caption,
        columns=(
            Column("scenario"),
            Column("terminals", number=True),
            Column("mode"),
            Column("of"),
            *(Column(name, number=True) for name in names),
        ),
        rows=tuple(
            (
                Cell(point.workload, "strong"),
                Cell(numbers.count(point.terminals)),
                Cell(point.mode),
                Cell(view.label(who)),
                *(Cell(values.get(name, NOTHING)) for name in names),
            )
            for point, who, values in found
        ),
    )


def _of_arm(point: PointResult, arm: str) -> dict[str, str]:
    """Readings of one arm: the name of each resource and its amount in words."""
    values: dict[str, str] = {}
    if arm in point.cache_hit_ratio:
        values["cache hits"] = numbers.percent(point.cache_hit_ratio[arm], decimals=2)
    if arm in point.late:
        values["late"] = numbers.count(point.late[arm])
    if arm in point.schedule_lag_ms:
        values["schedule lag, ms"] = numbers.figure(point.schedule_lag_ms[arm])
    return values | _readings(point.probes.get(arm, {}))


def _readings(probes: Mapping[str, float]) -> dict[str, str]:
    """Probes in words; the unit stands at the end of a probe's name."""
    found = {}
    for name, value in probes.items():
        plain = name.removesuffix("_bytes").replace("_per_transaction", "/transaction")
        title = _NAMES.get(name, plain.replace("_", " "))
        if name.endswith("_bytes"):
            found[title] = numbers.byte_size(value)
        else:
            found[title] = numbers.percent(value) if name in _SHARES else numbers.figure(value)
    return found
