"""Exports: stable columns with units, one row a thing, nothing lost."""

from __future__ import annotations

import csv
import io

import pytest
import sample_documents

from ciphermark.errors import ResultFileError
from ciphermark.results.document import ResultDocument
from ciphermark.results.export import TABLES, to_csv, to_json

COLUMNS = {
    "comparisons": "workload,terminals,mode,factors,arm,control,metric,unit,control_value,"
    "arm_value,overhead_ratio,ci_low_ratio,ci_high_ratio,confidence,rounds,batches,copies,df,"
    "between_copy_sd_log,estimator,significant_after_holm,valid,reasons,verdict",
    "noise_floor": "workload,terminals,mode,factors,metric,overhead_ratio,ci_low_ratio,"
    "ci_high_ratio,half_width_ratio,excludes_zero",
    "batches": "workload,terminals,mode,factors,batch,arm,rounds,ended_s,transactions,"
    "planned_rollbacks,queries,time_s,cpu_s",
    "series": "workload,terminals,mode,factors,arm,elapsed_s,throughput_tps,cpu_us_per_transaction",
    "latency": "workload,terminals,mode,factors,arm,transaction,count,mean_ms,p50_ms,p90_ms,"
    "p95_ms,p99_ms,p999_ms,max_ms",
}


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.complete()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_are_those_that_others_rely_on(document: ResultDocument, table: str) -> None:
    assert to_csv(document, table).partition("\r\n")[0].startswith(COLUMNS[table])


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_result_is_a_header(table: str) -> None:
    assert len(to_csv(sample_documents.empty(), table).splitlines()) == 1


def test_every_comparison_is_a_row_with_its_exact_figures(document: ResultDocument) -> None:
    found = rows(to_csv(document))
    assert len(found) == len(document.comparisons)
    for row, one in zip(found, document.comparisons, strict=True):
        assert (row["arm"], row["metric"], row["verdict"]) == (one.arm, one.metric, one.verdict)
        assert float(row["overhead_ratio"]) == one.overhead
        assert row["valid"] == "true"


def test_every_arm_of_a_batch_is_a_row(document: ResultDocument) -> None:
    found = rows(to_csv(document, "batches"))
    assert len(found) == sum(len(batch.transactions) for batch in document.batches)
    total = sum(int(row["transactions"]) for row in found)
    assert total == sum(sum(batch.transactions.values()) for batch in document.batches)


def test_series_and_latency_are_complete(document: ResultDocument) -> None:
    assert len(rows(to_csv(document, "series"))) == sum(len(p.series) for p in document.points)
    found = rows(to_csv(document, "latency"))
    assert [row["p99_ms"] for row in found] == [
        str(one.p99) for point in document.points for one in point.latency
    ]


def test_names_with_separators_quotes_and_line_ends_survive() -> None:
    document = sample_documents.long_names()
    name = 'a,"b"\r\nc;d=e'
    first = document.comparisons[0].model_copy(
        update={"arm": name, "factors": {"cache": "1", "tls": "on"}}
    )
    row = rows(to_csv(document.model_copy(update={"comparisons": (first,)})))[0]
    assert row["arm"] == name
    assert row["factors"] == "cache=1;tls=on"


def test_what_is_unknown_is_an_empty_cell(document: ResultDocument) -> None:
    first = document.comparisons[0].model_copy(update={"significant_after_holm": None})
    row = rows(to_csv(document.model_copy(update={"comparisons": (first,)})))[0]
    assert row["significant_after_holm"] == ""


def test_json_is_the_document(document: ResultDocument) -> None:
    assert ResultDocument.model_validate_json(to_json(document)) == document


def test_a_table_that_does_not_exist_names_those_that_do(document: ResultDocument) -> None:
    with pytest.raises(ResultFileError, match="comparisons, noise_floor, batches"):
        to_csv(document, "everything")
