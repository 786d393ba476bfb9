"""Exact latencies as a log of HDR histograms."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ciphermark.errors import ResultFileError
from ciphermark.measurement.hdr import to_hdr
from ciphermark.measurement.histogram import Histogram
from ciphermark.results.hdr_log import to_hdr_log
from ciphermark.results.journal import JOURNAL_NAME, BatchRecord, CellRecord, Journal

APART = {"arm", "copy", "server_cpu_ns", "errors", "error_examples", "histograms"}
COUNTERS = [field.name for field in fields(CellRecord) if field.name not in APART]


def histogram(*latencies_ns: int) -> Histogram:
    """A histogram of the latencies."""
    made = Histogram()
    made.record_many(list(latencies_ns))
    return made


def cell(arm: str, copy: int, *latencies_ns: int) -> CellRecord:
    """A cell that holds nothing but latencies, of one kind each."""
    counters: dict[str, Any] = dict.fromkeys(COUNTERS, 0)
    kinds = {kind: histogram(latency_ns) for kind, latency_ns in enumerate(latencies_ns)}
    return CellRecord(arm=arm, copy=copy, server_cpu_ns=None, histograms=kinds, **counters)


def journal_with(folder: Path, *cells: CellRecord) -> Path:
    """A folder with a journal of one batch."""
    with Journal(folder / JOURNAL_NAME) as journal:
        journal.write("run", {"id": "x"})
        batch = BatchRecord("oltp/1/slices/text[a=1,b=2]", 0, 0, 0, 30, 12.5, 2.0, cells)
        journal.write("batch", batch.to_json())
    return folder


def test_an_arm_has_one_line_with_copies_and_kinds_together(tmp_path: Path) -> None:
    cells = cell("plain", 0, 10, 20), cell("plain", 1, 2_000_000), cell("tde", 0, 5), cell("no", 0)
    lines = to_hdr_log(journal_with(tmp_path, *cells)).splitlines()
    assert lines[0] == "#[Histogram log format version 1.3]"
    merged = to_hdr(histogram(10, 20, 2_000_000))
    assert lines[3:] == [
        f"Tag=oltp/1/slices/text_a=1_b=2_/plain,10.500,2.000,2.000,{merged}",
        f"Tag=oltp/1/slices/text_a=1_b=2_/tde,10.500,2.000,0.000,{to_hdr(histogram(5))}",
    ]


def test_the_result_file_leads_to_the_journal_beside_it(tmp_path: Path) -> None:
    journal_with(tmp_path, cell("plain", 0, 10))
    assert to_hdr_log(tmp_path / "result.json") == to_hdr_log(tmp_path)


def test_without_a_journal_there_are_no_exact_latencies(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match="there is no journal"):
        to_hdr_log(tmp_path)
