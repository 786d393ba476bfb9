"""Gates: typed strictly, failing where there is nothing to look at."""

from __future__ import annotations

import math

import pytest
import sample_documents

from ciphermark.errors import GateError
from ciphermark.results.compare import compare
from ciphermark.results.document import Comparison, ResultDocument
from ciphermark.results.gates import GateResult, evaluate, parse_gate


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.complete()


def judged(text: str, base: ResultDocument, new: ResultDocument) -> GateResult:
    return evaluate(parse_gate(text), compare(base, new))


@pytest.mark.parametrize(
    ("text", "metric", "field", "comparator", "limit"),
    [
        ("throughput.overhead>2%", "throughput", "overhead", ">", 0.02),
        (" latency_p95.ci_high >= 12.5 % ", "latency_p95", "ci_high", ">=", 0.125),
        ("cpu_per_transaction.change<-0.01", "cpu_per_transaction", "change", "<", -0.01),
        ("throughput.ci_low<=+.5%", "throughput", "ci_low", "<=", 0.005),
        ("throughput.overhead>150%", "throughput", "overhead", ">", 1.5),
    ],
)
def test_a_gate_is_understood(
    text: str, metric: str, field: str, comparator: str, limit: float
) -> None:
    gate = parse_gate(text)
    assert (gate.metric, gate.field, gate.comparator) == (metric, field, comparator)
    assert gate.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Write METRIC.FIELD>NUMBER%, or invalid"),
        ("throughput>2%", "Write METRIC.FIELD>NUMBER%"),
        ("throughput.overhead=2%", "Write METRIC.FIELD>NUMBER%"),
        ("throughput.overhead==2%", "Write METRIC.FIELD>NUMBER%"),
        ("throughput.overhead>2%>1%", "Write METRIC.FIELD>NUMBER%"),
        ("tps.overhead>2%", "one of: throughput, latency_mean, latency_p50"),
        ("throughput.cost>2%", "one of: overhead, ci_low, ci_high, change"),
        ("throughput.overhead>two", "two is not a number"),
        ("throughput.overhead>2e-2", "2e-2 is not a number"),
        ("throughput.overhead>nan", "nan is not a number"),
        ("throughput.overhead>2", "Write 2% or 200%"),
    ],
)
def test_a_gate_that_is_typed_wrong_says_what_may_stand_there(text: str, words: str) -> None:
    with pytest.raises(GateError) as caught:
        parse_gate(text)
    assert words in str(caught.value)


def test_a_broken_gate_names_each_place(document: ResultDocument) -> None:
    result = judged("throughput.overhead>20%", document, document)
    assert not result.passed
    assert result.reasons == (
        "chacha20, oltp_read_only, 1 terminal, slices: throughput.overhead is 25.82 %",
    )


def test_a_gate_that_nothing_breaks_passes(document: ResultDocument) -> None:
    assert judged("throughput.overhead>30%", document, document).passed


def test_the_comparators_are_what_they_look_like(document: ResultDocument) -> None:
    only = document.comparisons[0].model_copy(update={"overhead": 0.5})
    one = document.model_copy(update={"comparisons": (only,)})
    outcome = {
        text: judged(f"throughput.overhead{text}50%", one, one).passed
        for text in (">", ">=", "<", "<=")
    }
    assert outcome == {">": True, ">=": False, "<": True, "<=": False}


def test_a_change_is_new_minus_base(document: ResultDocument) -> None:
    def with_overhead(value: float) -> ResultDocument:
        first, *others = document.comparisons
        first = first.model_copy(update={"overhead": value})
        return document.model_copy(update={"comparisons": (first, *others)})

    worse = judged("throughput.change>1%", with_overhead(0.10), with_overhead(0.12))
    assert worse.reasons == (
        "chacha20, oltp_read_only, 1 terminal, slices: throughput.change is 2.00 %",
    )
    assert judged("throughput.change>1%", with_overhead(0.12), with_overhead(0.10)).passed


def test_a_metric_that_is_not_there_does_not_pass(document: ResultDocument) -> None:
    for text in ("server_cpu_per_transaction.overhead>9%", "server_cpu_per_transaction.change>9%"):
        result = judged(text, document, document)
        assert not result.passed
        assert "server_cpu_per_transaction" in result.reasons[0]


def test_an_invalid_or_missing_figure_does_not_pass(document: ResultDocument) -> None:
    invalid = sample_documents.invalid()
    for text, base in (("throughput.overhead>90%", document), ("throughput.change>90%", invalid)):
        result = judged(text, base, invalid)
        assert [reason for reason in result.reasons if "the comparison is invalid" in reason]
    nothing = _with_overhead(document, math.nan)
    result = judged("throughput.overhead>90%", document, nothing)
    assert result.reasons[0].endswith("there is no overhead")


def _with_overhead(document: ResultDocument, value: float) -> ResultDocument:
    def change(one: Comparison) -> Comparison:
        return one.model_copy(update={"overhead": value})

    return document.model_copy(update={"comparisons": tuple(map(change, document.comparisons))})


def test_the_gate_invalid_looks_at_the_new_result_only(document: ResultDocument) -> None:
    invalid = sample_documents.invalid()
    assert judged("invalid", invalid, document).passed
    assert not judged("invalid", document, invalid).passed
    silent = document.model_copy(update={"valid": False})
    assert judged("invalid", document, silent).reasons


def test_the_repeat_of_the_control_is_not_gated(document: ResultDocument) -> None:
    repeat = document.comparisons[0].model_copy(update={"arm": "plain (A/A)", "overhead": 9.0})
    more = document.model_copy(update={"comparisons": (*document.comparisons, repeat)})
    assert judged("throughput.overhead>50%", more, more).passed
