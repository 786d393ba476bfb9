"""What a command line comes to: the workload, the data and the limits, all checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ciphermark import registry
from ciphermark.compat.sysbench.command_line import CommandLine, Settings, UsageError
from ciphermark.workload.base import Workload
from ciphermark.workload.sysbench.options import TableOptions

__all__ = ["RunPlan", "run_plan", "table_options", "workload"]

_DISTRIBUTIONS = ("special", "uniform", "gaussian", "pareto", "zipfian")
_RANGES = ("simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges")
_FORCED_SHUTDOWN_PERCENT = 5
_CHECKPOINTS_MAX = 256


@dataclass(frozen=True, slots=True)
class RunPlan:
    """How a run goes; times in seconds, 0 or None for "not at all"."""

    threads: int
    events: int
    time_s: int
    warm_up_s: int
    rate_per_s: int
    report_interval_s: int
    checkpoints_s: tuple[int, ...]
    shutdown_s: int | None
    """When a run that goes on is cut off, counted from its start."""
    percentile: int
    histogram: bool
    seed: int
    debug: bool


def run_plan(settings: Settings) -> RunPlan:
    """Checks the general options; raises `UsageError` with the text of the fatal message."""
    time_s = _at_least("time", settings, 0)
    plan = RunPlan(
        threads=_at_least("threads", settings, 1),
        events=_at_least("events", settings, 0),
        time_s=time_s,
        warm_up_s=_at_least("warmup_time", settings, 0),
        rate_per_s=_at_least("rate", settings, 0),
        report_interval_s=_at_least("report_interval", settings, 0),
        checkpoints_s=_checkpoints(settings),
        shutdown_s=_shutdown_s(settings, time_s),
        percentile=_percentile(settings),
        histogram=settings.flag("histogram"),
        seed=_at_least("rand_seed", settings, 0),
        debug=settings.flag("debug"),
    )
    if plan.histogram and not plan.percentile:
        raise UsageError("--histogram cannot be used with --percentile=0")
    if settings.text("rand_type") not in _DISTRIBUTIONS:
        raise UsageError(f"Invalid random numbers distribution: {settings.text('rand_type')}.")
    return plan


def _at_least(key: str, settings: Settings, lowest: int) -> int:
    value = settings.integer(key)
    if value < lowest:
        raise UsageError(f"Invalid value for --{key.replace('_', '-')}: {value}.")
    return value


def _percentile(settings: Settings) -> int:
    rank = settings.integer("percentile")
    if not 0 <= rank <= 100:
        raise UsageError(f"Invalid value for --percentile: {rank}")
    return rank


def _checkpoints(settings: Settings) -> tuple[int, ...]:
    try:
        seconds = settings.integers("report_checkpoints")
    except ValueError:
        seconds = (-1,)
    if any(second < 1 for second in seconds) or len(seconds) > _CHECKPOINTS_MAX:
        raise UsageError(
            f"Invalid value for --report-checkpoints: '{settings.text('report_checkpoints')}'"
        )
    return tuple(sorted(seconds))


def _shutdown_s(settings: Settings, time_s: int) -> int | None:
    """Grace behind the time limit: bare 5 % of it, "N" seconds, or "N%" of it."""
    text = settings.text("forced_shutdown").lower()
    if text == "off" or "forced_shutdown" not in settings.given:
        return None
    percent = text.endswith("%") or not text
    try:
        number = int(text.removesuffix("%")) if text else _FORCED_SHUTDOWN_PERCENT
    except ValueError:
        number = -1
    if number < 0:
        raise UsageError(f"Invalid value for --forced-shutdown: '{text}'")
    return time_s + (time_s * number // 100 if percent else number)


def workload(line: CommandLine) -> Workload:
    """The workload that the test's name and options describe; raises `UsageError`."""
    plugin = registry.find("workload", line.test)
    model = plugin.load_options()
    fields = set(model.model_fields)
    settings = line.settings
    if "range_selects" in fields and not settings.flag("range_selects"):
        fields -= set(_RANGES)
    if line.test.startswith("select_random"):
        fields.discard("tables")  # these tests run on sbtest1, whatever is there beside it
    made: Workload = plugin.load()(_validated(model, settings, fields))
    return made


def table_options(settings: Settings) -> TableOptions:
    """The tables that prepare makes; for empty ones (0 rows) the size stays at its default."""
    fields = set(TableOptions.model_fields)
    if settings.integer("table_size") == 0:
        fields.discard("table_size")
    options: TableOptions = _validated(TableOptions, settings, fields)
    return options


def _validated(model: Any, settings: Settings, fields: set[str]) -> Any:
    values = {name: _typed(model, settings, name) for name in fields}
    try:
        return model(**values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        name = f"--{place.replace('_', '-')}: " if place else ""
        raise UsageError(f"{name}{first['msg'].removeprefix('Value error, ')}") from None


def _typed(model: Any, settings: Settings, name: str) -> object:
    kind = model.model_fields[name].annotation
    if kind is bool:
        return settings.flag(name)
    if kind is float:
        return settings.real(name)
    return settings.integer(name) if kind is int else settings.text(name)
