"""Every error that Ciphermark raises.

The tree::

    CiphermarkError
     +-- PlanError                 the plan file is wrong; holds every problem at once
     +-- EngineError               the database or its driver
     |    +-- MissingDependency    a package or server is not installed; says what to install
     |    +-- UnsupportedCapability  the engine cannot do what the plan asks for
     |    +-- WrongKey             the database does not open with the key that was given
     |    +-- Retryable            deadlock, lock wait, busy: the transaction may be started anew
     |    +-- Fatal                the statement cannot succeed
     |    +-- ConnectionLost       the connection is gone
     +-- WorkloadError             a workload's options or data
     |    +-- ConsistencyViolation a consistency condition does not hold
     +-- LoadError                 load generation: a worker died, a start failed
     |    +-- WorkerLost           a worker process ended before it delivered its batch
     +-- MeasurementError          a figure cannot be had from what was measured
     |    +-- UnstableMeasurement  the noise floor or the precision does not allow a verdict
     +-- ProofError                a proof could not be carried out
     +-- ResultFileError           a result document or journal cannot be read or written
     +-- ReportError               a report cannot be made
     +-- GateError                 a gate of `compare --fail-if` cannot be understood

Every error can be pickled: it crosses process borders. No error carries a key, a password, a bound
value or a plaintext.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CiphermarkError",
    "ConnectionLost",
    "ConsistencyViolation",
    "EngineError",
    "Fatal",
    "GateError",
    "LoadError",
    "MeasurementError",
    "MissingDependency",
    "PlanError",
    "Problem",
    "ProofError",
    "ReportError",
    "ResultFileError",
    "Retryable",
    "UnstableMeasurement",
    "UnsupportedCapability",
    "WorkerLost",
    "WorkloadError",
    "WrongKey",
]


class CiphermarkError(Exception):
    """Base of all errors: what happened, where, and what to do about it.

    `where` names the file, the arm or the step; `remedy` is a sentence that tells the reader what
    to do next. Both may be empty.
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}. {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args, self.__dict__.copy())


def _rebuild(
    kind: type[CiphermarkError], args: tuple[object, ...], state: dict[str, object]
) -> CiphermarkError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a plan: the path of the key, what is wrong, and a suggestion."""

    path: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        text = f"{self.path}: {self.message}"
        return f"{text} ({self.suggestion})" if self.suggestion else text


class PlanError(CiphermarkError):
    """A plan that cannot be carried out; `problems` holds all that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...], *, where: str = "") -> None:
        count = len(problems)
        lines = "\n".join(f"  {problem}" for problem in problems)
        noun = "problem" if count == 1 else "problems"
        super().__init__(f"{count} {noun} in the plan\n{lines}", where=where)
        self.problems = problems


class EngineError(CiphermarkError):
    """The database, its driver, or the connection to it."""


class MissingDependency(EngineError):
    """Something that must be installed first; `install` is the command that does it."""

    def __init__(self, what: str, *, install: str, where: str = "") -> None:
        super().__init__(what, where=where, remedy=f"Install it with: {install}")
        self.install = install


class UnsupportedCapability(EngineError):
    """The engine cannot do what was asked; the remedy names what it can do."""


class WrongKey(EngineError):
    """The database file is there but does not open with the key that was given."""


class Retryable(EngineError):
    """The transaction was rolled back, or must be, and may be started anew.

    `kind` is one of "deadlock", "lock_wait", "serialization", "busy".
    """

    def __init__(self, what: str, *, kind: str, code: str = "") -> None:
        super().__init__(what)
        self.kind = kind
        self.code = code


class Fatal(EngineError):
    """The statement cannot succeed, however often it is tried; `code` is the engine's own code."""

    def __init__(self, what: str, *, code: str = "", where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.code = code


class ConnectionLost(EngineError):
    """The connection to the database is gone; the transaction's fate may be unknown."""


class WorkloadError(CiphermarkError):
    """A workload's options contradict each other, or its data are not what it needs."""


class ConsistencyViolation(WorkloadError):
    """The data break a condition that the workload guarantees."""


class LoadError(CiphermarkError):
    """Load could not be generated as planned."""


class WorkerLost(LoadError):
    """A worker process ended before it delivered its batch; the batch is discarded."""


class MeasurementError(CiphermarkError):
    """No figure can be had from what was measured."""


class UnstableMeasurement(MeasurementError):
    """What was measured is too noisy for the verdict that was asked for."""


class ProofError(CiphermarkError):
    """A proof could not be carried out; this is neither proven nor refuted."""


class ResultFileError(CiphermarkError):
    """A result document or a journal cannot be read or written."""


class ReportError(CiphermarkError):
    """A report cannot be made from the result document."""


class GateError(CiphermarkError):
    """A gate that was typed wrong; the remedy lists what may stand there."""
