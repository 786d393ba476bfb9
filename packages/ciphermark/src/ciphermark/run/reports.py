"""Writes the reports that belong into every result folder."""

from __future__ import annotations

from pathlib import Path

from ciphermark.registry import find
from ciphermark.report.base import Reporter
from ciphermark.results.document import ResultDocument

__all__ = ["write_reports"]

WRITTEN = ("html", "markdown")


def write_reports(document: ResultDocument, folder: Path) -> Path:
    """Writes `report.html` and `report.md`; returns the path of the first."""
    paths: list[Path] = []
    for name in WRITTEN:
        reporter: Reporter = find("report", name).load()()
        path = folder / reporter.file_name
        path.write_text(reporter.render(document), encoding="utf-8")
        paths.append(path)
    return paths[0]
