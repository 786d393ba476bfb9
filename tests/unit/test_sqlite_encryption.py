"""Keys of the SQLite engine: made once, kept to their owner, never shown."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from ciphermark.engine.base import Copy, Encryption
from ciphermark.engine.sqlite import encryption as module
from ciphermark.engine.sqlite.encryption import (
    CIPHERS,
    apply_key,
    apply_passphrase,
    cipher_named,
    make_key,
)
from ciphermark.errors import EngineError, UnsupportedCapability

RAW = [name for name, cipher in CIPHERS.items() if cipher.raw_key]
HASHED = [name for name, cipher in CIPHERS.items() if not cipher.raw_key]


def test_the_ciphers_are_those_of_the_specification() -> None:
    assert set(CIPHERS) == {"chacha20", "sqlcipher", "aes256cbc", "aes128cbc", "aegis", "ascon128"}
    unauthenticated = {name for name, cipher in CIPHERS.items() if not cipher.authenticated}
    assert unauthenticated == {"aes256cbc", "aes128cbc"}


def test_an_unknown_cipher_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnsupportedCapability, match="chacha20"):
        cipher_named("rot13")


def test_a_key_is_random_and_its_owners_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "a.key", tmp_path / "b.key"
    make_key(first)
    make_key(second)
    assert first.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}\n", first.read_text())
    assert first.read_text() != second.read_text()


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    make_key(path)
    before = path.read_text()
    with pytest.raises(EngineError, match="exists already"):
        make_key(path)
    assert path.read_text() == before


def applied(cipher: str, key_file: Path) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    apply_key(connection, Encryption(cipher, key_file))
    return connection


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="key file cannot be read") as caught:
        applied("chacha20", tmp_path / "absent.key")
    assert "absent.key" in str(caught.value)


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    make_key(path)
    path.chmod(0o640)
    with pytest.raises(EngineError, match="others can read") as caught:
        applied("chacha20", path)
    assert "chmod 600" in caught.value.remedy


@pytest.mark.parametrize("content", ["", "secret", "g" * 64, "ab" * 31, "ab" * 33, "\xff" * 64])
def test_a_damaged_key_file_is_refused_without_showing_it(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.key"
    path.write_bytes(content.encode("latin-1"))
    path.chmod(0o600)
    with pytest.raises(EngineError, match="hexadecimal") as caught:
        applied("chacha20", path)
    assert not content or content not in str(caught.value)


def test_a_key_that_the_driver_refuses_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.key"
    make_key(path)
    key = path.read_text().strip()
    broken = module.Cipher("nonsense", "", 0, 0, raw_key=True)
    monkeypatch.setitem(module.CIPHERS, "nonsense", broken)
    with pytest.raises(EngineError) as caught:
        applied("nonsense", path)
    error: BaseException | None = caught.value
    while error is not None:
        assert key not in str(error) + repr(error)
        error = error.__cause__ or error.__context__


def test_the_key_is_in_no_repr(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    make_key(path)
    encryption = Encryption("chacha20", path)
    copy = Copy("tde", 0, str(tmp_path / "bench.db"), encryption)
    assert path.read_text().strip() not in repr(copy) + repr(encryption)


def opened(path: Path, cipher: str, rounds: int, key: Path | str) -> apsw.Connection:
    """A connection that derives keys in `rounds` rounds; `key` is a file or a passphrase."""
    connection = apsw.Connection(str(path))
    connection.pragma("cipher", cipher)
    connection.pragma("tcost" if cipher == "aegis" else "kdf_iter", rounds)
    if isinstance(key, Path):
        apply_key(connection, Encryption(cipher, key))
    else:
        apply_passphrase(connection, cipher, key)
    return connection


def opens_with_other_rounds(folder: Path, cipher: str, key: Path | str) -> bool:
    with opened(folder / "bench.db", cipher, 3, key) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    connection = opened(folder / "bench.db", cipher, 4, key)
    try:
        return connection.execute("SELECT count(*) FROM sqlite_schema").fetchall() == [(1,)]
    except apsw.NotADBError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize("cipher", RAW)
def test_no_key_is_derived_from_a_raw_one(tmp_path: Path, cipher: str) -> None:
    make_key(tmp_path / "a.key")
    assert opens_with_other_rounds(tmp_path, cipher, tmp_path / "a.key")


@pytest.mark.parametrize("cipher", RAW)
def test_a_key_is_derived_from_a_passphrase(tmp_path: Path, cipher: str) -> None:
    assert not opens_with_other_rounds(tmp_path, cipher, "a long passphrase")


@pytest.mark.parametrize("cipher", HASHED)
def test_all_of_the_key_counts(tmp_path: Path, cipher: str) -> None:
    """These ciphers hash at most 32 bytes; 32 bytes written as text would be cut to half."""
    make_key(tmp_path / "a.key")
    key = (tmp_path / "a.key").read_text().strip()
    path = tmp_path / "bench.db"
    connection = apsw.Connection(str(path))
    apply_key(connection, Encryption(cipher, tmp_path / "a.key"))
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    other = tmp_path / "other.key"
    other.write_text(key[:-1] + ("0" if key[-1] != "0" else "1"))
    other.chmod(0o600)
    connection = apsw.Connection(str(path))
    apply_key(connection, Encryption(cipher, other))
    with pytest.raises(apsw.NotADBError):
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    connection.close()
