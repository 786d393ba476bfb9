"""The calls of select_random_points and select_random_ranges.

The values of k are cut into as many equal segments as there are terminals; each terminal draws in
its own segment, with the chosen distribution.
"""

from __future__ import annotations

import numpy as np

from ciphermark.workload.base import Parameters, Statement, StatementKind
from ciphermark.workload.sysbench import draws
from ciphermark.workload.sysbench.options import (
    RandomPointsOptions,
    RandomRangesOptions,
    TableOptions,
)
from ciphermark.workload.sysbench.statements import table_name

__all__ = ["points_statement", "random_points", "random_ranges", "ranges_statement", "segment"]


def points_statement(options: RandomPointsOptions) -> Statement:
    """One query for a list of values of k."""
    markers = ", ".join("?" * options.random_points)
    text = f"SELECT id, k, c, pad FROM {table_name(1)} WHERE k IN ({markers})"
    return Statement("random_points", text, StatementKind.QUERY)


def ranges_statement(options: RandomRangesOptions) -> Statement:
    """One query for several ranges of k."""
    ranges = " OR ".join(["k BETWEEN ? AND ?"] * options.number_of_ranges)
    text = f"SELECT count(k) FROM {table_name(1)} WHERE {ranges}"
    return Statement("random_ranges", text, StatementKind.QUERY)


def random_points(
    options: RandomPointsOptions, terminal: int, terminals: int
) -> draws.Draw[Parameters]:
    """The values of k of one query."""
    values = _Values(options, options.random_points, terminal, terminals)

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        return list(map(tuple, values.draw(generator, count).tolist()))

    return draw


def random_ranges(
    options: RandomRangesOptions, terminal: int, terminals: int
) -> draws.Draw[Parameters]:
    """The borders of the ranges of one query: first, last, first, last, …"""
    values = _Values(options, options.number_of_ranges, terminal, terminals)
    delta = options.delta

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        first = values.draw(generator, count)
        borders = np.stack((first, first + delta), axis=2).reshape(count, -1)
        return list(map(tuple, borders.tolist()))

    return draw


def segment(table_size: int, terminal: int, terminals: int) -> tuple[int, int]:
    """The lowest and highest value that a terminal draws, both included.

    The exact borders may be fractions and are cut off; neighbouring segments share a border.
    """
    return table_size * terminal // terminals, table_size * (terminal + 1) // terminals


class _Values:
    """Draws `width` values for each of several queries, within one segment."""

    def __init__(self, options: TableOptions, width: int, terminal: int, terminals: int) -> None:
        self._distribution = options.distribution
        self._width = width
        self._low, self._high = segment(options.table_size, terminal, terminals)

    def draw(
        self, generator: np.random.Generator, count: int
    ) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        values = self._distribution.draw(generator, self._low, self._high, count * self._width)
        return values.reshape(count, self._width)
