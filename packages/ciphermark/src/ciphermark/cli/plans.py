"""Which plan a command means, and what its options change in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.errors import PlanError, Problem

if TYPE_CHECKING:
    from ciphermark.plan.schema import PlanFile

__all__ = ["Overrides", "choose_plan"]


@dataclass(frozen=True, slots=True)
class Overrides:
    """Keys of the plan's section `experiment` that the command line sets; None: left alone."""

    time_limit_s: float | None = None
    precision: float | None = None
    seed: int | None = None

    def given(self) -> dict[str, float]:
        """The keys that are set."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def choose_plan(
    path: Path | None,
    preset: str | None,
    resume: Path | None = None,
    overrides: Overrides | None = None,
) -> PlanFile:
    """The plan in a file, of a preset, or the embedded experiment, with the overrides applied.

    Raises `PlanError`, also when two are given at once.
    """
    from ciphermark.plan.files import default_plan, parse_plan, read_plan
    from ciphermark.plan.presets import read_preset

    if path is not None and preset is not None:
        raise PlanError((Problem("--preset", "a plan file is given too", "leave one of them out"),))
    if path is not None:
        plan = read_plan(path)
    elif preset is not None:
        plan = read_preset(preset)
    else:
        plan = default_plan()
    given = overrides.given() if overrides else {}
    if not given:
        return plan
    content = plan.model_dump(mode="json", exclude_unset=True)
    content["experiment"] = {**content.get("experiment", {}), **given}
    return parse_plan(content, where="command line")
