"""Loads copies of a few arms and measures one point, without proofs and reports.

What the benchmark scripts about the method itself have in common.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ciphermark.engine.base import Copy, Engine
from ciphermark.plan.build import build_experiment
from ciphermark.plan.experiment import Experiment, Point
from ciphermark.plan.files import parse_plan
from ciphermark.progress import SilentProgress
from ciphermark.run.measure import PointMeasurement
from ciphermark.run.outcome import PointOutcome

__all__ = ["experiment_of", "load", "measure"]


def experiment_of(
    workload: Mapping[str, Any], *, seconds: float, seed: int, copies: int = 6, **engine: Any
) -> Experiment:
    """Plain and its A/A repeat on one workload, for `seconds` of measuring; no early stop."""
    return build_experiment(
        parse_plan(
            {
                "experiment": {"seed": seed, "time_limit_s": seconds, "precision": 1e-9},
                "engine": {"kind": "sqlite", "cache_mib": 16, **engine},
                "data": {"copies": copies},
                "arm": [{"name": "plain"}],
                "workload": [dict(workload)],
            }
        )
    )


def load(experiment: Experiment, folder: Path, engine: Engine | None = None) -> list[list[Copy]]:
    """Loads the first copy of each arm and clones the others; one list for each arm."""
    point = experiment.points[0]
    engine = engine or point.engine
    arms: list[list[Copy]] = []
    for arm in experiment.arms:
        copies = [
            Copy(arm.name, index, engine.locate(f"arm{len(arms)}", index, folder))
            for index in range(arm.copies)
        ]
        engine.create(copies[0])
        for table in point.workload.data(engine.dialect, experiment.seed, point.terminals).tables:
            engine.load(copies[0], table, lambda rows: None)
        for copy in copies[1:]:
            engine.clone(copies[0], copy)
        arms.append(copies)
    return arms


def measure(
    experiment: Experiment, copies: list[list[Copy]], engine: Engine | None = None
) -> PointOutcome:
    """Measures the experiment's only point on the given copies."""
    point: Point = experiment.points[0]
    if engine is not None:
        point = dataclasses.replace(point, engine=engine)
    outcome = PointOutcome(point, experiment.control.copies)
    PointMeasurement(
        experiment,
        point,
        0,
        copies,
        outcome,
        lambda record: None,
        lambda draw: None,
        SilentProgress(),
        time.perf_counter(),
    ).run()
    return outcome
