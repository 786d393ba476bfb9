"""The ciphers of SQLite3 Multiple Ciphers and their keys.

Protects the pages of the database, of its write-ahead log and of its rollback journal against
whoever reads the disk. It does not protect temporary files (hence `temp_store = "memory"`), the
page count, the pattern of changed pages, or anything in the memory of a process. The ciphers in CBC
mode carry no authentication tag: a changed page decrypts to noise instead of being refused, and
the same page under the same key always has the same ciphertext.

Facts of the page formats: documentation of SQLite3 Multiple Ciphers, "Supported ciphers".
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

import apsw

from ciphermark.engine.base import Encryption
from ciphermark.errors import EngineError, UnsupportedCapability

__all__ = ["CIPHERS", "Cipher", "apply_key", "apply_passphrase", "cipher_named", "make_key"]

KEY_BYTES = 32
KEY_FILE_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Cipher:
    """What is known of a cipher; `tag_bytes` and `nonce_bytes` are stored at the end of each page.

    `raw_key` tells whether it takes a key as it is. The two CBC ciphers hash whatever they are
    given (AES-256: 4002 rounds of SHA-256, about a millisecond), at most 32 bytes of it; so they
    get their 32 random bytes in binary, and not as text that would be cut.
    """

    name: str
    description: str
    tag_bytes: int
    nonce_bytes: int
    raw_key: bool

    @property
    def authenticated(self) -> bool:
        return self.tag_bytes > 0

    @property
    def reserved_bytes(self) -> int:
        """Bytes that the cipher takes from each page."""
        return self.tag_bytes + self.nonce_bytes


CIPHERS: dict[str, Cipher] = {
    cipher.name: cipher
    for cipher in (
        Cipher("chacha20", "ChaCha20 with Poly1305", 16, 16, raw_key=True),
        Cipher("sqlcipher", "AES-256-CBC with HMAC-SHA512 (SQLCipher 4)", 64, 16, raw_key=True),
        Cipher("aes256cbc", "AES-256-CBC, not authenticated", 0, 0, raw_key=False),
        Cipher("aes128cbc", "AES-128-CBC, not authenticated", 0, 0, raw_key=False),
        Cipher("aegis", "AEGIS-256", 32, 32, raw_key=True),
        Cipher("ascon128", "Ascon-128", 16, 16, raw_key=True),
    )
}


def cipher_named(name: str) -> Cipher:
    """The cipher of that name; raises `UnsupportedCapability`."""
    if name not in CIPHERS:
        raise UnsupportedCapability(
            f"SQLite has no cipher named {name!r}", remedy=f"Known: {', '.join(CIPHERS)}"
        )
    return CIPHERS[name]


def make_key(path: Path) -> None:
    """Writes 32 random bytes in hexadecimal to a new file that its owner alone can read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        descriptor = os.open(path, flags, KEY_FILE_MODE)
    except FileExistsError as error:
        raise EngineError(
            "the key file exists already", where=str(path), remedy="A key is never overwritten"
        ) from error
    except OSError as error:
        raise EngineError(
            f"the key file cannot be written: {error.strerror}", where=str(path)
        ) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        os.fchmod(descriptor, KEY_FILE_MODE)
        file.write(secrets.token_hex(KEY_BYTES) + "\n")
        file.flush()
        os.fsync(descriptor)


def apply_key(connection: apsw.Connection, encryption: Encryption) -> None:
    """Gives the connection its cipher and key; must come before any other statement."""
    cipher = cipher_named(encryption.cipher)
    key = _read_key(encryption.key_file)
    if cipher.raw_key:
        _set(connection, cipher, "key", f"raw:{key}")
    else:
        _set(connection, cipher, "hexkey", key)


def apply_passphrase(connection: apsw.Connection, cipher: str, passphrase: str) -> None:
    """Gives the connection a passphrase, from which the cipher derives its key."""
    _set(connection, cipher_named(cipher), "key", passphrase)


def _set(connection: apsw.Connection, cipher: Cipher, pragma: str, key: str) -> None:
    """Sets cipher and key; an error has no cause, for its traceback would hold the key."""
    try:
        chosen = connection.pragma("cipher", cipher.name)
        accepted = connection.pragma(pragma, key)
    except apsw.Error:
        chosen = accepted = None
    if (chosen, accepted) != (cipher.name, "ok"):
        raise EngineError(
            f"SQLite does not accept a key for the cipher {cipher.name}",
            remedy="Install apsw-sqlite3mc; a plain apsw has no ciphers",
        )


def _read_key(path: Path) -> str:
    """The key as hexadecimal digits; refuses a file that others can read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise EngineError(
            f"the key file cannot be read: {error.strerror}",
            where=str(path),
            remedy="Without its key the copy cannot be opened: restore the file, or load anew",
        ) from error
    with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        text = file.read(2 * KEY_BYTES + 2).strip()
    if mode & 0o077:
        raise EngineError(
            f"others can read the key file (mode {mode:04o})",
            where=str(path),
            remedy=f"chmod 600 {path}",
        )
    if len(text) != 2 * KEY_BYTES or not all(digit in "0123456789abcdefABCDEF" for digit in text):
        raise EngineError(
            f"the key file does not hold {2 * KEY_BYTES} hexadecimal digits", where=str(path)
        )
    return text
