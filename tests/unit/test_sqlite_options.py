"""The options of the SQLite engine: defaults that are durable, and bad values refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pydantic import ValidationError

from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions


def test_the_default_is_durable() -> None:
    options = SQLiteOptions()
    assert (options.durability, options.journal_mode) == ("full", "wal")
    assert options.cache_kib == 16 * 1024


@pytest.mark.parametrize(
    "bad",
    [
        {"durability": "fast"},
        {"journal_mode": "off"},
        {"cache_mib": 0},
        {"page_size": 4095},
        {"page_size": 128},
        {"busy_timeout_ms": -1},
        {"cache_mb": 16},
    ],
)
def test_bad_values_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SQLiteOptions(**bad)


def test_an_engine_crosses_to_the_workers() -> None:
    engine = SQLiteEngine(SQLiteOptions(cache_mib=0.5))
    restored = pickle.loads(pickle.dumps(engine))
    assert restored.options == engine.options
    assert restored.options.cache_kib == 512
