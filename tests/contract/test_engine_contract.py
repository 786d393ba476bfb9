"""What every engine guarantees, plain and with each of its ciphers.

An engine that is registered is tested here without a further line; one that needs a server is
skipped when `CIPHERMARK_TEST_<ENGINE>` does not hold its options as JSON.
"""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from ciphermark import registry
from ciphermark.engine.base import Copy, Engine, SessionKind, StatementMode
from ciphermark.errors import EngineError, Fatal, UnsupportedCapability, WrongKey
from ciphermark.proof.encryption import prove
from ciphermark.proof.markers import claim, drop_owned, make_markers, owner
from ciphermark.protection.base import Protection
from ciphermark.workload.base import BulkTable, Statement, StatementKind

ROWS = 400
QUERY, CHANGE, CONTROL = StatementKind.QUERY, StatementKind.CHANGE, StatementKind.CONTROL
SELECT = Statement("select", "SELECT c FROM bench WHERE id = ?", QUERY)
SELECT_ALL = Statement("select all", "SELECT id, k, c FROM bench ORDER BY id", QUERY)
UPDATE = Statement("update", "UPDATE bench SET k = k + ? WHERE id = ?", CHANGE)
INSERT = Statement("insert", "INSERT INTO bench (id, k, c) VALUES (?, ?, ?)", CHANGE)
INSERT_AS_TEXT = Statement("insert as text", INSERT.text, CHANGE, always_text=True)
COMMIT = Statement("commit", "COMMIT", CONTROL)
ROLLBACK = Statement("rollback", "ROLLBACK", CONTROL)
WRONG = Statement("wrong", "SELECT c FROM absent WHERE c = ?", QUERY)


class Arm(NamedTuple):
    """An engine with a cipher or without one, in a folder of its own."""

    engine: Engine
    protection: Protection
    folder: Path

    def copy(self, index: int = 0, arm: str = "arm") -> Copy:
        encryption = self.protection.prepare(self.engine, arm, self.folder / "keys")
        return Copy(arm, index, self.engine.locate(arm, index, self.folder), encryption)

    def loaded(self, index: int = 0) -> Copy:
        copy = self.copy(index)
        self.engine.create(copy)
        self.engine.load(copy, TABLE, nothing)
        return copy


def chunks() -> Iterator[tuple[Any, ...]]:
    for start in range(1, ROWS + 1, 150):
        count = min(150, ROWS + 1 - start)
        ids = np.arange(start, start + count)
        yield ids, (ids * 7919 % ROWS).tolist(), [f"text of row {i}" for i in ids.tolist()]


TABLE = BulkTable(
    name="bench",
    columns=("id", "k", "c"),
    rows=ROWS,
    create=(
        Statement(
            "create",
            "CREATE TABLE bench (id INTEGER NOT NULL PRIMARY KEY, k INTEGER NOT NULL, "
            "c VARCHAR(120) NOT NULL)",
            CONTROL,
        ),
    ),
    after=(Statement("index", "CREATE INDEX bench_k ON bench (k)", CONTROL),),
    chunks=chunks,
)


def nothing(rows: int) -> None:
    del rows


def engine_named(name: str) -> Engine:
    plugin = registry.find("engine", name)
    if plugin.missing:
        pytest.skip(f"{name} needs {', '.join(plugin.missing)}")
    given = os.environ.get(f"CIPHERMARK_TEST_{name.upper()}")
    if given is None and "embedded" not in plugin.flags:
        pytest.skip(f"CIPHERMARK_TEST_{name.upper()} is not set")
    engine: Engine = plugin.load()(plugin.load_options()(**json.loads(given or "{}")))
    return engine


def protection_with(cipher: str | None) -> Protection:
    plugin = registry.find("protection", "tde" if cipher else "none")
    options = plugin.load_options()(**({"cipher": cipher} if cipher else {}))
    protection: Protection = plugin.load()(options)
    return protection


