"""Every exception of apsw becomes one of Ciphermark's errors, in words that help."""

from __future__ import annotations

import pickle

import apsw
import pytest

from ciphermark.engine.sqlite.errors import MEANINGS, RETRYABLE, mapped, mapped_errors
from ciphermark.errors import EngineError, Fatal, Retryable, WrongKey

ALL_ERRORS = [
    value
    for value in vars(apsw).values()
    if isinstance(value, type) and issubclass(value, apsw.Error)
]
DISK_ERRORS = [
    apsw.CorruptError,
    apsw.IOError,
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.ProtocolError,
]


def test_apsw_still_has_its_exceptions() -> None:
    assert len(ALL_ERRORS) > 35


@pytest.mark.parametrize("kind", ALL_ERRORS)
def test_every_exception_has_a_meaning_of_its_own(kind: type[apsw.Error]) -> None:
    assert kind is apsw.NotADBError or kind in RETRYABLE or kind in MEANINGS


@pytest.mark.parametrize("kind", ALL_ERRORS)
def test_every_exception_becomes_an_error_that_crosses_processes(kind: type[apsw.Error]) -> None:
    error = mapped(kind("original words"), "bench.db, statement point select")
    assert isinstance(error, Retryable | Fatal | WrongKey)
    assert "bench.db, statement point select" in str(error)
    assert "original words" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("kind", [apsw.BusyError, apsw.LockedError])
def test_a_lock_can_be_tried_again(kind: type[apsw.Error]) -> None:
    error = mapped(kind("database is locked"), "bench.db")
    assert isinstance(error, Retryable)
    assert error.kind == "busy"


def test_a_file_that_is_no_database_means_a_wrong_key() -> None:
    error = mapped(apsw.NotADBError("file is not a database"), "bench.db")
    assert isinstance(error, WrongKey)
    assert "key" in error.what
    assert error.remedy


@pytest.mark.parametrize("kind", DISK_ERRORS)
def test_errors_of_the_disk_say_what_to_do(kind: type[apsw.Error]) -> None:
    error = mapped(kind("disk"), "bench.db")
    assert isinstance(error, Fatal)
    assert error.remedy


def test_names_are_quoted_only_where_no_value_can_stand() -> None:
    original = apsw.SQLError("no such table: sbtest9")
    assert "sbtest9" in str(mapped(original, "", quote=True))
    assert "sbtest9" not in str(mapped(original, ""))


def test_the_extended_result_code_is_named() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a PRIMARY KEY)")
    connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(Fatal) as caught, mapped_errors("memory", quote=True):
        connection.execute("INSERT INTO t VALUES (1)")
    assert caught.value.code == "SQLITE_CONSTRAINT_PRIMARYKEY"
    assert "t.a" in str(caught.value)


def test_no_exception_of_the_driver_passes_a_guarded_block() -> None:
    with pytest.raises(EngineError) as caught, mapped_errors("memory"):
        raise apsw.SQLError("near a value")
    assert caught.value.__cause__ is None
