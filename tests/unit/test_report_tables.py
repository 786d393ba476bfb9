"""Tables and answers: what stands in which cell, whatever the document holds."""

from __future__ import annotations

import pytest
import sample_documents

from ciphermark.report.answer import answer_of
from ciphermark.report.evidence import (
    arms_table,
    consistency_table,
    environment_table,
    errors_table,
    options_table,
    proof_table,
    settings_table,
)
from ciphermark.report.readable import shorten
from ciphermark.report.table import Table
from ciphermark.report.tables import (
    brief_table,
    costs_table,
    cpu_table,
    latency_table,
    noise_table,
    points_table,
    published_table,
)
from ciphermark.report.usage import load_table, resources_table
from ciphermark.report.view import View
from ciphermark.results.document import ResultDocument


@pytest.fixture(scope="module")
def view() -> View:
    return View(sample_documents.complete())


def texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


def titles(table: Table | None) -> list[str]:
    assert table is not None
    return [f"{column.group}/{column.title}".strip("/") for column in table.columns]


def test_the_published_table_has_a_group_of_columns_for_each_arm(view: View) -> None:
    slices, blocks = published_table(view, "slices"), published_table(view, "blocks")
    assert titles(slices) == [
        "scenario",
        "terminals",
        "plain/TPS",
        "plain/latency, ms",
        "TDE chacha20/TPS",
        "TDE chacha20/latency, ms",
        "TDE chacha20/loss",
        "TDE aegis/TPS",
        "TDE aegis/latency, ms",
        "TDE aegis/loss",
        "noise floor",
        "batches × copies",
    ]
    assert [row[0] for row in texts(slices)] == ["oltp_read_only", "oltp_read_write"]
    assert "TDE aegis/TPS" not in titles(blocks)
    assert slices is not None
    assert slices.groups == (("", 2), ("plain", 2), ("TDE chacha20", 3), ("TDE aegis", 3), ("", 2))


def test_a_sweep_has_a_row_for_each_number_of_terminals() -> None:
    rows = texts(published_table(View(sample_documents.sweep()), "slices"))
    assert [row[1] for row in rows] == [f"{2**step:,}" for step in range(11)]


def test_swept_settings_have_a_column_of_their_own() -> None:
    table = published_table(View(sample_documents.long_names()), "slices")
    assert titles(table)[:3] == ["scenario", "settings", "terminals"]
    assert texts(table)[0][1] == "cache 16 MiB of page cache per connection, mode <script>"


def test_an_arm_that_took_no_part_has_empty_cells(view: View) -> None:
    document = view.document
    fewer = [
        one
        for one in document.comparisons
        if not (one.arm == "aegis" and one.workload == "oltp_read_write")
    ]
    table = published_table(
        View(document.model_copy(update={"comparisons": tuple(fewer)})), "slices"
    )
    assert texts(table)[1][7] == texts(table)[1][9] == "–"


def test_every_cost_has_its_interval(view: View) -> None:
    table = costs_table(view)
    assert texts(table)[0] == [
        "oltp_read_only",
        "1",
        "slices",
        "TDE chacha20",
        "25.82 % (25.46 to 26.18)",
        "33.32 % (32.95 to 33.68)",
        "35.21 % (34.92 to 35.50)",
        "33.44 % (32.86 to 34.02)",
        "27.6 % (26.1 to 29.0)",
        "34.90 % (34.76 to 35.04)",
        "yes",
    ]


def test_an_invalid_cost_is_called_so() -> None:
    table = costs_table(View(sample_documents.invalid()))
    assert table is not None
    cell = table.rows[0][4]
    assert (cell.text, cell.tone) == ("invalid: 25.82 % (25.46 to 26.18)", "bad")


def test_the_brief_table_shows_the_noise_floor_beside_each_point(view: View) -> None:
    rows = texts(brief_table(view, "slices"))
    assert rows[0] == ["oltp_read_only, 1 terminal", "", "", "noise floor ±0.36 %", ""]
    assert rows[1] == ["  plain", "5,234 ± 31", "0.187", "", ""]
    assert brief_table(View(sample_documents.empty()), "slices") is None