def cases() -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for name, plugin in registry.plugins("engine").items():
        ciphers: tuple[str, ...] = ()
        if not plugin.missing:
            ciphers = plugin.load()(plugin.load_options()()).ciphers
        found += [(name, None), *((name, cipher) for cipher in ciphers)]
    return found


@pytest.fixture(params=cases(), ids=lambda case: f"{case[0]}-{case[1] or 'plain'}")
def arm(request: pytest.FixtureRequest, tmp_path: Path) -> Arm:
    name, cipher = request.param
    return Arm(engine_named(name), protection_with(cipher), tmp_path)


@pytest.fixture(params=list(StatementMode))
def mode(request: pytest.FixtureRequest) -> StatementMode:
    chosen: StatementMode = request.param
    return chosen


def test_an_engine_names_itself(arm: Arm) -> None:
    assert arm.engine.kind in registry.plugins("engine")
    assert re.search(r"\d+\.\d+", arm.engine.version())
    assert arm.engine.drivers()
    assert all(re.search(r"\d", version) for version in arm.engine.drivers().values())


def test_an_engine_crosses_to_the_workers(arm: Arm) -> None:
    engine: Engine = pickle.loads(pickle.dumps(arm.engine))
    copy = pickle.loads(pickle.dumps(arm.loaded()))
    session = engine.connect(copy)
    assert session.execute(SELECT, (1,)) == [("text of row 1",)]
    session.close()


def test_a_load_brings_all_rows_and_reports_them(arm: Arm) -> None:
    copy = arm.copy()
    arm.engine.create(copy)
    reported: list[int] = []

    def progress(rows: int) -> None:
        reported.append(rows)

    arm.engine.load(copy, TABLE, progress)
    assert sum(reported) == ROWS
    assert len(reported) > 1
    session = arm.engine.connect(copy)
    rows = session.execute(SELECT_ALL, ())
    assert rows == [(i, i * 7919 % ROWS, f"text of row {i}") for i in range(1, ROWS + 1)]
    session.close()


def test_answers_and_counters(arm: Arm, mode: StatementMode) -> None:
    session = arm.engine.connect(arm.loaded(), mode)
    begin = Statement("begin", arm.engine.dialect.begin_write, CONTROL)
    assert session.execute(begin, ()) == 0
    assert session.execute(SELECT, (7,)) == [("text of row 7",)]
    assert session.execute(SELECT, (ROWS + 1,)) == []
    assert session.execute(UPDATE, (1, 7)) == 1
    assert session.execute(UPDATE, (1, ROWS + 1)) == 0
    assert session.execute(INSERT, (ROWS + 1, 5, "it's \u00e4 'quoted' text")) == 1
    assert session.execute(INSERT_AS_TEXT, (ROWS + 2, 5, "it's also")) == 1
    assert session.execute(COMMIT, ()) == 0
    assert session.execute(SELECT, (ROWS + 1,)) == [("it's \u00e4 'quoted' text",)]
    assert session.execute(SELECT, (ROWS + 2,)) == [("it's also",)]
    counters = session.counters
    assert (counters.queries, counters.changes) == (4, 4)
    assert (counters.unchanged, counters.controls) == (1, 2)
    session.close()


def test_a_failed_statement_counts_nothing_and_shows_no_value(
    arm: Arm, mode: StatementMode
) -> None:
    session = arm.engine.connect(arm.loaded(), mode)
    for statement, values in [(WRONG, ("secret-value",)), (INSERT, (1, 1, "secret-value"))]:
        with pytest.raises(Fatal) as caught:
            session.execute(statement, values)
        assert statement.name in str(caught.value)
        error: BaseException | None = caught.value
        while error is not None:
            assert "secret-value" not in str(error) + repr(error)
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    counters = session.counters
    assert (counters.queries, counters.changes, counters.unchanged) == (0, 0, 0)
    session.close()


