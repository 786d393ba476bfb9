"""The digest of a table: equal for equal rows, whatever their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ciphermark.engine.sqlite.digest import digest_rows
from ciphermark.workload.base import Row

VALUES = st.one_of(
    st.none(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.binary(max_size=5)
)
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=8)


@given(rows=ROWS, data=st.data())
def test_order_does_not_matter(rows: list[Row], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    assert digest_rows("t", rows) == digest_rows("t", shuffled)


@given(rows=ROWS, extra=st.tuples(VALUES, VALUES))
def test_a_row_more_matters_even_twice(rows: list[Row], extra: Row) -> None:
    digests = [digest_rows("t", rows + [extra] * times) for times in range(4)]
    assert len({digest.sha256 for digest in digests}) == 4
    assert [digest.rows for digest in digests] == [len(rows) + times for times in range(4)]


def test_types_and_borders_of_values_matter() -> None:
    tables: list[list[Row]] = [
        [(1, "1")],
        [("1", 1)],
        [(1.0, "1")],
        [(b"1", "1")],
        [(1, "1,")],
        [(None, "1")],
        [("ab", "c")],
        [("a", "bc")],
        [],
    ]
    assert len({digest_rows("t", rows).sha256 for rows in tables}) == len(tables)
