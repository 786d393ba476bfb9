"""What opening costs: the time to the first row, with a raw key and with a passphrase.

Terminals keep their connections, so this cost is not in the throughput. Applications that open a
connection for each request pay it each time, and deriving a key from a passphrase is made slow on
purpose: some 20 to 160 ms.
"""

from __future__ import annotations

import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw

from ciphermark.engine.base import ColdConnection, Copy
from ciphermark.engine.sqlite.connection import configure, connect
from ciphermark.engine.sqlite.encryption import apply_passphrase
from ciphermark.engine.sqlite.errors import mapped_errors
from ciphermark.engine.sqlite.options import SQLiteOptions

__all__ = ["measure_cold_connection"]

FIRST_ROW = "SELECT count(*) FROM sqlite_schema"


def measure_cold_connection(
    copy: Copy,
    options: SQLiteOptions,
    *,
    openings: int = 15,
    clock_ns: Callable[[], int] = time.perf_counter_ns,
) -> ColdConnection:
    """Opens `copy` `openings` times, and as often a small scratch database with a passphrase.

    The CBC ciphers hash even a raw key, so with them the two are alike. Not to be called while
    anything is under load.
    """

    def open_with_key() -> None:
        connection = connect(copy, options)
        with mapped_errors(copy.location):
            connection.execute(FIRST_ROW).fetchall()
            connection.close()

    key_ms = _median_ms(open_with_key, openings, clock_ns)
    if copy.encryption is None:
        return ColdConnection(key_ms, None)
    folder = Path(copy.location).parent
    passphrase_ms = _passphrase_ms(copy.encryption.cipher, folder, options, openings, clock_ns)
    return ColdConnection(key_ms, passphrase_ms)


def _passphrase_ms(
    cipher: str,
    folder: Path,
    options: SQLiteOptions,
    openings: int,
    clock_ns: Callable[[], int],
) -> float:
    """The median with a throw-away passphrase, on a throw-away database of one table."""
    passphrase = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(dir=folder, prefix="cold-") as scratch:
        path = str(Path(scratch) / "scratch.db")

        def execute(sql: str) -> None:
            with mapped_errors(path):
                connection = apsw.Connection(path)
                apply_passphrase(connection, cipher, passphrase)
                configure(connection, options, path)
                connection.execute(sql).fetchall()
                connection.close()

        execute("CREATE TABLE scratch (id INTEGER PRIMARY KEY)")
        return _median_ms(lambda: execute(FIRST_ROW), openings, clock_ns)


def _median_ms(action: Callable[[], None], count: int, clock_ns: Callable[[], int]) -> float:
    times_ns = []
    for _ in range(count):
        start_ns = clock_ns()
        action()
        times_ns.append(clock_ns() - start_ns)
    return statistics.median(times_ns) / 1e6
