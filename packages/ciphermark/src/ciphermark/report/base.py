"""The contract of a reporter: a result document in, the content of one file out."""

from __future__ import annotations

from typing import Protocol

from ciphermark.results.document import ResultDocument

__all__ = ["Reporter"]


class Reporter(Protocol):
    """Makes a report from a result document and nothing else.

    An implementer guarantees that the same document gives the same report, that every text of the
    document is escaped as the format needs it, and that nothing is read from the network.
    """

    @property
    def file_name(self) -> str:
        """The name under which the report is written into the result folder."""
        ...

    def render(self, document: ResultDocument) -> str:
        """The report's text; raises `ReportError` when the document does not allow one."""
        ...
