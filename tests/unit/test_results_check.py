"""The check of a result: what makes it invalid, what weakens it, what one must know."""

from __future__ import annotations

from typing import Any

import pytest
import sample_documents

from ciphermark.results.check import Finding, Severity, check, is_good
from ciphermark.results.document import ConsistencyResult, ResultDocument, SeriesPoint


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.complete()


def changed(document: ResultDocument, part: str, **update: Any) -> ResultDocument:
    """The document with fields of one part, or of every element of a list, replaced."""
    old = getattr(document, part)
    new: object = (
        tuple(one.model_copy(update=update) for one in old)
        if isinstance(old, tuple)
        else old.model_copy(update=update)
    )
    return document.model_copy(update={part: new})


def found(document: ResultDocument, words: str) -> Finding:
    """The one finding with these words."""
    findings = [one for one in check(document) if words in str(one)]
    assert findings, [str(one) for one in check(document)]
    return findings[0]


def with_proof(document: ResultDocument, arm: str, **update: Any) -> ResultDocument:
    """The document with another proof of one arm."""
    arms = tuple(
        one.model_copy(update={"proof": one.proof.model_copy(update=update)})
        if one.name == arm
        else one
        for one in document.arms
    )
    return document.model_copy(update={"arms": arms})


def test_a_good_result_has_notes_only(document: ResultDocument) -> None:
    assert is_good(check(document))


def test_the_worst_stands_first_and_nothing_twice() -> None:
    findings = check(sample_documents.invalid())
    order = [list(Severity).index(one.severity) for one in findings]
    assert order == sorted(order)
    assert len(set(findings)) == len(findings)
    assert not is_good(findings)


@pytest.mark.parametrize(
    ("status", "severity"),
    [("refuted", Severity.ERROR), ("not_checked", Severity.ERROR), ("catalog_only", Severity.NOTE)],
)
def test_an_encrypted_arm_that_is_not_proven(
    document: ResultDocument, status: str, severity: Severity
) -> None:
    findings = [
        one for one in check(with_proof(document, "aegis", status=status)) if "encr" in one.text
    ]
    assert ("TDE aegis", severity) in [(one.where, one.severity) for one in findings]


def test_a_plain_arm_needs_no_proof_but_must_not_be_refuted(document: ResultDocument) -> None:
    assert is_good(check(with_proof(document, "plain", status="not_checked")))
    refuted = found(with_proof(document, "plain", status="refuted"), "are plain was refuted")
    assert refuted.severity is Severity.ERROR


def test_an_invalid_comparison_is_an_error_even_without_a_reason(document: ResultDocument) -> None:
    silent = changed(document, "comparisons", valid=False)
    assert found(silent, "the comparison is invalid").severity is Severity.ERROR
    spoken = changed(document, "comparisons", valid=False, reasons=("settings differ",))
    assert found(spoken, "settings differ").severity is Severity.ERROR


def test_a_document_that_calls_itself_invalid_is(document: ResultDocument) -> None:
    found(document.model_copy(update={"valid": False}), "says of itself")


def test_two_plain_arms_that_differ() -> None:
    finding = found(sample_documents.aa_excludes_zero(), "the A/A interval excludes zero")
    assert finding.severity is Severity.WARNING
    assert finding.where == "oltp_read_only, 1 terminal, slices"


def test_a_cost_that_plain_arms_have_too() -> None:
    finding = found(sample_documents.aa_excludes_zero(), "is not larger than what two plain arms")
    assert finding.where == "TDE aegis, oltp_read_only, 1 terminal, slices"
    assert finding.severity is Severity.WARNING
    assert "(1.1 %)" in finding.text
    assert "(0.9 % to 2.3 %)" in finding.text


def test_what_is_not_distinguishable_needs_no_such_warning(document: ResultDocument) -> None:
    unclear = changed(document, "comparisons", overhead=0.001, ci_low=-0.01, ci_high=0.01)
    assert is_good(check(unclear))


def test_a_result_without_a_noise_floor(document: ResultDocument) -> None:
    found(document.model_copy(update={"noise_floor": ()}), "the noise is not known")


def test_too_small_a_sample(document: ResultDocument) -> None:
    found(changed(document, "comparisons", batches=19), "batches: 19; 20 are the least")
    found(changed(document, "comparisons", copies=2), "copies an arm: 2")
    blocks = found(changed(document, "comparisons", batches=5), "batches: 5; 6 are the least")
    assert blocks.where.endswith("blocks")


