"""Reports against their golden copies; with CIPHERMARK_GOLDEN=write the copies are made anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import sample_documents

from ciphermark.report.base import Reporter
from ciphermark.report.data import CSVReporter
from ciphermark.report.markdown import MarkdownReporter
from ciphermark.report.terminal import TerminalReporter
from ciphermark.results.document import ResultDocument

HERE = Path(__file__).parent / "reports"
REPORTS: dict[str, tuple[Callable[[], ResultDocument], Reporter]] = {
    "complete.md": (sample_documents.complete, MarkdownReporter()),
    "complete-100.txt": (sample_documents.complete, TerminalReporter(width=100)),
    "complete-72.txt": (sample_documents.complete, TerminalReporter(width=72)),
    "complete.csv": (sample_documents.complete, CSVReporter()),
    "invalid.md": (sample_documents.invalid, MarkdownReporter()),
    "invalid-100.txt": (sample_documents.invalid, TerminalReporter(width=100)),
    "aa-excludes-zero-100.txt": (sample_documents.aa_excludes_zero, TerminalReporter(width=100)),
    "interrupted-100.txt": (sample_documents.interrupted, TerminalReporter(width=100)),
    "empty.md": (sample_documents.empty, MarkdownReporter()),
    "empty-100.txt": (sample_documents.empty, TerminalReporter(width=100)),
    "empty.csv": (sample_documents.empty, CSVReporter()),
    "sweep-100.txt": (sample_documents.sweep, TerminalReporter(width=100)),
    "long-names.md": (sample_documents.long_names, MarkdownReporter()),
    "long-names-100.txt": (sample_documents.long_names, TerminalReporter(width=100)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_as_it_was(name: str) -> None:
    make, reporter = REPORTS[name]
    text = reporter.render(make()).replace("\r\n", "\n")
    golden = HERE / name
    if os.environ.get("CIPHERMARK_GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_there_is_no_golden_copy_without_its_report() -> None:
    assert {path.name for path in HERE.iterdir()} == set(REPORTS)


@pytest.mark.parametrize("name", [name for name in REPORTS if name.endswith(".txt")])
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    width = int(name.removesuffix(".txt").rpartition("-")[2])
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= width
