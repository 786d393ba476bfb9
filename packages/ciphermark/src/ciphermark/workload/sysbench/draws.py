"""What a terminal draws for its transactions: ids, ranges, new values and whole rows.

Each function makes the `draw` of a `Stream`: parameters, ready to be sent.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import TypeAlias, TypeVar

import numpy as np

from ciphermark.workload.base import Call, Parameters, Statement
from ciphermark.workload.sysbench.options import TableOptions
from ciphermark.workload.sysbench.strings import c_and_pad, c_values

__all__ = ["Draw", "calls", "ids", "ids_and_c", "rows", "spans", "table_indexes"]

T = TypeVar("T")
Draw: TypeAlias = "Callable[[np.random.Generator, int], list[T]]"


def ids(options: TableOptions) -> Draw[Parameters]:
    """(id,)"""
    distribution, highest = options.distribution, options.table_size

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        return list(zip(distribution.draw(generator, 1, highest, count).tolist()))

    return draw


def spans(options: TableOptions, width: int) -> Draw[Parameters]:
    """(first id, last id) of a range of `width` ids, which may reach beyond the table's end."""
    distribution, highest = options.distribution, options.table_size

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        first = distribution.draw(generator, 1, highest, count)
        return list(zip(first.tolist(), (first + (width - 1)).tolist(), strict=True))

    return draw


def ids_and_c(options: TableOptions) -> Draw[Parameters]:
    """(new c, id)"""
    distribution, highest = options.distribution, options.table_size

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        c = c_values(generator, count)
        return list(zip(c, distribution.draw(generator, 1, highest, count).tolist(), strict=True))

    return draw


def rows(options: TableOptions, *, with_id: bool = True) -> Draw[Parameters]:
    """(id, k, c, pad), or (k, c, pad)."""
    distribution, highest = options.distribution, options.table_size

    def draw(generator: np.random.Generator, count: int) -> list[Parameters]:
        keys = [
            distribution.draw(generator, 1, highest, count).tolist()
            for _ in range(2 if with_id else 1)
        ]
        return list(zip(*keys, *c_and_pad(generator, count), strict=True))

    return draw


def table_indexes(tables: int) -> Draw[int]:
    """Positions 0 to `tables` - 1, each equally often."""

    def draw(generator: np.random.Generator, count: int) -> list[int]:
        drawn: list[int] = generator.integers(0, tables, count).tolist()
        return drawn

    return draw


def calls(statements: tuple[Statement, ...], parameters: Draw[Parameters]) -> Draw[Call]:
    """A call of one of `statements`, each equally often, with its parameters."""
    choose = table_indexes(len(statements))

    def draw(generator: np.random.Generator, count: int) -> list[Call]:
        values = parameters(generator, count)
        if len(statements) == 1:
            return list(zip(repeat(statements[0], count), values, strict=True))
        chosen = map(statements.__getitem__, choose(generator, count))
        return list(zip(chosen, values, strict=True))

    return draw
