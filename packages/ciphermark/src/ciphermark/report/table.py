"""A table of a report: captioned, with columns that know whether they hold numbers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cell", "Column", "Table"]

OPEN_ROWS_MAX = 30


@dataclass(frozen=True, slots=True)
class Column:
    """A column; those with the same `group` stand under one heading; a `wide` one may wrap."""

    title: str
    group: str = ""
    number: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A text; `tone` is "", "bad", "muted" or "strong"."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; `note` says what a reader may ask on seeing it."""

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)

    @property
    def grouped(self) -> bool:
        """Whether some columns stand under a common heading."""
        return any(column.group for column in self.columns)

    @property
    def long(self) -> bool:
        """Whether the table has so many rows that it is better folded."""
        return len(self.rows) > OPEN_ROWS_MAX

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The headings above the columns, each with the number of columns it spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return tuple(spans)
