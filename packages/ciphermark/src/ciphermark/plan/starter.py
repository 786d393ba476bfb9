"""The plan that `ciphermark init` writes for a user to change."""

from __future__ import annotations

from importlib.resources import files

from ciphermark.errors import UnsupportedCapability
from ciphermark.registry import find

__all__ = ["starter_plan"]


def starter_plan(engine: str = "sqlite") -> str:
    """The TOML text of a plan for `engine`; raises `UnsupportedCapability` when there is none."""
    find("engine", engine)
    path = files("ciphermark.plan").joinpath("starter_plans", f"{engine}.toml")
    if not path.is_file():
        raise UnsupportedCapability(
            f"there is no starter plan for {engine}",
            remedy=f"Start from the one for sqlite and set engine.kind to {engine}",
        )
    return path.read_text(encoding="utf-8")
