"""The description of the SQLite engine, without its imports."""

from __future__ import annotations

from ciphermark.registry import Plugin

__all__ = ["SQLITE"]

SQLITE = Plugin(
    name="sqlite",
    description="SQLite with SQLite3 Multiple Ciphers, embedded in the client",
    factory="ciphermark.engine.sqlite.engine:SQLiteEngine",
    options="ciphermark.engine.sqlite.options:SQLiteOptions",
    requires=("apsw",),
    flags=frozenset({"embedded", "blocking", "tde"}),
)
