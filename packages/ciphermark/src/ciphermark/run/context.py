"""What every step of a run needs."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.plan.experiment import Experiment
from ciphermark.progress import Progress
from ciphermark.run.folder import RunFolder
from ciphermark.run.state import RunState

__all__ = ["RunContext"]


@dataclass(frozen=True, slots=True)
class RunContext:
    """The experiment, its folder, what is finished of it, and whom to tell."""

    experiment: Experiment
    folder: RunFolder
    state: RunState
    progress: Progress
