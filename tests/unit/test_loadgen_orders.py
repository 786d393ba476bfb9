"""What the coordinator tells the workers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from ciphermark.engine.base import Copy, StatementMode
from ciphermark.loadgen.orders import LoadSpec

COPIES = tuple(tuple(Copy(f"arm{arm}", copy, "") for copy in range(6)) for arm in range(2))
SPEC = LoadSpec(
    engine=cast(Any, None),
    workload=cast(Any, None),
    copies=COPIES,
    statement_mode=StatementMode.PREPARED,
    terminals=10,
    workers=3,
    seed=1,
    stream=0,
)


@given(terminals=st.integers(1, 200), workers=st.integers(1, 20))
def test_every_terminal_has_one_worker(terminals: int, workers: int) -> None:
    workers = min(workers, terminals)
    spec = replace(SPEC, terminals=terminals, workers=workers)
    shares = [spec.terminals_of(number) for number in range(workers)]
    assert [terminal for share in shares for terminal in share] == list(range(terminals))
    sizes = [len(share) for share in shares]
    assert max(sizes) - min(sizes) <= 1


def test_cells_are_opened_in_an_order_that_favours_no_arm() -> None:
    """In a fixed order the first arm lay elsewhere in memory than its own repeat."""
    first = Counter(replace(SPEC, seed=seed).cells[0][0] for seed in range(200))
    assert 60 < first[0] < 140
    assert sorted(SPEC.cells) == [(arm, copy) for arm in range(2) for copy in range(6)]


def test_the_order_of_cells_is_repeatable_and_new_for_each_draw() -> None:
    assert SPEC.cells == replace(SPEC, terminals=3).cells
    assert SPEC.cells != replace(SPEC, draw=1).cells
    assert SPEC.cells != replace(SPEC, stream=1).cells