def test_latency_and_cpu_have_a_row_for_each_arm_and_point(view: View) -> None:
    assert len(texts(latency_table(view))) == 4 + 4 + 3
    assert len(texts(cpu_table(view))) == 2 + 2 + 1
    assert texts(cpu_table(view))[0][4:] == [
        "µs",
        "156.8 ± 0.3",
        "211.5 ± 0.4",
        "34.90 % (34.76 to 35.04)",
        "24 × 6",
    ]


def test_the_plain_arm_has_one_figure_with_one_interval(view: View) -> None:
    apart = tuple(
        one.model_copy(update={"between_copy_sd": 0.1}) if one.arm == "aegis" else one
        for one in view.document.comparisons
    )
    rows = texts(cpu_table(View(view.document.model_copy(update={"comparisons": apart}))))
    (first, second) = [row[5] for row in rows if row[0] == "oltp_read_only"]
    assert first == second, "each comparison has its own variance; the plain arm is one"


def test_the_noise_table_marks_what_excludes_zero() -> None:
    table = noise_table(View(sample_documents.aa_excludes_zero()))
    assert table is not None
    assert table.rows[0][-1].text == "excludes zero"
    assert table.rows[0][-1].tone == "bad"


def test_how_a_point_was_measured(view: View) -> None:
    row = texts(points_table(view))[2]
    assert row[2:9] == ["blocks of 2 s", "closed", "1", "6", "6", "0", "precision"]
    assert row[9] == "in memory: 5.9 MiB of data, 16.0 MiB of page cache"


def test_options_in_which_workloads_differ_come_first(view: View) -> None:
    first, second, third = view.document.points
    other = second.model_copy(
        update={"workload_options": {"tables": "1", "table_size": "500", "index_updates": "1"}}
    )
    table = options_table(View(view.document.model_copy(update={"points": (first, other, third)})))
    assert titles(table) == ["option", "oltp_read_only", "oltp_read_write", "oltp_read_write"]
    assert texts(table) == [
        ["index_updates", "–", "1", "–"],
        ["rand_type", "special", "–", "special"],
        ["table_size", "25000", "500", "25000"],
        ["tables", "1", "1", "1"],
    ]


def test_what_the_load_generator_used_has_a_table_of_its_own(view: View) -> None:
    assert load_table(view) is None
    point = view.document.points[0].model_copy(
        update={
            "probes": {
                "workers": {"rss_peak_bytes": 77066240.0, "cpu_s": 2.41, "machine_cpu_busy": 0.987}
            }
        }
    )
    table = load_table(View(view.document.model_copy(update={"points": (point,)})))
    assert titles(table)[3:] == ["of", "memory, peak", "CPU, s", "machine: CPU busy"]
    assert texts(table)[0][3:] == ["workers", "73.5 MiB", "2.410", "98.7 %"]


def test_the_name_of_an_engine_is_said_once(view: View) -> None:
    arm = view.document.arms[0].model_copy(update={"version": "SQLite 3.54.0 (Multiple Ciphers)"})
    table = arms_table(View(view.document.model_copy(update={"arms": (arm,)})))
    assert texts(table)[0][1] == "SQLite 3.54.0 (Multiple Ciphers)"


def test_an_open_loop_bound_by_count_is_described(view: View) -> None:
    point = view.document.points[0].model_copy(
        update={
            "rate_tps": 1200.0,
            "slice_transactions": 50,
            "late": {"plain": 3},
            "schedule_lag_ms": {"plain": 0.02},
        }
    )
    document = view.document.model_copy(update={"points": (point,)})
    assert texts(points_table(View(document)))[0][2:4] == [
        "slices of 50 transactions",
        "open, 1,200/s",
    ]
    resources = resources_table(View(document))
    assert titles(resources)[4:] == ["cache hits", "late", "schedule lag, ms", "memory", "written"]
    assert texts(resources)[0][4:] == ["99.94 %", "3", "0.0200", "46.0 MiB", "8.7 MiB"]
    assert "slices of 50 transactions" in answer_of(View(document)).groups[0].subtitle


