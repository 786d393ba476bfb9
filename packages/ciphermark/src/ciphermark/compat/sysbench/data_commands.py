"""The commands that make, warm and remove the tables: prepare, prewarm and cleanup."""

from __future__ import annotations

from ciphermark.compat.sysbench.command_line import CommandLine
from ciphermark.compat.sysbench.database import Database
from ciphermark.compat.sysbench.log import Log
from ciphermark.compat.sysbench.plan import table_options, workload
from ciphermark.engine.base import Session
from ciphermark.workload.base import BulkTable, DataSet, Statement, StatementKind
from ciphermark.workload.sysbench import tables

__all__ = ["cleanup", "prepare", "prewarm", "warn_of_missing_rows"]

_SEED = 0
"""sysbench's prepare does not know of rand-seed: its data are always the same."""
_BEGIN = Statement("begin", "BEGIN IMMEDIATE", StatementKind.CONTROL)
_COMMIT = Statement("commit", "COMMIT", StatementKind.CONTROL)


def prepare(line: CommandLine, database: Database, log: Log) -> None:
    """Makes and fills the tables; one that is there already is an error."""
    if database.create():
        encryption = database.copy.encryption
        assert encryption is not None
        log.notice(f"Creating key file '{encryption.key_file}'...")
    database.require()
    _announce_threads(line, log)
    session = database.connect()
    try:
        for table in _data(line, database).tables:
            _make_table(session, table, log)
    finally:
        session.close()


def prewarm(line: CommandLine, database: Database, log: Log) -> None:
    """Reads every table and the index on k once, as far as `table_size` goes.

    A page cache of SQLite belongs to one connection: what is warm afterwards is the cache of the
    operating system.
    """
    database.require()
    _announce_threads(line, log)
    rows = line.settings.integer("table_size")
    session = database.connect()
    try:
        for table in _data(line, database).tables:
            log.notice(f"Prewarming table {table.name}")
            for text in (
                f"SELECT AVG(id) FROM (SELECT * FROM {table.name} LIMIT {rows}) AS t",
                "SELECT COUNT(*) FROM "
                f"(SELECT * FROM {table.name} WHERE k LIKE '%0%' LIMIT {rows}) AS t",
            ):
                session.execute(Statement("prewarm", text, StatementKind.QUERY), ())
    finally:
        session.close()


def cleanup(line: CommandLine, database: Database, log: Log) -> None:
    """Drops the tables; the database stays."""
    database.require()
    data = _data(line, database)
    session = database.connect()
    try:
        for table, drop in zip(data.tables, data.drop, strict=True):
            log.notice(f"Dropping table '{table.name}'...")
            session.execute(drop, ())
    finally:
        session.close()


def warn_of_missing_rows(line: CommandLine, database: Database, log: Log) -> None:
    """Warns of tables that hold fewer rows than the run will look for.

    Statements that find no row are fast: such a run looks better than it is. A table that is not
    there raises `Fatal`.
    """
    if line.test in ("bulk_insert", "oltp_insert"):
        return
    one_table = line.test.startswith("select_random")
    wanted = line.settings.integer("table_size")
    session = database.connect()
    try:
        for table in _data(line, database).tables[: 1 if one_table else None]:
            query = Statement("highest", f"SELECT MAX(id) FROM {table.name}", StatementKind.QUERY)
            answer = session.execute(query, ())
            assert isinstance(answer, list)
            highest = answer[0][0] or 0
            if highest < wanted:
                log.warning(
                    f"{table.name} ends at id {highest}, but --table-size is {wanted}: "
                    "many statements will find no row"
                )
    finally:
        session.close()


def _data(line: CommandLine, database: Database) -> DataSet:
    """The tables of the test; bulk_insert has one for each thread."""
    dialect = database.engine.dialect
    if line.test == "bulk_insert":
        return workload(line).data(dialect, _SEED, line.settings.integer("threads"))
    empty = line.test == "oltp_insert" and not line.settings.flag("auto_inc")
    return tables.data_set(
        table_options(line.settings),
        dialect,
        _SEED,
        empty=empty or line.settings.integer("table_size") == 0,
    )


def _announce_threads(line: CommandLine, log: Log) -> None:
    if line.settings.integer("threads") > 1:
        log.notice("Initializing worker threads...")
        log.notice()


def _make_table(session: Session, table: BulkTable, log: Log) -> None:
    log.notice(f"Creating table '{table.name}'...")
    for statement in table.create:
        session.execute(statement, ())
    if table.rows:
        log.notice(f"Inserting {table.rows} records into '{table.name}'")
        _fill(session, table)
    for statement in table.after:
        log.notice(f"Creating a secondary index on '{table.name}'...")
        session.execute(statement, ())


def _fill(session: Session, table: BulkTable) -> None:
    """Inserts all rows, one transaction for each chunk."""
    markers = ", ".join("?" * len(table.columns))
    text = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({markers})"
    insert = Statement(f"fill_{table.name}", text, StatementKind.CHANGE)
    for chunk in table:
        session.execute(_BEGIN, ())
        for row in zip(*chunk, strict=True):
            session.execute(insert, row)
        session.execute(_COMMIT, ())
