"""Turns a plan file into an experiment: arms, points, and every option checked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from ciphermark.engine.base import Engine, StatementMode
from ciphermark.errors import CiphermarkError, PlanError, Problem
from ciphermark.plan.experiment import AA_SUFFIX, ArmPlan, Experiment, Point
from ciphermark.plan.files import parse_plan, plan_hash, problems_of, read_content
from ciphermark.plan.schema import (
    ArmSection,
    EngineSection,
    PlanFile,
    ProtectionSection,
    WorkloadSection,
)
from ciphermark.protection.base import Protection
from ciphermark.registry import Plugin, find
from ciphermark.results.document import Mode
from ciphermark.workload.base import SliceBound, Workload

__all__ = ["build_experiment", "read_checked_plan"]

POINT_TIME_S_MIN = 1.0

S = TypeVar("S", bound=BaseModel)


class Findings(Protocol):
    """Takes the problems that are found on the way."""

    def append(self, problem: Problem, /) -> None: ...


def build_experiment(plan: PlanFile, where: str = "") -> Experiment:
    """The experiment that `plan` describes; raises `PlanError` with everything that is wrong."""
    problems: list[Problem] = []
    engines = _engines(plan.engine, problems)
    arms = _arms(plan, engines[0][1] if engines else None, problems)
    workloads = [
        (_workload(section, f"workload[{number}]", problems), section, f"workload[{number}]")
        for number, section in enumerate(plan.workload)
    ]
    for workload, section, path in workloads:
        problems.extend(_combinations(workload, section, arms, path))
        if workload is not None and engines:
            problems.extend(_on_engine(workload, engines[0][1], path))
    named = _option_factors([workload for workload, _, _ in workloads])
    if problems:
        raise PlanError(tuple(dict.fromkeys(problems)), where=where)
    points = tuple(
        point
        for (workload, section, _), factors in zip(workloads, named, strict=True)
        if workload is not None
        for point in _points(workload, section, engines, arms, plan, factors)
    )
    repeated = tuple(_repeated(points))
    if repeated:
        raise PlanError(repeated, where=where)
    return Experiment(
        name=plan.experiment.name,
        seed=plan.experiment.seed,
        plan_hash=plan_hash(plan),
        plan=plan.model_dump(mode="json", exclude_none=True),
        arms=tuple(arms),
        points=_with_time(points, plan),
        draws=plan.data.draws,
        confidence=plan.experiment.confidence,
        error_budget=plan.experiment.error_budget,
    )


def read_checked_plan(path: Path) -> PlanFile:
    """The plan in a file; raises `PlanError` with every problem of its keys and of the options.

    What keys cannot mean together is looked at by `build_experiment`, once each has a meaning.
    """
    content = read_content(path)
    try:
        return parse_plan(content, where=str(path))
    except PlanError as error:
        found = dict.fromkeys((*error.problems, *_option_problems(content)))
        raise PlanError(tuple(found), where=str(path)) from error


def _option_problems(content: Mapping[str, Any]) -> list[Problem]:
    """Problems of the plug-ins' options in a plan with other problems, which are left aside."""
    problems: list[Problem] = []
    for _, engine in _sound_sections(content, "engine", EngineSection):
        _engines(engine, problems)
    for path, arm in _sound_sections(content, "arm", ArmSection):
        _protections(arm, f"{path}.protection", problems)
    for path, workload in _sound_sections(content, "workload", WorkloadSection):
        _workload(workload, path, problems)
    return problems


def _sound_sections(
    content: Mapping[str, Any], name: str, model: type[S]
) -> Iterator[tuple[str, S]]:
    """The tables of that name without their wrong keys; one that then lacks a key is left out."""
    known = set(model.model_fields)
    found = content.get(name, {})
    tables = enumerate(found) if isinstance(found, list) else [(None, found)]
    for number, table in tables:
        path = name if number is None else f"{name}[{number}]"
        if not isinstance(table, dict):
            continue
        try:
            yield path, model.model_validate(table)
        except ValidationError as error:
            wrong = {str(entry["loc"][0]) for entry in error.errors(include_url=False)}
            if not any(model.model_fields[key].is_required() for key in wrong & known):
                sound = {key: value for key, value in table.items() if key not in wrong}
                yield path, model.model_validate(sound)