def test_the_proof_table_says_what_was_found(view: View) -> None:
    table = proof_table(view)
    assert texts(table)[2] == [
        "TDE chacha20",
        "encrypted",
        "proven",
        "64",
        "0",
        "12",
        "36.0 MiB",
        "8.000",
        "no",
    ]
    assert table is not None
    assert table.note.startswith("Method: data file, WAL and journal scanned")


def test_a_refuted_proof_stands_out_with_its_details() -> None:
    table = proof_table(View(sample_documents.invalid()))
    assert table is not None
    cells = {cell.text: cell.tone for cell in table.rows[2]}
    assert cells["REFUTED"] == "bad"
    assert "384 marker rows found in 6 files; opens without the key" in cells


def test_different_methods_of_proof_stand_in_their_rows(view: View) -> None:
    document = view.document
    first = document.arms[0]
    arms = (
        first.model_copy(
            update={"proof": first.proof.model_copy(update={"method": "the catalogue"})}
        ),
        *document.arms[1:],
    )
    table = proof_table(View(document.model_copy(update={"arms": arms})))
    assert titles(table)[-1] == "details"
    assert texts(table)[0][-1] == "the catalogue"


def test_the_arms_show_cipher_pages_and_cold_connections(view: View) -> None:
    row = texts(arms_table(view))[2]
    assert row == [
        "TDE chacha20",
        "sqlite 3.54.0",
        "tde (cipher chacha20)",
        "chacha20",
        "yes",
        "32 of 4096",
        "1,523",
        "6",
        "5.9 MiB",
        "0.410",
        "61.80",
        "prepared",
        "apsw",
    ]


def test_settings_that_differ_come_first(view: View) -> None:
    document = view.document
    last = document.arms[-1].model_copy(
        update={"settings": {**document.arms[-1].settings, "synchronous": "OFF"}}
    )
    table = settings_table(View(document.model_copy(update={"arms": (*document.arms[:-1], last)})))
    assert texts(table)[0] == ["synchronous", "FULL", "FULL", "FULL", "OFF", "differs"]
    assert texts(table)[1][-1] == "equal"


def test_a_long_setting_that_is_equal_is_said_once(view: View) -> None:
    arms = tuple(
        arm.model_copy(update={"settings": {"options": "A_LONG_NAME=1, " * 20}})
        for arm in view.document.arms
    )
    row = texts(settings_table(View(view.document.model_copy(update={"arms": arms}))))[0]
    assert row[2:] == ["the same"] * (len(arms) - 1) + ["equal"]


def test_a_check_that_holds_is_one_row_and_one_that_fails_names_its_copies() -> None:
    document = sample_documents.invalid()
    failed = document.consistency[-1]
    copies = tuple(failed.model_copy(update={"copy_index": index}) for index in (4, 1))
    held = document.consistency[:-1]
    view = View(document.model_copy(update={"consistency": (*held, *copies)}))
    table = consistency_table(view)
    assert texts(table) == [
        [
            "rows equal the control's",
            "after replay",
            "NO",
            "TDE aegis: copy 1, copy 4",
            "sbtest1: 25000 rows against 24999",
        ],
        [
            "all rows equal the control's",
            "after load",
            "yes",
            "4 copies of plain, plain (A/A), TDE chacha20, TDE aegis",
            "–",
        ],
    ]


def test_what_is_empty_is_no_table() -> None:
    view = View(sample_documents.empty().model_copy(update={"arms": (), "consistency": ()}))
    made = (
        published_table(view, "slices"),
        costs_table(view),
        cpu_table(view),
        latency_table(view),
        noise_table(view),
        points_table(view),
        proof_table(view),
        arms_table(view),
        settings_table(view),
        errors_table(view),
        consistency_table(view),
        resources_table(view),
        load_table(view),
        options_table(view),
    )
    assert made == (None,) * len(made)
    assert len(environment_table(view).rows) > 10


