"""Two results side by side: costs, what differs between them, what must not be compared."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sample_documents

from ciphermark.results.absolute import absolute_interval
from ciphermark.results.compare import compare
from ciphermark.results.document import Comparison, ResultDocument


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.complete()


def with_first(document: ResultDocument, **update: Any) -> ResultDocument:
    """The document with fields of its first comparison replaced."""
    first, *others = document.comparisons
    return document.model_copy(update={"comparisons": (first.model_copy(update=update), *others)})


def throughput(document: ResultDocument, arm: str) -> Comparison:
    """The arm's first comparison of throughput."""
    return next(
        one for one in document.comparisons if one.arm == arm and one.metric == "throughput"
    )


def test_a_result_does_not_differ_from_itself(document: ResultDocument) -> None:
    same = compare(document, document)
    assert len(same.changes) == len(document.comparisons)
    assert all(one.change == 0 and not one.distinguishable for one in same.changes)
    assert [*same.differences, *same.warnings, *same.only_in_base, *same.only_in_new] == []


def test_the_change_has_an_interval_of_both(document: ResultDocument) -> None:
    base = with_first(document, overhead=0.10, ci_low=0.07, ci_high=0.14)
    new = with_first(document, overhead=0.15, ci_low=0.11, ci_high=0.18)
    change = compare(base, new).changes[0]
    assert change.change == pytest.approx(0.05)
    assert change.change_low == pytest.approx(0.05 - math.hypot(0.04, 0.04))
    assert change.change_high == pytest.approx(0.05 + math.hypot(0.03, 0.03))
    assert not change.distinguishable


def test_a_change_whose_interval_excludes_zero_is_seen(document: ResultDocument) -> None:
    base = with_first(document, overhead=0.10, ci_low=0.09, ci_high=0.11)
    new = with_first(document, overhead=0.05, ci_low=0.04, ci_high=0.06)
    assert compare(base, new).changes[0].distinguishable


def test_what_only_one_result_holds_is_named(document: ResultDocument) -> None:
    fewer = sample_documents.interrupted()
    found = compare(document, fewer)
    assert found.only_in_base == ("chacha20, oltp_read_write, 1 terminal, blocks",)
    assert found.only_in_new == ()
    assert compare(fewer, document).only_in_new == found.only_in_base
    assert "the new result is of a run that was interrupted" in found.warnings


def test_the_repeat_of_the_control_is_no_cost(document: ResultDocument) -> None:
    repeat = document.comparisons[0].model_copy(update={"arm": "plain (A/A)"})
    more = document.model_copy(update={"comparisons": (*document.comparisons, repeat)})
    assert {one.new.arm for one in compare(more, more).changes} == {"chacha20", "aegis"}


def test_another_machine_is_named_and_warned_of(document: ResultDocument) -> None:
    machine = document.environment.model_copy(
        update={"cores": 8, "aes_instructions": (), "load_average_at_start": 0.2}
    )
    found = compare(document, document.model_copy(update={"environment": machine}))
    assert [(one.name, one.base, one.new) for one in found.differences] == [
        ("cores", "2", "8"),
        ("aes instructions", "aes, pclmulqdq, vaes", ""),
    ]
    assert "absolute figures cannot be compared" in found.warnings[0]


def test_another_plan_version_or_setting_is_named(document: ResultDocument) -> None:
    experiment = document.experiment.model_copy(
        update={"plan_hash": "0" * 64, "versions": {"ciphermark": "0.2.0"}}
    )
    arms = (
        document.arms[0].model_copy(update={"settings": {"synchronous": "NORMAL"}}),
        *document.arms[1:],
    )
    new = document.model_copy(update={"experiment": experiment, "arms": arms})
    found = {one.name: (one.base, one.new) for one in compare(document, new).differences}
    assert found["plan"] == ("9f2c6ad4c0f2", "000000000000")
    assert found["version of ciphermark"] == ("0.1.0", "0.2.0")
    assert found["version of Python"] == ("3.11.2", "")
    assert found["plain: synchronous"] == ("FULL", "NORMAL")
    assert any("the plans differ" in one for one in compare(document, new).warnings)


def test_an_invalid_result_is_warned_of(document: ResultDocument) -> None:
    found = compare(sample_documents.invalid(), document)
    assert any(one.startswith("the base result is invalid: chacha20") for one in found.warnings)


def test_the_interval_of_an_absolute_figure_follows_its_batches(document: ResultDocument) -> None:
    comparison = throughput(document, "chacha20")
    interval = absolute_interval(document, comparison, "chacha20")
    assert interval is not None
    assert interval.low < comparison.arm_value < interval.high
    tps = [
        batch.transactions["chacha20"] / batch.time_s["chacha20"]
        for batch in document.batches
        if batch.workload == comparison.workload
    ]
    mean = sum(tps) / len(tps)
    variance = sum((one - mean) ** 2 for one in tps) / (len(tps) - 1) / len(tps)
    spread = math.hypot(math.sqrt(variance) / mean, comparison.between_copy_sd / math.sqrt(6))
    t_quantile = 2.12  # of 16.3 degrees of freedom, from a table
    assert interval.half_width == pytest.approx(t_quantile * spread * mean, rel=0.01)


def test_the_control_has_an_interval_too(document: ResultDocument) -> None:
    comparison = throughput(document, "aegis")
    interval = absolute_interval(document, comparison, comparison.control)
    assert interval is not None
    assert interval.low < comparison.control_value < interval.high


def test_without_batches_there_is_no_interval(document: ResultDocument) -> None:
    comparison = throughput(document, "aegis")
    for batches in ((), document.batches[:1]):
        few = document.model_copy(update={"batches": batches})
        assert absolute_interval(few, comparison, "aegis") is None
    latency = next(one for one in document.comparisons if one.metric == "latency_p95")
    assert absolute_interval(document, latency, latency.arm) is None