def _make(group: str, kind: str, options: Mapping[str, Any], path: str, problems: Findings) -> Any:
    """The object of a plug-in with its options; None, and a problem, when they do not fit."""
    try:
        plugin: Plugin = find(group, kind)
        factory = plugin.load()
    except CiphermarkError as error:
        problems.append(Problem(f"{path}.kind", error.what, error.remedy))
        return None
    model: type[BaseModel] = plugin.load_options()
    try:
        return factory(model.model_validate(dict(options)))
    except ValidationError as error:
        for problem in problems_of(error, model, path):
            problems.append(problem)
    except CiphermarkError as error:
        problems.append(Problem(path, error.what, error.remedy))
    return None


def _engines(section: EngineSection, problems: Findings) -> list[tuple[dict[str, str], Engine]]:
    """An engine for each combination of swept options, with the levels that make it."""
    options = section.options()
    swept = {name: levels for name, levels in options.items() if isinstance(levels, list)}
    for name, levels in swept.items():
        if not levels:
            problems.append(Problem(f"engine.{name}", "an empty list has no level to run"))
            return []
    made = []
    for combination in itertools.product(*swept.values()):
        chosen = dict(zip(swept, combination, strict=True))
        engine = _make("engine", section.kind, {**options, **chosen}, "engine", problems)
        if engine is not None:
            made.append(({name: str(level) for name, level in chosen.items()}, engine))
    return made


def _arms(plan: PlanFile, engine: Engine | None, problems: list[Problem]) -> list[ArmPlan]:
    """The control first, its repeat behind it, then the other arms as the plan lists them."""
    arms: list[ArmPlan] = []
    for number, section in enumerate(plan.arm):
        path = f"arm[{number}]"
        for protection in _protections(section, f"{path}.protection", problems):
            if engine is not None:
                problems.extend(protection.check(engine, f"{path}.protection"))
            name = section.name if section.name is not None else protection.label
            if section.name is not None and _several(section):
                name = f"{section.name} {protection.label}"
            arms.append(ArmPlan(name=name, protection=protection, copies=plan.data.copies))
    problems.extend(_name_problems(arms))
    plain = [arm for arm in arms if arm.protection.kind == "none"]
    if len(plain) != 1:
        many = "none of the arms is" if not plain else f"{len(plain)} arms are"
        problems.append(
            Problem("arm", f"{many} plain", "exactly one arm has no protection: the control")
        )
        return arms
    control = replace(plain[0], control=True)
    repeat = replace(plain[0], name=f"{control.name}{AA_SUFFIX}", repeat_of_control=True)
    return [control, repeat, *(arm for arm in arms if arm is not plain[0])]


def _name_problems(arms: Sequence[ArmPlan]) -> Iterator[Problem]:
    names = [arm.name for arm in arms]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield Problem("arm", f"{names.count(name)} arms are named {name!r}", "set `name`")
        if name.endswith(AA_SUFFIX):
            yield Problem("arm", f"the ending {AA_SUFFIX!r} is kept for the control's repeat")


def _several(section: ArmSection) -> bool:
    return isinstance(section.protection, ProtectionSection) and any(
        isinstance(value, list) for value in section.protection.options().values()
    )


def _protections(section: ArmSection, path: str, problems: Findings) -> list[Protection]:
    """One protection for each combination of listed options."""
    table = (
        ProtectionSection(kind=section.protection)
        if isinstance(section.protection, str)
        else section.protection
    )
    options = table.options()
    swept = {name: levels for name, levels in options.items() if isinstance(levels, list)}
    made = (
        _make(
            "protection",
            table.kind,
            {**options, **dict(zip(swept, levels, strict=True))},
            path,
            problems,
        )
        for levels in itertools.product(*swept.values())
    )
    return [protection for protection in made if protection is not None]


def _workload(section: WorkloadSection, path: str, problems: Findings) -> Workload | None:
    made: Workload | None = _make("workload", section.kind, section.options(), path, problems)
    return made


def _combinations(
    workload: Workload | None, section: WorkloadSection, arms: Sequence[ArmPlan], path: str
) -> Iterator[Problem]:
    """What the keys of one workload cannot mean together."""
    names = {arm.name for arm in arms}
    for name in section.block_arms or ():
        if name not in names:
            yield Problem(
                f"{path}.block_arms", f"there is no arm {name!r}", f"arms: {', '.join(names)}"
            )
    if section.rate_tps is not None and "slices" in section.modes:
        yield Problem(
            f"{path}.rate_tps", "the open loop runs in blocks only", 'set modes = ["blocks"]'
        )
    counted = workload is not None and workload.slice_bound is SliceBound.COUNT
    if section.rate_tps is not None and counted:
        yield Problem(
            f"{path}.rate_tps",
            f"{section.kind} is bound by a count of transactions, not by time",
            "leave rate_tps out",
        )
    for terminals in _levels(section.terminals):
        if not 1 <= terminals <= 100_000:
            yield Problem(f"{path}.terminals", f"{terminals} is not between 1 and 100000")
        elif section.workers is not None and section.workers > terminals:
            yield Problem(
                f"{path}.workers",
                f"{section.workers} workers have only {terminals} terminals to share",
                "set no more workers than terminals",
            )


