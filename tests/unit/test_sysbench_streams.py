"""A stream gives what its seed says, however much of it was drawn beforehand."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

from ciphermark.workload import streams
from ciphermark.workload.streams import Stream, child_seed


class Draws:
    """A draw that counts how many values it made."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, generator: np.random.Generator, count: int) -> list[int]:
        self.made += count
        values: list[int] = generator.integers(0, 10**9, count).tolist()
        return values


def seed(*key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(1, spawn_key=key)


def taken(stream: Stream[Any], count: int) -> list[Any]:
    return [stream.take() for _ in range(count)]


@pytest.mark.parametrize("expected", [0, 1, 63, 64, 65, 1000, 5000])
def test_values_do_not_depend_on_what_was_drawn_beforehand(expected: int) -> None:
    reference: Stream[int] = Stream(0, Draws())
    reference.rewind(seed(1), 0)
    stream: Stream[int] = Stream(0, Draws())
    stream.rewind(seed(1), expected)
    assert taken(stream, 7000) == taken(reference, 7000)


def test_the_same_seed_again_gives_the_same_and_draws_nothing() -> None:
    draws = Draws()
    stream = Stream(0, draws)
    stream.rewind(seed(1), 500)
    first = taken(stream, 500)
    made = draws.made
    stream.rewind(seed(1), 500)
    assert draws.made == made
    assert taken(stream, 500) == first


def test_a_larger_expectation_draws_only_the_rest() -> None:
    draws = Draws()
    stream = Stream(0, draws)
    stream.rewind(seed(1), 100)
    first = taken(stream, 3000)
    draws.made = 0
    stream.rewind(seed(1), 3000)
    assert 2800 <= draws.made < 4000
    assert taken(stream, 3000) == first


def test_what_runs_over_is_drawn_again_for_each_arm() -> None:
    draws = Draws()
    stream = Stream(0, draws)
    made = []
    for _ in range(2):
        draws.made = 0
        stream.rewind(seed(1), 64)
        taken(stream, 200)
        made.append(draws.made)
    assert made[0] == made[1] + 64


def test_seeds_and_numbers_give_values_of_their_own() -> None:
    found = set()
    for number in range(2):
        for key in ((1,), (2,), (1, 2)):
            stream: Stream[int] = Stream(number, Draws())
            stream.rewind(seed(*key), 10)
            found.add(tuple(taken(stream, 5)))
    assert len(found) == 6


def test_what_is_held_beforehand_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PREDRAWN_VALUES_MAX", 100)
    draws = Draws()
    Stream(0, draws).rewind(seed(1), 10**9)
    assert draws.made <= 64 + 128


def test_a_stream_must_be_rewound_first() -> None:
    with pytest.raises(RuntimeError, match="rewound"):
        Stream(0, Draws()).take()


def test_a_child_seed_is_the_same_at_every_call() -> None:
    states = [child_seed(seed(3), 5).generate_state(4).tolist() for _ in range(2)]
    assert states[0] == states[1]
    assert states[0] != child_seed(seed(3), 6).generate_state(4).tolist()
    assert list(islice(states, 1)) != [seed(3).generate_state(4).tolist()]
