"""Every setting of SQLite that could make two copies differ."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from ciphermark.engine.base import Copy
from ciphermark.engine.sqlite.options import SQLiteOptions

__all__ = ["EXPECTED_DIFFERENCES", "read_settings"]

_PRAGMAS = (
    "auto_vacuum",
    "automatic_index",
    "cache_size",
    "cache_spill",
    "cell_size_check",
    "checkpoint_fullfsync",
    "encoding",
    "foreign_keys",
    "fullfsync",
    "ignore_check_constraints",
    "journal_mode",
    "journal_size_limit",
    "locking_mode",
    "max_page_count",
    "mmap_size",
    "page_size",
    "query_only",
    "read_uncommitted",
    "recursive_triggers",
    "reverse_unordered_selects",
    "secure_delete",
    "synchronous",
    "temp_store",
    "threads",
    "wal_autocheckpoint",
)

EXPECTED_DIFFERENCES = frozenset({"cipher", "hmac_check", "reserved_bytes_per_page"})
"""The encryption itself: which cipher, whether tags are checked, what it takes of each page."""


def read_settings(
    connection: apsw.Connection, copy: Copy, options: SQLiteOptions
) -> Mapping[str, str]:
    """The settings by name, as a session of the copy has them."""
    settings = {name: str(connection.pragma(name)) for name in _PRAGMAS}
    settings["busy_timeout_ms"] = str(options.busy_timeout_ms)
    encrypted = copy.encryption is not None
    settings["cipher"] = str(connection.pragma("cipher")) if encrypted else "none"
    settings["hmac_check"] = str(connection.pragma("hmac_check")) if encrypted else "none"
    settings["reserved_bytes_per_page"] = str(connection.reserve_bytes("main"))
    settings["compile_options"] = ", ".join(sorted(apsw.compile_options))
    return dict(sorted(settings.items()))
