"""An experiment: a plan with everything decided, and nothing yet done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ciphermark.engine.base import Engine, StatementMode
from ciphermark.protection.base import Protection
from ciphermark.results.document import Mode
from ciphermark.results.points import PointKey
from ciphermark.workload.base import Workload

__all__ = ["AA_SUFFIX", "ArmPlan", "Experiment", "Point"]

AA_SUFFIX = " (A/A)"


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """One engine with one protection; `copies` loaded instances of its data."""

    name: str
    protection: Protection
    copies: int
    control: bool = False
    repeat_of_control: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the experiment: a workload at a number of terminals, in one mode.

    `engine` carries the levels of the swept engine settings that `factors` names. `arms` are the
    names of the arms that take part, the control and its A/A repeat included. `time_limit_s` is
    measuring time; `precision` the half-width of the interval at which it may end sooner.
    """

    workload: Workload
    terminals: int
    mode: Mode
    engine: Engine
    arms: tuple[str, ...]
    statement_mode: StatementMode
    time_limit_s: float
    precision: float
    factors: Mapping[str, str] = field(default_factory=dict)
    rate_tps: float | None = None
    latency_limit_ms: float | None = None
    slice_s: float | None = None
    block_s: float = 0.0
    block_rounds: int = 6
    warm_up_s: float = 1.0
    workers: int | None = None

    @property
    def key(self) -> str:
        """Names the point in the journal; unique within an experiment."""
        levels = ",".join(f"{name}={level}" for name, level in sorted(self.factors.items()))
        return f"{self.workload.name}/{self.terminals}/{self.mode}/{self.statement_mode}[{levels}]"

    @property
    def title(self) -> str:
        """The point in words, as reports name it."""
        factors = tuple(self.factors.items())
        return PointKey(self.workload.name, self.mode, factors, self.terminals).title


@dataclass(frozen=True, slots=True)
class Experiment:
    """A whole experiment, in the order in which its points are run.

    `draws` is how often the copies are made, the first time included.
    """

    name: str
    seed: int
    plan_hash: str
    plan: Mapping[str, object]
    arms: tuple[ArmPlan, ...]
    points: tuple[Point, ...]
    draws: int = 1
    confidence: float = 0.95
    error_budget: float = 0.01

    @property
    def control(self) -> ArmPlan:
        """The plain arm that all others are compared with."""
        return next(arm for arm in self.arms if arm.control)
