"""Reads plan files, and reports everything that is wrong with one at once."""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ciphermark.errors import PlanError, Problem
from ciphermark.plan.schema import PlanFile

__all__ = ["parse_plan", "plan_hash", "problems_of", "read_content", "read_plan"]


def read_plan(path: Path) -> PlanFile:
    """The plan in a TOML file, the options of plug-ins not yet checked; raises `PlanError`."""
    return parse_plan(read_content(path), where=str(path))


def read_content(path: Path) -> dict[str, Any]:
    """What stands in a TOML file; raises `PlanError` when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(
            (Problem("file", f"cannot be read: {error.strerror}"),), where=str(path)
        ) from error
    except UnicodeDecodeError as error:
        raise PlanError((Problem("file", "is not UTF-8 text"),), where=str(path)) from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError((Problem("file", f"is not TOML: {error}"),), where=str(path)) from error


def parse_plan(content: Mapping[str, Any], where: str = "") -> PlanFile:
    """The plan from the content of a file, the options of plug-ins not yet checked."""
    try:
        return PlanFile.model_validate(content)
    except ValidationError as error:
        raise PlanError(problems_of(error, PlanFile, ""), where=where) from error


def plan_hash(plan: PlanFile) -> str:
    """SHA-256 of the plan in canonical form: equal for two plans that mean the same."""
    canonical = json.dumps(plan.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def problems_of(error: ValidationError, model: type[BaseModel], prefix: str) -> tuple[Problem, ...]:
    """Pydantic's findings as problems with a path and, for unknown keys, the nearest known one."""
    problems = []
    for entry in error.errors(include_url=False, include_input=False):
        path = _path(prefix, entry["loc"])
        if entry["type"] == "extra_forbidden":
            known = _known_keys(model, entry["loc"][:-1])
            problems.append(unknown_key(path, str(entry["loc"][-1]), known))
        else:
            problems.append(Problem(path, _message(entry["msg"])))
    return tuple(dict.fromkeys(problems))


def unknown_key(path: str, key: str, known: tuple[str, ...]) -> Problem:
    """The problem of a key that does not exist, with the nearest one that does."""
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
    return Problem(path, "unknown key", hint)


def _message(text: str) -> str:
    """Pydantic's message without its prefix for validators."""
    return text.removeprefix("Value error, ")


def _path(prefix: str, location: tuple[int | str, ...]) -> str:
    """A location as it reads in a plan: workload[0].terminals."""
    path = prefix
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part.startswith(("function-", "list[", "literal[", "ProtectionSection")) or part in (
            "str",
            "int",
            "float",
        ):
            continue  # names of union branches, which no user wrote
        else:
            path += f".{part}" if path else str(part)
    return path or "plan"


def _known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys of the table at `location`."""
    current: type[BaseModel] = model
    for part in location:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        if field is None:
            continue
        current = _model_within(field.annotation) or current
    return tuple(current.model_fields)


def _model_within(annotation: Any) -> type[BaseModel] | None:
    """The pydantic model inside an annotation such as list[ArmSection]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_within(argument)
        if found is not None:
            return found
    return None