def test_rollback_leaves_no_transaction_and_is_not_counted(arm: Arm) -> None:
    session = arm.engine.connect(arm.loaded())
    begin = Statement("begin", arm.engine.dialect.begin_write, CONTROL)
    session.execute(begin, ())
    session.execute(UPDATE, (1000, 7))
    session.rollback()
    session.rollback()
    assert session.counters.controls == 1
    session.execute(begin, ())
    session.execute(ROLLBACK, ())
    rows = session.execute(SELECT_ALL, ())
    assert isinstance(rows, list)
    assert rows[6] == (7, 7 * 7919 % ROWS, "text of row 7")
    session.close()


def test_a_read_transaction_sees_one_state(arm: Arm) -> None:
    copy = arm.loaded()
    reader, writer = arm.engine.connect(copy), arm.engine.connect(copy)
    reader.execute(Statement("begin", arm.engine.dialect.begin, CONTROL), ())
    before = reader.execute(SELECT_ALL, ())
    writer.execute(UPDATE, (1000, 7))
    assert reader.execute(SELECT_ALL, ()) == before
    reader.execute(COMMIT, ())
    assert reader.execute(SELECT_ALL, ()) != before
    reader.close()
    writer.close()


def test_a_session_closes_twice(arm: Arm) -> None:
    session = arm.engine.connect(arm.loaded())
    session.close()
    session.close()


def test_create_refuses_what_is_there(arm: Arm) -> None:
    copy = arm.loaded()
    before = arm.engine.digests(copy, ["bench"])
    with pytest.raises(EngineError):
        arm.engine.create(copy)
    assert arm.engine.digests(copy, ["bench"]) == before


def test_drop_removes_all_files_and_is_silent_the_second_time(arm: Arm) -> None:
    kept, copy = arm.loaded(0), arm.loaded(1)
    session = arm.engine.connect(copy)
    session.execute(UPDATE, (1, 1))
    paths = [data_file.path for data_file in arm.engine.files(copy)]
    session.close()
    arm.engine.drop(copy)
    arm.engine.drop(copy)
    assert not [path for path in paths if path.exists()]
    with pytest.raises(EngineError):
        arm.engine.connect(copy)
    assert arm.engine.digests(kept, ["bench"])[0].rows == ROWS


def test_arms_and_copies_have_locations_of_their_own(arm: Arm) -> None:
    names = ["plain", "plain (A/A)", "tde chacha20", "tde-chacha20"]
    locations = {arm.engine.locate(n, i, arm.folder) for n in names for i in range(3)}
    assert len(locations) == 12


def test_a_clone_holds_the_same_rows_and_settings(arm: Arm) -> None:
    source, target = arm.loaded(0), arm.copy(1)
    if not arm.engine.clone(source, target):
        pytest.skip("this engine loads every copy")
    assert arm.engine.digests(source, ["bench"]) == arm.engine.digests(target, ["bench"])
    assert arm.engine.settings(source) == arm.engine.settings(target)
    assert arm.engine.encryption_facts(source) == arm.engine.encryption_facts(target)
    assert prove(arm.engine, target, arm.protection, make_markers("clone")).status == "proven"
    with pytest.raises(EngineError):
        arm.engine.clone(source, target)


def test_digests_see_every_change(arm: Arm) -> None:
    copy = arm.loaded()
    session = arm.engine.connect(copy)
    seen = {arm.engine.digests(copy, ["bench"])}
    for step in range(3):
        session.execute(UPDATE, (1, step + 1))
        seen.add(arm.engine.digests(copy, ["bench"]))
    assert len(seen) == 4
    for step in range(3):
        session.execute(UPDATE, (-1, step + 1))
    assert arm.engine.digests(copy, ["bench"]) in seen
    session.close()


def test_facts_are_those_of_the_protection(arm: Arm) -> None:
    facts = arm.engine.encryption_facts(arm.loaded())
    if arm.protection.encrypts:
        assert facts.cipher == arm.protection.describe()["cipher"]
        assert (facts.reserved_bytes_per_page > 0) == facts.authenticated
    else:
        assert (facts.authenticated, facts.reserved_bytes_per_page) == (False, 0)
    assert facts.page_size >= 512
    assert facts.page_count > 1