def test_many_verdicts_leave_only_their_sentences() -> None:
    assert not answer_of(View(sample_documents.complete())).compact
    document = sample_documents.complete()
    points = tuple(
        point.model_copy(update={"workload": f"{point.workload}_{number}"})
        for number in range(3)
        for point in document.points
    )
    comparisons = tuple(
        one.model_copy(update={"workload": f"{one.workload}_{number}"})
        for number in range(3)
        for one in document.comparisons
    )
    many = document.model_copy(update={"points": points, "comparisons": comparisons})
    assert answer_of(View(many)).compact


def test_a_cost_a_gain_and_what_is_unclear_are_told_apart() -> None:
    document = sample_documents.complete()

    def kinds(low: float, high: float) -> set[str]:
        comparisons = tuple(
            one.model_copy(update={"ci_low": low, "ci_high": high}) for one in document.comparisons
        )
        view = View(document.model_copy(update={"comparisons": comparisons}))
        return {one.kind for group in answer_of(view).groups for one in group.verdicts}

    assert kinds(0.01, 0.02) == {"cost"}
    assert kinds(-0.02, -0.01) == {"gain"}
    assert kinds(-0.01, 0.01) == {"unclear"}


def test_a_sweep_with_invalid_points_says_how_many() -> None:
    document: ResultDocument = sample_documents.sweep()
    comparisons = tuple(
        one.model_copy(update={"valid": one.terminals > 2 or one.arm != "aegis"})
        for one in document.comparisons
    )
    view = View(document.model_copy(update={"comparisons": comparisons}))
    verdict = next(
        one for group in answer_of(view).groups for one in group.verdicts if "aegis" in one.arm
    )
    assert verdict.kind == "invalid"
    assert verdict.sentence.endswith("2 points of 11 are invalid.")


def test_equal_labels_are_told_apart_by_the_names_of_their_arms() -> None:
    document = sample_documents.complete()
    arms = tuple(arm.model_copy(update={"label": "TDE"}) for arm in document.arms)
    view = View(document.model_copy(update={"arms": arms}))
    assert [view.label(arm) for arm in view.shown] == [
        "TDE",
        "TDE (A/A)",
        "TDE [chacha20]",
        "TDE [aegis]",
    ]


def test_what_cannot_be_shown_is_replaced() -> None:
    document = sample_documents.complete()
    first = document.arms[0].model_copy(
        update={"label": "pl\x00a\u202ei\nn", "settings": {"a\x1b": "\x07"}}
    )
    view = View(document.model_copy(update={"arms": (first, *document.arms[1:])}))
    sign = "\N{REPLACEMENT CHARACTER}"
    assert view.label("plain") == f"pl{sign}a{sign}i n"
    assert view.document.arms[0].settings == {f"a{sign}": sign}
    assert view.document.arms[1:] == document.arms[1:]


def test_a_text_is_shortened_with_an_ellipsis() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("ab cd", 4) == "ab…"
    assert shorten("加密数据库", 6) == "加密…"


def test_a_fixed_rate_is_judged_by_latency() -> None:
    document = sample_documents.complete()
    points = tuple(one.model_copy(update={"rate_tps": 100.0}) for one in document.points)
    view = View(document.model_copy(update={"points": points}))
    verdicts = [verdict for group in answer_of(view).groups for verdict in group.verdicts]
    assert verdicts
    for verdict in verdicts:
        assert "mean latency" in verdict.sentence
        assert "throughput" not in verdict.sentence
        assert [text.split(" ")[0] for text in verdict.beside] == ["CPU", "p95", "p99"]
    brief = texts(brief_table(view, "slices"))
    assert brief[0][3].startswith("noise floor of mean latency ±")
    assert brief[2][3] == "fixed rate"
