"""Each rule that makes a comparison invalid, alone and together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ciphermark.proof.validity import ArmFacts, comparison_reasons
from ciphermark.results.document import ConsistencyResult, Proof, ProofStatus

PROVEN = Proof(status="proven", method="scan")
SETTINGS = {"cache_size": "-16384", "cipher": "none"}
CONTROL = ArmFacts(
    name="plain",
    encrypts=False,
    proof=PROVEN,
    settings=SETTINGS,
    driver="apsw",
    statement_mode="prepared",
    isolation="serializable",
    transactions=1000,
    changes=4000,
)
ARM = replace(CONTROL, name="tde", encrypts=True, settings={**SETTINGS, "cipher": "aegis"})


def reasons(control: ArmFacts = CONTROL, arm: ArmFacts = ARM, *, writes: bool = True) -> list[str]:
    found = comparison_reasons(
        control, arm, expected_differences={"cipher"}, error_budget=0.01, writes=writes
    )
    return list(found)


def condition(*, passed: bool, expected_to_fail: str = "") -> ConsistencyResult:
    return ConsistencyResult(
        arm="tde",
        copy_index=2,
        check="sums agree",
        moment="after run",
        passed=passed,
        expected_to_fail=expected_to_fail,
        details="3 rows break it: sums",
    )


def test_a_sound_comparison_is_valid() -> None:
    assert reasons() == []


@pytest.mark.parametrize("status", ["catalog_only", "not_applicable", "proven"])
def test_weaker_proofs_are_valid_too(status: ProofStatus) -> None:
    assert reasons(arm=replace(ARM, proof=Proof(status=status, method="catalogue"))) == []


@pytest.mark.parametrize(("status", "word"), [("refuted", "refuted"), ("not_checked", "not check")])
def test_encryption_must_not_be_refuted_or_unchecked(status: ProofStatus, word: str) -> None:
    proof = Proof(status=status, method="scan", details=("7 markers are readable",))
    (reason,) = reasons(arm=replace(ARM, proof=proof))
    assert "encryption of tde" in reason
    assert word in reason
    assert "7 markers are readable" in reason


def test_encryption_on_the_plain_arm_is_invalid() -> None:
    (reason,) = reasons(control=replace(CONTROL, proof=Proof(status="refuted", method="scan")))
    assert "absence of encryption of plain is refuted" in reason


def test_settings_must_be_equal() -> None:
    (reason,) = reasons(arm=replace(ARM, settings={"cache_size": "-1", "cipher": "aegis"}))
    assert reason == "setting cache_size is -16384 on plain and -1 on tde"


def test_the_error_budget_counts_attempts() -> None:
    assert reasons(arm=replace(ARM, transactions=990, errors=10)) == []
    (reason,) = reasons(arm=replace(ARM, transactions=989, errors=11))
    assert "11 of 1000 transactions of tde failed (1.1 %; the plan allows 1 %)" in reason


def test_an_arm_that_did_nothing_but_fail_is_invalid() -> None:
    assert len(reasons(arm=replace(ARM, transactions=0, errors=1))) == 1


def test_a_broken_condition_is_invalid_unless_expected() -> None:
    broken = replace(ARM, consistency=(condition(passed=False), condition(passed=True)))
    (reason,) = reasons(arm=broken)
    assert "'sums agree' fails on copy 2 of tde after run" in reason
    known = replace(ARM, consistency=(condition(passed=False, expected_to_fail="lost updates"),))
    assert reasons(arm=known) == []


def test_statements_that_change_nothing_are_limited() -> None:
    assert reasons(arm=replace(ARM, unchanged=200)) == []
    (reason,) = reasons(arm=replace(ARM, unchanged=201))
    assert "5.03 % of the writing statements of tde changed nothing (at most 5 % may" in reason
    assert reasons(arm=replace(ARM, unchanged=4000), writes=False) == []
    assert reasons(arm=replace(ARM, changes=0, unchanged=0)) == []


@pytest.mark.parametrize(
    ("field", "word"),
    [("driver", "driver"), ("isolation", "isolation level"), ("statement_mode", "statement mode")],
)
def test_arms_must_be_driven_alike(field: str, word: str) -> None:
    (reason,) = reasons(arm=replace(ARM, **{field: "other"}))  # type: ignore[arg-type]  # by name
    assert reason.startswith(f"the {word} is ")
    assert reason.endswith("other on tde")


def test_different_data_are_a_reason() -> None:
    sentence = "table a has 3 rows on plain and 4 on tde"
    assert reasons(arm=replace(ARM, data_differences=(sentence,))) == [sentence]


def test_all_reasons_are_given_each_once() -> None:
    bad = replace(
        ARM,
        proof=Proof(status="refuted", method="scan"),
        driver="other",
        errors=500,
        unchanged=4000,
        consistency=(condition(passed=False), condition(passed=False)),
    )
    assert len(reasons(arm=bad)) == 5
