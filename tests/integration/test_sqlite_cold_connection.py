"""Cold connections: opened as often as said, with a key and with a passphrase, nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from ciphermark.engine.base import Copy, Encryption
from ciphermark.engine.sqlite.cold_connection import measure_cold_connection
from ciphermark.engine.sqlite.encryption import CIPHERS
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import EngineError

ENGINE = SQLiteEngine(SQLiteOptions())


def clock_of_milliseconds() -> Iterator[int]:
    return (tick * 1_000_000 for tick in count())


@pytest.mark.parametrize("cipher", [None, *CIPHERS])
def test_both_ways_are_measured(tmp_path: Path, cipher: str | None) -> None:
    encryption = Encryption(cipher, tmp_path / "arm.key") if cipher else None
    if encryption:
        ENGINE.make_key(encryption.cipher, encryption.key_file)
    copy = Copy("arm", 0, str(tmp_path / "arm.db"), encryption)
    ENGINE.create(copy)
    files = sorted(path.name for path in tmp_path.iterdir())
    ticks = clock_of_milliseconds()
    cold = measure_cold_connection(copy, ENGINE.options, openings=3, clock_ns=ticks.__next__)
    assert cold.key_ms == 1.0
    assert cold.passphrase_ms == (1.0 if cipher else None)
    assert next(ticks) // 1_000_000 == (12 if cipher else 6)
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_it_opens_the_copy_itself(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="not there"):
        measure_cold_connection(Copy("arm", 0, str(tmp_path / "arm.db")), ENGINE.options)