def test_settings_differ_as_expected_only(arm: Arm) -> None:
    plain = Arm(arm.engine, protection_with(None), arm.folder / "plain")
    plain.folder.mkdir()
    here, there = arm.engine.settings(arm.loaded()), arm.engine.settings(plain.loaded())
    differing = {name for name in here.keys() | there.keys() if here.get(name) != there.get(name)}
    assert differing <= arm.engine.expected_differences()
    assert arm.protection.encrypts == bool(differing)


def test_what_the_arm_claims_is_proven(arm: Arm) -> None:
    copy = arm.loaded()
    proof = prove(arm.engine, copy, arm.protection, make_markers("contract"))
    assert proof.status in {"proven", "catalog_only"}, proof.details
    assert (proof.marker_hits == 0) == arm.protection.encrypts
    assert proof.opens_without_key is not arm.protection.encrypts
    assert arm.engine.encryption_status(copy) in {arm.protection.encrypts, None}


def test_an_encrypted_copy_opens_with_its_own_key_only(arm: Arm) -> None:
    copy = arm.loaded()
    if copy.encryption is None:
        assert arm.engine.opens_without_key(copy)
        return
    assert not arm.engine.opens_without_key(copy)
    for stranger in (arm.copy(0, arm="other"), Copy("arm", 0, copy.location)):
        with pytest.raises(WrongKey) as caught:
            arm.engine.connect(Copy("arm", 0, copy.location, stranger.encryption))
        assert caught.value.remedy
    key = copy.encryption.key_file.read_text().strip()
    assert key not in repr(arm.engine) + repr(copy) + str(caught.value)


def test_an_unknown_cipher_is_refused(arm: Arm) -> None:
    with pytest.raises(UnsupportedCapability):
        arm.engine.make_key("rot13", arm.folder / "rot13.key")
    assert not (arm.folder / "rot13.key").exists()


def test_flush_and_quiesce_keep_the_data(arm: Arm) -> None:
    copy = arm.loaded()
    session = arm.engine.connect(copy)
    session.execute(UPDATE, (1, 1))
    arm.engine.flush(copy)
    assert arm.engine.quiesce(copy, 1.0)
    assert session.execute(SELECT, (1,)) == [("text of row 1",)]
    session.close()


def test_what_is_there_is_known(arm: Arm) -> None:
    copy = arm.copy()
    assert not arm.engine.exists(copy)
    arm.engine.create(copy)
    assert arm.engine.exists(copy)
    arm.engine.drop(copy)
    assert not arm.engine.exists(copy)


def test_opening_and_cache_are_measured(arm: Arm) -> None:
    copy = arm.loaded()
    cold = arm.engine.cold_connection(copy)
    assert cold.key_ms is None or cold.key_ms > 0
    assert cold.passphrase_ms is None or arm.protection.encrypts
    size = arm.engine.cache_bytes(copy)
    assert size is None or size > 0


def test_an_embedded_engine_has_no_server(arm: Arm) -> None:
    copy = arm.loaded()
    embedded = "embedded" in registry.find("engine", arm.engine.kind).flags
    assert bool(arm.engine.server_pids(copy)) is not embedded
    assert arm.engine.session_kind in SessionKind
    assert all(value >= 0 for value in arm.engine.counters(copy).values())


def test_only_what_is_ours_is_dropped(arm: Arm) -> None:
    copy = arm.copy()
    arm.engine.create(copy)
    assert owner(arm.engine, copy) is None
    with pytest.raises(EngineError, match="no marker"):
        drop_owned(arm.engine, copy, "ours")
    claim(arm.engine, copy, "ours")
    assert owner(arm.engine, copy) == "ours"
    with pytest.raises(EngineError, match="to ours"):
        drop_owned(arm.engine, copy, "theirs")
    assert owner(arm.engine, copy) == "ours"
    drop_owned(arm.engine, copy, "ours")
    with pytest.raises(EngineError):
        arm.engine.connect(copy)
