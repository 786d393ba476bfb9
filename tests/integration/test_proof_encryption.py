"""The proof on real files: what is encrypted is proven so, and what only claims it is refuted."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ciphermark.engine.base import Copy, DataFile, Encryption, Engine
from ciphermark.engine.sqlite.encryption import CIPHERS
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.engine.sqlite.session import PreparedSession
from ciphermark.errors import EngineError, ProofError, Retryable
from ciphermark.proof.encryption import combine, prove
from ciphermark.proof.markers import claim, make_markers, write_markers
from ciphermark.proof.validity import ArmFacts, comparison_reasons
from ciphermark.protection.base import Protection
from ciphermark.protection.none import NoProtection
from ciphermark.protection.options import NoneOptions, TDEOptions
from ciphermark.protection.tde import TransparentEncryption
from ciphermark.results.document import Proof
from ciphermark.workload.base import BulkTable, Statement, StatementKind

ENGINE = SQLiteEngine(SQLiteOptions())
PLAIN = NoProtection(NoneOptions())
MARKERS = make_markers("experiment")
ROWS = 1500
TABLE = BulkTable(
    "sbtest1",
    ("id", "c"),
    ROWS,
    (Statement("create", "CREATE TABLE sbtest1 (id INTEGER, c TEXT)", StatementKind.CONTROL),),
    (),
    lambda: iter([(range(ROWS), [f"{i * 7919:0120d}" for i in range(ROWS)])]),
)


def tde(cipher: str = "chacha20") -> TransparentEncryption:
    return TransparentEncryption(TDEOptions(cipher=cipher))


def nothing(rows: int) -> None:
    del rows


class Ignores(SQLiteEngine):
    """Claims to encrypt and silently does not: every copy is treated as a plain one."""

    def create(self, copy: Copy) -> None:
        super().create(replace(copy, encryption=None))

    def load(self, copy: Copy, table: BulkTable, progress: Any) -> None:
        super().load(replace(copy, encryption=None), table, progress)

    def connect(self, copy: Copy, *args: Any) -> Any:
        return super().connect(replace(copy, encryption=None), *args)

    def flush(self, copy: Copy) -> None:
        super().flush(replace(copy, encryption=None))


class SaysSo(Ignores):
    """The same, and lies about what a client without a key sees."""

    def opens_without_key(self, copy: Copy) -> bool:
        return False

    def encryption_status(self, copy: Copy) -> bool | None:
        return True


class Meddles(SQLiteEngine):
    """Encrypts the plain arm with a hidden key."""

    __slots__ = ("hidden",)

    def __init__(self, options: SQLiteOptions, hidden: Encryption) -> None:
        super().__init__(options)
        self.hidden = hidden

    def create(self, copy: Copy) -> None:
        super().create(replace(copy, encryption=self.hidden))

    def load(self, copy: Copy, table: BulkTable, progress: Any) -> None:
        super().load(replace(copy, encryption=self.hidden), table, progress)

    def connect(self, copy: Copy, *args: Any) -> Any:
        return super().connect(replace(copy, encryption=self.hidden), *args)

    def flush(self, copy: Copy) -> None:
        super().flush(replace(copy, encryption=self.hidden))


class MeddlesAndLies(Meddles):
    """The same, and lies about what a client without a key sees."""

    def opens_without_key(self, copy: Copy) -> bool:
        return True

    def encryption_status(self, copy: Copy) -> bool | None:
        return None


def made(engine: Engine, protection: Protection, folder: Path, index: int = 0) -> Copy:
    encryption = protection.prepare(engine, protection.label, folder / "keys")
    location = engine.locate(protection.label, index, folder)
    copy = Copy(protection.label, index, location, encryption)
    engine.create(copy)
    claim(engine, copy, "experiment")
    engine.load(copy, TABLE, nothing)
    return copy


def proof_of(engine: Engine, protection: Protection, folder: Path) -> Proof:
    return prove(engine, made(engine, protection, folder), protection, MARKERS)


@pytest.fixture
def hidden(tmp_path: Path) -> Encryption:
    key_file = tmp_path / "hidden.key"
    ENGINE.make_key("aegis", key_file)
    return Encryption("aegis", key_file)


@pytest.mark.parametrize("options", [{"journal_mode": "wal"}, {"journal_mode": "delete"}])
@pytest.mark.parametrize("cipher", [None, *CIPHERS])
def test_every_file_is_searched(
    tmp_path: Path, cipher: str | None, options: dict[str, Any]
) -> None:
    engine = SQLiteEngine(SQLiteOptions(**options))
    protection = tde(cipher) if cipher else PLAIN
    proof = proof_of(engine, protection, tmp_path)
    assert (proof.status, proof.details) == ("proven", ())
    assert proof.files_scanned == 2
    assert proof.marker_rows == len(MARKERS.texts)
    if cipher:
        assert proof.marker_hits == 0
        assert proof.opens_without_key is False
        assert proof.entropy_bits_per_byte is not None
        assert proof.entropy_bits_per_byte > 7.94
    else:
        # The log or journal holds them, and the data file after the checkpoint.
        assert proof.marker_hits >= 2 * len(MARKERS.texts)
        assert proof.opens_without_key is True


@pytest.mark.parametrize("cipher", ["chacha20", "aes128cbc"])
def test_clones_are_proven_as_well(tmp_path: Path, cipher: str) -> None:
    protection = tde(cipher)
    source = made(ENGINE, protection, tmp_path)
    prove(ENGINE, source, protection, MARKERS)
    clone = replace(source, index=1, location=ENGINE.locate(source.arm, 1, tmp_path))
    assert ENGINE.clone(source, clone)
    assert prove(ENGINE, clone, protection, MARKERS).status == "proven"


def test_a_proof_can_be_repeated(tmp_path: Path) -> None:
    copy = made(ENGINE, PLAIN, tmp_path)
    first, second = (prove(ENGINE, copy, PLAIN, MARKERS) for _ in range(2))
    assert first.status == second.status == "proven"
    assert ENGINE.digests(copy, ["sbtest1"])[0].rows == ROWS


def test_encryption_that_is_silently_off_is_refuted(tmp_path: Path) -> None:
    proof = proof_of(Ignores(SQLiteOptions()), tde(), tmp_path)
    assert proof.status == "refuted"
    words = "; ".join(proof.details)
    assert "markers are readable in the data file" in words
    assert "markers are readable in the wal file" in words
    assert "opens without the key" in words
    assert "do not look encrypted" in words


def test_a_lying_engine_is_refuted_by_its_files(tmp_path: Path) -> None:
    proof = proof_of(SaysSo(SQLiteOptions()), tde(), tmp_path)
    assert proof.status == "refuted"
    assert "markers are readable in the data file" in "; ".join(proof.details)


def test_a_plain_arm_that_is_encrypted_is_refuted(tmp_path: Path, hidden: Encryption) -> None:
    proof = proof_of(Meddles(SQLiteOptions(), hidden), PLAIN, tmp_path)
    assert proof.status == "refuted"
    assert "it is encrypted" in "; ".join(proof.details)


def test_so_it_is_when_the_engine_lies(tmp_path: Path, hidden: Encryption) -> None:
    proof = proof_of(MeddlesAndLies(SQLiteOptions(), hidden), PLAIN, tmp_path)
    assert proof.status == "refuted"
    assert "every block looks encrypted" in "; ".join(proof.details)


def test_a_plain_file_behind_a_claim_is_refuted(tmp_path: Path) -> None:
    """The engine is honest, and somebody put a plain file where the encrypted one was."""
    plain = made(ENGINE, PLAIN, tmp_path)
    encryption = tde().prepare(ENGINE, "tde", tmp_path / "keys")
    proof = prove(ENGINE, replace(plain, encryption=encryption), tde(), MARKERS)
    assert proof.status == "refuted"
    assert "it is plain" in "; ".join(proof.details)


def test_an_encrypted_file_on_the_plain_arm_is_refuted(tmp_path: Path) -> None:
    encrypted = made(ENGINE, tde(), tmp_path)
    proof = prove(ENGINE, replace(encrypted, encryption=None), PLAIN, MARKERS)
    assert proof.status == "refuted"


def test_a_lost_key_leaves_encryption_unchecked(tmp_path: Path) -> None:
    copy = made(ENGINE, tde(), tmp_path)
    other = tde().prepare(ENGINE, "other", tmp_path / "keys")
    proof = prove(ENGINE, replace(copy, encryption=other), tde(), MARKERS)
    assert proof.status == "not_checked"
    assert "does not open with the arm's key" in "; ".join(proof.details)


def test_one_readable_page_refutes(tmp_path: Path) -> None:
    """Only a part is encrypted: the markers are hidden, some rows are not."""

    class Partly(SQLiteEngine):
        def files(self, copy: Copy) -> tuple[DataFile, ...]:
            readable = Path(copy.location + ".part")
            whole = Path(copy.location).read_bytes()
            readable.write_bytes(whole[:8192] + b"account 4711;" * 316 + whole[12288:])
            return (DataFile(readable, "data"),)

    proof = proof_of(Partly(SQLiteOptions()), tde(), tmp_path)
    assert proof.status == "refuted"
    assert "blocks of the data file do not look encrypted" in "; ".join(proof.details)


class Elsewhere(SQLiteEngine):
    """An engine whose files are on another machine."""

    __slots__ = ("says",)

    def __init__(self, options: SQLiteOptions, says: bool | None) -> None:
        super().__init__(options)
        self.says = says

    def files(self, copy: Copy) -> tuple[DataFile, ...]:
        return ()

    def encryption_status(self, copy: Copy) -> bool | None:
        return self.says


@pytest.mark.parametrize(
    ("protection", "says", "status"),
    [
        (tde(), True, "catalog_only"),
        (tde(), False, "refuted"),
        (tde(), None, "not_checked"),
        (PLAIN, False, "catalog_only"),
        (PLAIN, True, "refuted"),
        (PLAIN, None, "not_checked"),
    ],
)
def test_without_files_the_catalogue_speaks(
    tmp_path: Path, protection: Protection, says: bool | None, status: str
) -> None:
    assert proof_of(Elsewhere(SQLiteOptions(), says), protection, tmp_path).status == status


class Compresses(SQLiteEngine):
    """A plain engine whose files do not show what is in them."""

    def files(self, copy: Copy) -> tuple[DataFile, ...]:
        packed = Path(copy.location + ".packed")
        packed.write_bytes(b"\x01\x02\x03\x04" * 4096)
        return (DataFile(packed, "data"),)


def test_a_blind_search_proves_nothing(tmp_path: Path) -> None:
    proof = proof_of(Compresses(SQLiteOptions()), PLAIN, tmp_path)
    assert proof.status == "not_checked"
    assert "positive control failed: 200 of 200 markers" in "; ".join(proof.details)


def test_a_vanished_file_is_an_error_not_a_proof(tmp_path: Path) -> None:
    class Vanishing(SQLiteEngine):
        def files(self, copy: Copy) -> tuple[DataFile, ...]:
            return (DataFile(Path(copy.location + ".gone"), "data"),)

    with pytest.raises(EngineError, match="cannot be read for the proof"):
        proof_of(Vanishing(SQLiteOptions()), tde(), tmp_path)


def facts(name: str, protection: Protection, proof: Proof) -> ArmFacts:
    return ArmFacts(
        name=name,
        encrypts=protection.encrypts,
        proof=proof,
        settings={},
        driver="apsw",
        statement_mode="prepared",
        transactions=100,
    )


@pytest.mark.parametrize(
    "tamper", [lambda hidden: Ignores(SQLiteOptions()), lambda hidden: SaysSo(SQLiteOptions())]
)
def test_a_tampered_arm_makes_the_comparison_invalid(
    tmp_path: Path, hidden: Encryption, tamper: Callable[[Encryption], Engine]
) -> None:
    control = facts("plain", PLAIN, proof_of(ENGINE, PLAIN, tmp_path))
    arm = facts("tde", tde(), proof_of(tamper(hidden), tde(), tmp_path))
    rules: dict[str, Any] = {"expected_differences": (), "error_budget": 0.01, "writes": True}
    (reason,) = comparison_reasons(control, arm, **rules)
    assert reason.startswith("the encryption of tde is refuted: ")
    assert "markers are readable" in reason


def test_an_encrypted_control_makes_the_comparison_invalid(
    tmp_path: Path, hidden: Encryption
) -> None:
    control = proof_of(MeddlesAndLies(SQLiteOptions(), hidden), PLAIN, tmp_path)
    arm = facts("tde", tde(), proof_of(ENGINE, tde(), tmp_path))
    (reason,) = comparison_reasons(
        facts("plain", PLAIN, control),
        arm,
        expected_differences=(),
        error_budget=0.01,
        writes=False,
    )
    assert reason.startswith("the absence of encryption of plain is refuted: ")


def test_an_arm_is_as_proven_as_its_weakest_copy(tmp_path: Path) -> None:
    good = proof_of(ENGINE, tde(), tmp_path / "a")
    bad = proof_of(Ignores(SQLiteOptions()), tde(), tmp_path / "b")
    both = combine([good, bad, good])
    assert both.status == "refuted"
    assert both.details == bad.details
    assert both.marker_rows == 3 * good.marker_rows
    assert both.marker_hits == bad.marker_hits
    assert both.bytes_scanned == 2 * good.bytes_scanned + bad.bytes_scanned
    assert both.entropy_bits_per_byte == bad.entropy_bits_per_byte
    assert combine([good, good]).status == "proven"
    with pytest.raises(ProofError):
        combine([])


def try_to_write(engine: SQLiteEngine, copy: Copy, results: Any) -> None:
    """Tries, from another process, to take the write lock."""
    session = engine.connect(copy)
    try:
        session.execute(Statement("begin", "BEGIN IMMEDIATE", StatementKind.CONTROL), ())
        results.put("taken")
    except Retryable:
        results.put("locked")
    finally:
        session.close()


def test_the_search_keeps_the_locks_of_its_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing a file of one's own drops SQLite's locks on it: it must stay open that long."""
    engine = SQLiteEngine(SQLiteOptions(journal_mode="delete", busy_timeout_ms=20))
    copy = made(engine, PLAIN, tmp_path)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    rollback = PreparedSession.rollback

    def look_and_roll_back(session: PreparedSession) -> None:
        process = context.Process(target=try_to_write, args=(engine, copy, results))
        process.start()
        process.join()
        rollback(session)

    monkeypatch.setattr(PreparedSession, "rollback", look_and_roll_back)
    assert prove(engine, copy, PLAIN, MARKERS).status == "proven"
    assert results.get(timeout=10) == "locked"


@pytest.fixture
def session_and_copy(tmp_path: Path) -> Iterator[tuple[Any, Copy]]:
    copy = made(ENGINE, PLAIN, tmp_path)
    session = ENGINE.connect(copy)
    yield session, copy
    session.close()


def test_markers_of_an_earlier_writing_are_replaced(session_and_copy: tuple[Any, Copy]) -> None:
    session, copy = session_and_copy
    write_markers(ENGINE, session, MARKERS)
    write_markers(ENGINE, session, make_markers("experiment", count=3))
    (digest,) = ENGINE.digests(copy, ["ciphermark_marker"])
    assert digest.rows == 1 + 3
