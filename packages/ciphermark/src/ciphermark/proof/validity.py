"""The rules that make a comparison invalid, as pure functions from facts to reasons.

A reason is a sentence; no reason means valid. An invalid comparison is kept and shown with its
reasons, and the run that made it exits non-zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ciphermark.proof.equality import settings_differences
from ciphermark.results.document import ConsistencyResult, Proof

__all__ = [
    "UNCHANGED_LIMIT",
    "ArmFacts",
    "comparison_reasons",
    "consistency_reasons",
    "error_reasons",
    "identity_reasons",
    "proof_reasons",
    "unchanged_reasons",
]

UNCHANGED_LIMIT = 0.05
"""Share of CHANGE statements that may change nothing."""


@dataclass(frozen=True, slots=True)
class ArmFacts:
    """What is known of an arm at one point once it was measured.

    `changes` counts the CHANGE statements of the terminals, `unchanged` those of them that changed
    no row. `errors` counts failed transactions, retried ones included; `transactions` those that
    ended as they should.
    """

    name: str
    encrypts: bool
    proof: Proof
    settings: Mapping[str, str]
    driver: str
    statement_mode: str
    isolation: str = ""
    transactions: int = 0
    errors: int = 0
    changes: int = 0
    unchanged: int = 0
    data_differences: tuple[str, ...] = ()
    consistency: tuple[ConsistencyResult, ...] = field(default_factory=tuple)


def comparison_reasons(
    control: ArmFacts,
    arm: ArmFacts,
    *,
    expected_differences: Iterable[str],
    error_budget: float,
    writes: bool,
) -> tuple[str, ...]:
    """Every reason for which `arm` cannot be compared with `control`."""
    reasons: list[str] = []
    for facts in (control, arm):
        reasons += proof_reasons(facts)
        reasons += error_reasons(facts, error_budget)
        reasons += consistency_reasons(facts)
        reasons += unchanged_reasons(facts, writes=writes)
    reasons += settings_differences(
        (control.name, control.settings), (arm.name, arm.settings), expected_differences
    )
    reasons += arm.data_differences
    reasons += identity_reasons(control, arm)
    return tuple(dict.fromkeys(reasons))


def proof_reasons(facts: ArmFacts) -> tuple[str, ...]:
    """Encryption that is refuted or unchecked where claimed, or there where it must not be."""
    claim = "encryption" if facts.encrypts else "absence of encryption"
    details = f": {'; '.join(facts.proof.details)}" if facts.proof.details else ""
    if facts.proof.status == "refuted":
        return (f"the {claim} of {facts.name} is refuted{details}",)
    if facts.proof.status == "not_checked":
        return (f"the {claim} of {facts.name} was not checked{details}",)
    return ()


def error_reasons(facts: ArmFacts, budget: float) -> tuple[str, ...]:
    """More failed transactions than the plan allows; `budget` is a fraction."""
    attempts = facts.transactions + facts.errors
    if not facts.errors or facts.errors <= budget * attempts:
        return ()
    return (
        f"{facts.errors} of {attempts} transactions of {facts.name} failed "
        f"({_percent(facts.errors / attempts)}; the plan allows {_percent(budget)})",
    )


def consistency_reasons(facts: ArmFacts) -> tuple[str, ...]:
    """Conditions that fail although the workload's profile expects them to hold."""
    return tuple(
        f"condition {result.check!r} fails on copy {result.copy_index} of {facts.name} "
        f"{result.moment}: {result.details}"
        for result in facts.consistency
        if not result.passed and not result.expected_to_fail
    )


def unchanged_reasons(facts: ArmFacts, *, writes: bool) -> tuple[str, ...]:
    """A write workload whose statements change nothing measures something else."""
    if not writes or facts.unchanged <= UNCHANGED_LIMIT * facts.changes:
        return ()
    return (
        f"{_percent(facts.unchanged / facts.changes)} of the writing statements of {facts.name} "
        f"changed nothing (at most {_percent(UNCHANGED_LIMIT)} may; draw ids with rand_type = "
        "'uniform', or from larger tables)",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def identity_reasons(control: ArmFacts, arm: ArmFacts) -> tuple[str, ...]:
    """Arms that were driven in different ways."""
    pairs = (
        ("driver", control.driver, arm.driver),
        ("isolation level", control.isolation, arm.isolation),
        ("statement mode", control.statement_mode, arm.statement_mode),
    )
    return tuple(
        f"the {what} is {left or 'unknown'} on {control.name} "
        f"and {right or 'unknown'} on {arm.name}"
        for what, left, right in pairs
        if left != right
    )
