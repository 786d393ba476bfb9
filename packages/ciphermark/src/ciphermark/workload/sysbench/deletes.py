"""oltp_delete: deletes one row at a time, and puts them back when the clock has stopped."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ciphermark.engine.dialect import Dialect
from ciphermark.workload.base import Answer, Call, Outcome, Parameters, Transaction
from ciphermark.workload.streams import Stream, child_seed, generator_of
from ciphermark.workload.sysbench import draws, statements
from ciphermark.workload.sysbench.options import TableOptions
from ciphermark.workload.sysbench.strings import c_and_pad

__all__ = ["DeleteProgram"]

_RESTORED_ROWS = 99
"""Number of the seed for the new content of rows that are put back."""


class DeleteProgram:
    """One DELETE for each transaction.

    Another terminal may have deleted the row already: only the terminal whose DELETE found it puts
    it back. The row returns with its id and new content, as sysbench has no notion of the old one.
    """

    def __init__(self, options: TableOptions, dialect: Dialect) -> None:
        self._options = options
        self._begin = statements.begin_call(dialect, writes=True)
        self._commit = statements.commit_call()
        self._inserts = statements.INSERT.for_tables(options.tables)
        deletes = statements.DELETE.for_tables(options.tables)
        self._table_of = {delete.name: index for index, delete in enumerate(deletes)}
        self._calls = Stream(0, draws.calls(deletes, draws.ids(options)))
        self._take = self._calls.take
        self._deleted: list[Call] = []
        self._seed = np.random.SeedSequence(0)

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        """Starts the ids of `seed`; rows that were not put back before stay deleted."""
        self._calls.rewind(seed, expected)
        self._take = self._calls.take
        self._seed = seed
        self._deleted = []

    def next_transaction(self) -> Generator[Call, Answer, Outcome]:  # hot path
        """The next DELETE."""
        return self._delete()

    def finish(self) -> Transaction | None:
        """Nothing is buffered."""
        return None

    def restore(self) -> Transaction | None:
        """Puts back, in one transaction, the rows that this terminal has deleted."""
        if not self._deleted:
            return None
        deleted, self._deleted = self._deleted, []
        return self._insert_again(deleted)

    def _delete(self) -> Generator[Call, Answer, Outcome]:  # hot path
        call = self._take()
        if (yield call):
            self._deleted.append(call)
        return 0

    def _insert_again(self, deleted: list[Call]) -> Generator[Call, Answer, Outcome]:
        yield self._begin
        for (delete, key), content in zip(deleted, self._contents(len(deleted)), strict=True):
            yield self._inserts[self._table_of[delete.name]], key + content
        yield self._commit
        return 0

    def _contents(self, count: int) -> list[Parameters]:
        """New values of k, c and pad."""
        generator = generator_of(child_seed(self._seed, _RESTORED_ROWS))
        k = self._options.distribution.draw(generator, 1, self._options.table_size, count)
        return list(zip(k.tolist(), *c_and_pad(generator, count), strict=True))
