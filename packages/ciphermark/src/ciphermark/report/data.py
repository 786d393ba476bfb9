"""The reports that are data: JSON and CSV, through `results/export.py`."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermark.results.document import ResultDocument
from ciphermark.results.export import to_csv, to_json

__all__ = ["CSVReporter", "JSONReporter"]


@dataclass(frozen=True, slots=True)
class JSONReporter:
    """The result document itself."""

    file_name: str = "result.json"

    def render(self, document: ResultDocument) -> str:
        """The document as JSON."""
        return to_json(document)


@dataclass(frozen=True, slots=True)
class CSVReporter:
    """One table of the result; see `ciphermark.results.export.TABLES`."""

    table: str = "comparisons"

    @property
    def file_name(self) -> str:
        """Named after the table."""
        return f"{self.table}.csv"

    def render(self, document: ResultDocument) -> str:
        """The table as CSV; raises `ResultFileError` when there is no such table."""
        return to_csv(document, self.table)
