"""The plan file: what a user writes, as pydantic models; closed, so that misspelt keys are found.

The tables `engine`, `arm.protection` and `workload` carry options of plug-ins beside the fields
here; `plan/build.py` checks those against the plug-in's own model.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ciphermark.registry import plugins

__all__ = [
    "ArmSection",
    "DataSection",
    "EngineSection",
    "ExperimentSection",
    "PlanFile",
    "ProtectionSection",
    "WorkloadSection",
    "plan_schema",
]

Positive = Annotated[float, Field(gt=0)]
SWEPT_GROUPS = ("engine", "protection")
"""Groups whose options may be lists in a plan: every level is measured."""


class Closed(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Open(BaseModel):
    """A table that carries a plug-in's options as well."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def options(self) -> dict[str, Any]:
        """The keys that belong to the plug-in."""
        return dict(self.model_extra or {})


class ExperimentSection(Closed):
    """What the experiment is called, how exact it must be, and how long it may take."""

    name: str = Field(
        default="experiment",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="names the result folder",
    )
    seed: int = Field(
        default=1, ge=0, lt=2**63, description="root of all random numbers; same seed, same load"
    )
    precision: float = Field(
        default=0.01,
        gt=0,
        lt=1,
        description="half-width of the 95 % interval of throughput at which a point may end early",
    )
    time_limit_s: float = Field(
        default=120.0, gt=0, description="measuring time over all points, warm-up excluded"
    )
    confidence: float = Field(default=0.95, ge=0.5, lt=1, description="of all intervals")
    error_budget: float = Field(
        default=0.01, ge=0, lt=1, description="share of transactions that may fail in an arm"
    )


class EngineSection(Open):
    """The database under test; further keys are the engine's options. A list is swept."""

    kind: str = Field(default="sqlite", description="name of the engine, see `ciphermark list`")


class DataSection(Closed):
    """How often each arm's data are loaded."""

    copies: int = Field(
        default=6,
        ge=1,
        le=64,
        description="loaded instances of each arm: identical copies differ, and the interval must "
        "hold that; at least 6 for a verdict on an embedded engine",
    )
    draws: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="how often the copies are made within a point, the first time included: for "
        "servers, of which only few can live at once",
    )


class ProtectionSection(Open):
    """What is done to the engine; further keys are the protection's options."""

    kind: str = Field(default="none", description="name of the protection")


class ArmSection(Closed):
    """One protection to compare. A list of ciphers makes an arm of each."""

    name: str | None = Field(
        default=None, min_length=1, max_length=60, description="default: made from the protection"
    )
    protection: ProtectionSection | str = Field(
        default="none", description="a name, or a table with `kind` and the protection's options"
    )


class WorkloadSection(Open):
    """What is run, and how; further keys are the workload's options."""

    kind: str = Field(description="name of the workload, see `ciphermark list`")
    terminals: int | list[int] = Field(default=1, description="closed loops of requests; swept")
    workers: int | None = Field(
        default=None, ge=1, le=256, description="processes; default: as the engine needs"
    )
    statement_mode: Literal["prepared", "text"] | list[Literal["prepared", "text"]] = Field(
        default="prepared", description="how statements reach the engine; swept"
    )
    modes: list[Literal["slices", "blocks"]] = Field(
        default=["slices"],
        min_length=1,
        description="slices: short and finely interleaved, the sharpest estimate; blocks: long, "
        "with background work included",
    )
    slice_s: Positive | None = Field(
        default=None, description="length of a slice; default: 20 times the slowest arm's p95"
    )
    block_s: Positive | None = Field(
        default=None, description="length of a block; default: from the share of the time limit"
    )
    block_rounds: int = Field(default=6, ge=2, le=10_000, description="blocks of each arm")
    block_arms: list[str] | None = Field(
        default=None, description="arms that run in blocks; default: all; the control always does"
    )
    warm_up_s: float = Field(default=1.0, ge=0, description="load before the first slice")
    rate_tps: Positive | list[Positive] | None = Field(
        default=None,
        description="open loop at this many transactions a second over all terminals; blocks only",
    )
    latency_limit_ms: Positive | None = Field(
        default=None, description="transactions that took longer are counted as late"
    )
    time_limit_s: Positive | None = Field(
        default=None, description="measuring time of each of its points; default: an equal share"
    )


class PlanFile(Closed):
    """A whole plan file."""

    schema_version: Literal[1] = 1
    experiment: ExperimentSection = ExperimentSection()
    engine: EngineSection = EngineSection()
    data: DataSection = DataSection()
    arm: list[ArmSection] = Field(min_length=1)
    workload: list[WorkloadSection] = Field(min_length=1)


def plan_schema() -> dict[str, Any]:
    """JSON Schema of plan files, with the options of all plug-ins that are installed."""
    schema = PlanFile.model_json_schema()
    definitions = schema["$defs"]
    for section, group in (
        ("EngineSection", "engine"),
        ("ProtectionSection", "protection"),
        ("WorkloadSection", "workload"),
    ):
        definitions[section] = _with_plugins(definitions[section], group, definitions)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Ciphermark plan"
    return schema


def _with_plugins(
    section: dict[str, Any], group: str, definitions: dict[str, Any]
) -> dict[str, Any]:
    """`section` as a choice between the plug-ins of the group, each with its own options."""
    choices = []
    for name, plugin in plugins(group).items():
        own = plugin.load_options().model_json_schema() if plugin.options else {}
        definitions.update(own.get("$defs", {}))
        options = own.get("properties", {})
        if group in SWEPT_GROUPS:
            options = {key: _or_levels(option) for key, option in options.items()}
        properties = {
            **section["properties"],
            "kind": {"const": name, "description": plugin.description},
            **options,
        }
        choices.append(
            {
                "title": name,
                "type": "object",
                "properties": properties,
                "required": sorted({"kind", *own.get("required", [])}),
                "additionalProperties": False,
            }
        )
    return {"oneOf": choices, "description": section.get("description", "")}


def _or_levels(option: dict[str, Any]) -> dict[str, Any]:
    """An option that may also be a list of levels, each of them measured."""
    about: dict[str, Any] = {
        key: option[key] for key in ("title", "description", "default") if key in option
    }
    value = {key: part for key, part in option.items() if key not in about}
    return {**about, "anyOf": [value, {"type": "array", "items": value, "minItems": 1}]}
