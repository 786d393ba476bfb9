"""Plans that come with the program."""

from __future__ import annotations

import difflib
import tomllib
from importlib.resources import files

from ciphermark.errors import UnsupportedCapability
from ciphermark.plan.files import parse_plan
from ciphermark.plan.schema import PlanFile

__all__ = ["DEFAULT_PRESET", "default_plan", "preset_names", "preset_text", "read_preset"]

DEFAULT_PRESET = "embedded"
SUFFIX = ".toml"


def preset_names() -> tuple[str, ...]:
    """The names of all presets, in alphabetical order."""
    folder = files("ciphermark.plan").joinpath("preset_plans")
    return tuple(
        sorted(
            file.name.removesuffix(SUFFIX)
            for file in folder.iterdir()
            if file.name.endswith(SUFFIX)
        )
    )


def preset_text(name: str) -> str:
    """The TOML text of a preset; raises `UnsupportedCapability` with the nearest known name."""
    known = preset_names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(known)}"
        raise UnsupportedCapability(f"there is no preset named {name!r}", remedy=hint)
    path = files("ciphermark.plan").joinpath("preset_plans", name + SUFFIX)
    return path.read_text(encoding="utf-8")


def read_preset(name: str) -> PlanFile:
    """The plan of a preset."""
    return parse_plan(tomllib.loads(preset_text(name)), where=f"preset {name}")


def default_plan() -> PlanFile:
    """The embedded experiment: what is run when no plan is named."""
    return read_preset(DEFAULT_PRESET)
