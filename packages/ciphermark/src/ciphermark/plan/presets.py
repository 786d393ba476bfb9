"""Plans that come with the program, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from ciphermark.errors import PlanError, Problem
from ciphermark.plan.files import default_plan
from ciphermark.plan.schema import PlanFile

__all__ = ["PRESETS", "read_preset"]

PRESETS: Mapping[str, Callable[[], PlanFile]] = {"embedded": default_plan}


def read_preset(name: str) -> PlanFile:
    """The plan of that name; raises `PlanError` with the nearest known name."""
    if name in PRESETS:
        return PRESETS[name]()
    close = difflib.get_close_matches(name, PRESETS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(PRESETS)}"
    raise PlanError((Problem("--preset", f"there is no preset {name!r}", hint),))
