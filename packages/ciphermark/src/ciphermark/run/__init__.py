"""Carries out experiments: loads, proves, measures, checks, and writes the result."""

from ciphermark.run.experiment import RunOutcome, run_experiment
from ciphermark.run.loading import cleanup, prepare

__all__ = ["RunOutcome", "cleanup", "prepare", "run_experiment"]