def _on_engine(workload: Workload, engine: Engine, path: str) -> Iterator[Problem]:
    """What the workload cannot do on this engine: found by making its first program."""
    try:
        workload.data(engine.dialect, 0, 1)
        workload.program(engine.dialect, 0, 1)
    except CiphermarkError as error:
        yield Problem(path, error.what, error.remedy)


def _option_factors(workloads: Sequence[Workload | None]) -> list[dict[str, str]]:
    """For each workload the options in which it differs from others of the same name."""
    factors = []
    for workload in workloads:
        mine = {} if workload is None else dict(workload.describe())
        others = [
            dict(other.describe())
            for other in workloads
            if workload is not None and other is not None and other.name == workload.name
        ]
        factors.append(
            {
                name: value
                for name, value in mine.items()
                if any(other.get(name) != value for other in others)
            }
        )
    return factors


def _repeated(points: Sequence[Point]) -> Iterator[Problem]:
    """Points that the plan asks for twice."""
    keys = [point.key for point in points]
    for key in dict.fromkeys(keys):
        if keys.count(key) > 1:
            yield Problem("workload", f"{key} stands in the plan {keys.count(key)} times")


def _levels(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _points(
    workload: Workload,
    section: WorkloadSection,
    engines: Sequence[tuple[dict[str, str], Engine]],
    arms: Sequence[ArmPlan],
    plan: PlanFile,
    option_factors: Mapping[str, str],
) -> Iterator[Point]:
    """The points of one workload: its factors crossed with the engine's."""
    modes: list[Mode] = list(section.modes)
    levels = itertools.product(
        engines,
        _levels(section.statement_mode),
        _levels(section.terminals),
        _levels(section.rate_tps),
        modes,
    )
    several_modes = isinstance(section.statement_mode, list)
    for (factors, engine), statement_mode, terminals, rate_tps, mode in levels:
        named = {"statement_mode": statement_mode} if several_modes else {}
        if rate_tps is not None:
            named["rate_tps"] = f"{rate_tps:g}"
        yield Point(
            workload=workload,
            terminals=terminals,
            mode=mode,
            engine=engine,
            arms=_arms_of(section, arms, mode),
            statement_mode=StatementMode(statement_mode),
            time_limit_s=section.time_limit_s or 0.0,
            precision=plan.experiment.precision,
            factors={**factors, **option_factors, **named},
            rate_tps=rate_tps,
            latency_limit_ms=section.latency_limit_ms,
            slice_s=section.slice_s,
            block_s=section.block_s or 0.0,
            block_rounds=section.block_rounds,
            warm_up_s=section.warm_up_s,
            workers=section.workers,
        )


def _arms_of(section: WorkloadSection, arms: Sequence[ArmPlan], mode: Mode) -> tuple[str, ...]:
    """The arms of a point; the control and its repeat are always among them."""
    chosen = section.block_arms if mode == "blocks" else None
    return tuple(
        arm.name
        for arm in arms
        if arm.control or arm.repeat_of_control or chosen is None or arm.name in chosen
    )


def _with_time(points: tuple[Point, ...], plan: PlanFile) -> tuple[Point, ...]:
    """Gives each point its measuring time: its own, that of its blocks, or an equal share."""
    fixed = [_fixed_time_s(point) for point in points]
    left = plan.experiment.time_limit_s - sum(time_s for time_s in fixed if time_s is not None)
    share = left / max(fixed.count(None), 1)
    return tuple(
        _timed(point, max(share, POINT_TIME_S_MIN) if time_s is None else time_s)
        for point, time_s in zip(points, fixed, strict=True)
    )


def _fixed_time_s(point: Point) -> float | None:
    """What the plan says of the point's time; None: nothing."""
    if point.mode == "blocks" and point.block_s:
        return point.block_s * point.block_rounds * len(point.arms)
    return point.time_limit_s or None


def _timed(point: Point, time_limit_s: float) -> Point:
    if point.mode == "blocks" and not point.block_s:
        block_s = time_limit_s / (point.block_rounds * len(point.arms))
        return replace(point, time_limit_s=time_limit_s, block_s=block_s)
    return replace(point, time_limit_s=time_limit_s)
