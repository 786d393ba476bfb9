"""Which plan a command means, and what its options change in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ciphermark.plan.schema import PlanFile

__all__ = ["Overrides", "check_resume", "choose_plan"]


@dataclass(frozen=True, slots=True)
class Overrides:
    """Keys of the plan's section `experiment` that the command line sets; None: left alone."""

    time_limit_s: float | None = None
    precision: float | None = None
    seed: int | None = None

    def given(self) -> dict[str, float]:
        """The keys that are set."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def check_resume(
    path: Path | None, preset: str | None, out: Path | None, overrides: Overrides
) -> None:
    """Raises `typer.BadParameter` when a run that goes on is given another plan or folder."""
    given: dict[str, object] = {"PLAN": path, "--preset": preset, "--out": out}
    for name, value in overrides.given().items():
        given[f"--{name.removesuffix('_s').replace('_', '-')}"] = value
    words = ", ".join(name for name, value in given.items() if value is not None)
    if words:
        raise typer.BadParameter(
            f"a run that is resumed goes on as it began; leave out {words}",
            param_hint="--resume",
        )


def choose_plan(
    path: Path | None, preset: str | None, overrides: Overrides | None = None
) -> PlanFile:
    """The plan in a file, of a preset, or the embedded experiment, with the overrides applied.

    Raises `PlanError`, and `typer.BadParameter` when two are given at once.
    """
    from ciphermark.plan.build import read_checked_plan
    from ciphermark.plan.files import parse_plan
    from ciphermark.plan.presets import default_plan, read_preset

    if path is not None and preset is not None:
        raise typer.BadParameter("a plan file is given too", param_hint="--preset")
    if path is not None:
        plan = read_checked_plan(path)
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
