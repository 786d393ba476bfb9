"""The options of the built-in protections as they stand in a plan."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["NoneOptions", "TDEOptions"]


class NoneOptions(BaseModel):
    """Options of the protection `none`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = Field(default="", description="name in charts and tables; empty: plain")


class TDEOptions(BaseModel):
    """Options of the protection `tde`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cipher: str = Field(default="", description="a cipher of the engine; empty: its default one")
    label: str = Field(default="", description="name in charts and tables; empty: made from cipher")
