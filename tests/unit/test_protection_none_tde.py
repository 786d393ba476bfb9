"""The protections none and tde: what they ask of an engine, and what they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.protection.none import NoProtection
from ciphermark.protection.options import NoneOptions, TDEOptions
from ciphermark.protection.tde import TransparentEncryption
from ciphermark.registry import find


class Engine(SQLiteEngine):
    """SQLite with the ciphers that a test gives it."""

    known: tuple[str, ...] = ("chacha20", "aes256cbc")

    @property
    def ciphers(self) -> tuple[str, ...]:
        return self.known


class EngineWithoutCiphers(Engine):
    """An engine that cannot encrypt."""

    known = ()


@pytest.fixture
def engine() -> Engine:
    return Engine(SQLiteOptions())


def test_no_protection_leaves_all_as_it_is(engine: Engine, tmp_path: Path) -> None:
    none = NoProtection(NoneOptions())
    assert (none.kind, none.label, none.encrypts) == ("none", "plain", False)
    assert none.check(engine, "arms[0]") == ()
    assert none.prepare(engine, "plain", tmp_path / "keys") is None
    assert not (tmp_path / "keys").exists()


def test_each_arm_has_a_key_of_its_own(engine: Engine, tmp_path: Path) -> None:
    tde = TransparentEncryption(TDEOptions(cipher="aes256cbc"))
    first = tde.prepare(engine, "tde one", tmp_path / "keys")
    second = tde.prepare(engine, "tde-one", tmp_path / "keys")
    assert first is not None
    assert second is not None
    assert first.cipher == "aes256cbc"
    assert first.key_file != second.key_file
    assert first.key_file.read_text() != second.key_file.read_text()
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    assert first.key_file.stat().st_mode & 0o777 == 0o600


def test_a_resumed_run_finds_its_key(engine: Engine, tmp_path: Path) -> None:
    tde = TransparentEncryption(TDEOptions())
    first = tde.prepare(engine, "tde", tmp_path / "keys")
    assert first is not None
    key = first.key_file.read_text()
    assert tde.prepare(engine, "tde", tmp_path / "keys") == first
    assert first.key_file.read_text() == key


def test_without_a_cipher_it_takes_the_engines_first(engine: Engine, tmp_path: Path) -> None:
    encryption = TransparentEncryption(TDEOptions()).prepare(engine, "tde", tmp_path / "keys")
    assert encryption is not None
    assert encryption.cipher == "chacha20"


def test_a_misspelt_cipher_is_answered_with_the_right_one(engine: Engine) -> None:
    (problem,) = TransparentEncryption(TDEOptions(cipher="aes265cbc")).check(engine, "arms[2]")
    assert problem.path == "arms[2].cipher"
    assert "aes265cbc" in problem.message
    assert "aes256cbc" in problem.suggestion


def test_an_unknown_cipher_is_answered_with_the_known_ones(engine: Engine) -> None:
    (problem,) = TransparentEncryption(TDEOptions(cipher="zzz")).check(engine, "arms[2]")
    assert "chacha20, aes256cbc" in problem.suggestion


def test_a_known_cipher_is_no_problem(engine: Engine) -> None:
    assert TransparentEncryption(TDEOptions(cipher="chacha20")).check(engine, "arms[2]") == ()
    assert TransparentEncryption(TDEOptions()).check(engine, "arms[2]") == ()


def test_an_engine_without_encryption_is_a_problem() -> None:
    engine = EngineWithoutCiphers(SQLiteOptions())
    (problem,) = TransparentEncryption(TDEOptions()).check(engine, "arms[2]")
    assert problem.path == "arms[2].protection"


@pytest.mark.parametrize("name", ["none", "tde"])
def test_protections_cross_to_the_workers(name: str) -> None:
    plugin = find("protection", name)
    protection: Any = plugin.load()(plugin.load_options()())
    assert pickle.loads(pickle.dumps(protection)) == protection
    assert protection.kind == name


def test_labels_can_be_given() -> None:
    assert TransparentEncryption(TDEOptions(cipher="aegis")).label == "tde aegis"
    assert TransparentEncryption(TDEOptions(label="AEGIS")).label == "AEGIS"
    assert NoProtection(NoneOptions(label="no TDE")).label == "no TDE"


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValidationError):
        TDEOptions(chipher="aegis")  # type: ignore[call-arg]  # the misspelling is the test