def test_errors_over_the_budget_are_errors_and_retried_ones_are_not(
    document: ResultDocument,
) -> None:
    assert found(document, "errors of kind busy").severity is Severity.NOTE
    many = changed(document, "errors", count=5_000, retried=0)
    finding = found(many, "the budget is 1.0 %")
    assert finding.severity is Severity.ERROR
    assert finding.where == "TDE aegis, oltp_read_write, slices"
    assert is_good(check(changed(document, "errors", count=5_000, retried=5_000)))


def test_the_budget_is_that_of_the_plan(document: ResultDocument) -> None:
    some = changed(document, "errors", count=10, retried=0)
    assert is_good(check(some))
    strict = changed(some, "experiment", plan={"experiment": {"error_budget": 0.0001}})
    assert found(strict, "the budget is 0.0 %").severity is Severity.ERROR


def test_a_condition_that_does_not_hold(document: ResultDocument) -> None:
    broken = ConsistencyResult(
        arm="aegis", copy_index=3, check="row counts", moment="after run", passed=False
    )
    changed_document = document.model_copy(update={"consistency": (broken,)})
    finding = found(changed_document, "row counts does not hold")
    assert (finding.severity, finding.where) == (Severity.ERROR, "TDE aegis, copy 3, after run")
    expected = broken.model_copy(update={"expected_to_fail": "deliveries are skipped"})
    noted = found(document.model_copy(update={"consistency": (expected,)}), "as expected")
    assert noted.severity is Severity.NOTE


def test_a_run_that_did_not_end_well() -> None:
    assert found(sample_documents.interrupted(), "was interrupted").severity is Severity.WARNING
    assert found(sample_documents.empty(), "disk full").severity is Severity.ERROR
    assert found(sample_documents.empty(), "nothing was compared").severity is Severity.ERROR


def test_a_precision_that_was_not_reached(document: ResultDocument) -> None:
    late = changed(document, "points", stopped_by="time limit")
    finding = found(late, "before the planned precision")
    assert "the widest interval is ±0.4 %" in finding.text
    assert finding.where == "oltp_read_only, 1 terminal, slices"
    assert finding.severity is Severity.NOTE


def test_discarded_batches_are_named(document: ResultDocument) -> None:
    found(changed(document, "points", discarded_batches=2), "discarded batches: 2")


def test_a_throughput_that_drifts(document: ResultDocument) -> None:
    falling = tuple(
        SeriesPoint(arm="plain", elapsed_s=batch, tps=1000 - 20 * batch) for batch in range(12)
    )
    finding = found(changed(document, "points", series=falling), "fell by 16 %")
    assert finding.severity is Severity.WARNING
    steady = tuple(one.model_copy(update={"tps": 1000.0}) for one in falling)
    assert is_good(check(changed(document, "points", series=steady)))


def test_a_machine_that_changes_the_figures(document: ResultDocument) -> None:
    found(changed(document, "environment", aes_instructions=("sse4_2",)), "no AES")
    busy = changed(document, "environment", load_average_at_start=0.6)
    assert found(busy, "the load average was 0.60").severity is Severity.WARNING
    warned = changed(document, "environment", warnings=("the governor is powersave",))
    assert found(warned, "the governor is powersave").severity is Severity.WARNING


def test_data_in_memory_are_noted_once(document: ResultDocument) -> None:
    assert len([one for one in check(document) if "fit into the cache" in one.text]) == 1
    large = changed(document, "points", regime="larger than the cache: 1 GiB, 16 MiB")
    assert not [one for one in check(large) if "fit into the cache" in one.text]


@pytest.mark.parametrize("level", ["off", ["full", "off"]])
def test_weaker_durability_is_named(document: ResultDocument, level: str | list[str]) -> None:
    weak = changed(document, "experiment", plan={"engine": {"kind": "x", "durability": level}})
    assert found(weak, "durability off").severity is Severity.NOTE
    strong = changed(document, "experiment", plan={"engine": {"kind": "x", "durability": "full"}})
    assert not any("durability" in str(one) for one in check(strong))


def test_a_fixed_rate_is_judged_by_latency(document: ResultDocument) -> None:
    """Its throughput is the rate, so nothing can be learned from how equal that is."""
    noisy = changed(document, "noise_floor", excludes_zero=True)
    assert "of throughput" in str(found(noisy, "two plain arms differ"))
    at_rate = changed(noisy, "points", rate_tps=100.0)
    assert "of mean latency" in str(found(at_rate, "two plain arms differ"))
    assert not any("of throughput" in str(one) for one in check(at_rate))
