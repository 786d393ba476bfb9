"""What others have published, as context: never a figure that a result should have.

Each row says what was measured; the figures are theirs. A result outside a band is a reason to look
at the set-up, not to discard the result.
"""

from __future__ import annotations

from ciphermark.report.table import Cell, Column, Table

__all__ = ["context_table"]

_ROWS = (
    (
        "TDE, data in memory",
        "0 to 1 % of throughput",
        "MySQL 8.0, sysbench oltp_read_only, 50 GB, buffer pool 60 GB, 1 and 4 threads; "
        "PostgreSQL 17 with TDE, pgbench, misses served by the operating system",
        "Percona 2019; CYBERTEC 2025",
    ),
    (
        "TDE, larger than the cache, few terminals",
        "8 to 20 % of throughput",
        "MySQL 8.0, the same 50 GB, buffer pool 5 GB, 1 to 16 threads; RDS MySQL 8.0.28, sysbench, "
        "41 GB, buffer pool 12 and 24 GB",
        "Percona 2019; Alibaba Cloud",
    ),
    (
        "TDE, saturated",
        "0 to 5 % of throughput",
        "the same two at 32 terminals and more; OceanBase 4.2, sysbench, 128 and 256 threads",
        "Percona 2019; Alibaba Cloud; OceanBase",
    ),
    (
        "log encryption under heavy writing",
        "up to 20 to 40 % of throughput",
        "PostgreSQL with pg_tde, statements built to be the worst case",
        "Percona 2026",
    ),
    (
        "encrypted columns",
        "8 to 23 % of throughput",
        "PolarDB for MySQL 8.0.2 behind the EncJDBC driver, TPC-C, 8 to 32 terminals, 20 to 100 % "
        "of the columns",
        "Alibaba Cloud",
    ),
    (
        "encrypting driver, client side",
        "+30 to +157 % of client CPU",
        "PolarDB-X behind the EncJDBC driver, TPC-C, 64 to 1,024 terminals",
        "Alibaba Cloud",
    ),
    (
        "page encryption of an embedded database",
        "+19 to +135 % of time",
        "SQLCipher against SQLite on two telephones, 100 documents of 1 to 100 KB",
        "Couchbase Lite 2015",
    ),
)


def context_table() -> Table:
    """Published costs by kind of encryption."""
    return Table(
        key="context",
        caption="What others have published",
        columns=(
            Column("kind of encryption"),
            Column("cost", number=True),
            Column("what was measured", wide=True),
            Column("source", wide=True),
        ),
        rows=tuple((Cell(kind, "strong"), *map(Cell, rest)) for kind, *rest in _ROWS),
        note="Other machines, other data, mostly without intervals: context, not what to expect. "
        "A result outside these bands is a reason to look at the set-up, not to discard it.",
    )
