"""Arms must be equal in everything but the encryption."""

from __future__ import annotations

from ciphermark.engine.base import TableDigest
from ciphermark.proof.equality import data_differences, settings_differences


def test_equal_settings_give_no_reason() -> None:
    settings = {"cache_size": "-16384", "cipher": "none"}
    arm = {"cache_size": "-16384", "cipher": "aegis"}
    assert settings_differences(("plain", settings), ("tde", arm), {"cipher"}) == ()


def test_every_other_difference_is_a_sentence() -> None:
    control = {"cache_size": "-16384", "cipher": "none", "only_here": "1"}
    arm = {"cache_size": "-2000", "cipher": "aegis", "encoding": ""}
    assert settings_differences(("plain", control), ("tde", arm), {"cipher"}) == (
        "setting cache_size is -16384 on plain and -2000 on tde",
        "setting encoding is missing on plain and empty on tde",
        "setting only_here is 1 on plain and missing on tde",
    )


def digest(table: str, rows: int = 3, sha256: str = "a") -> TableDigest:
    return TableDigest(table, rows, sha256)


def test_equal_data_give_no_reason() -> None:
    one = [digest("a"), digest("b")]
    assert data_differences(("plain", one), ("tde", one[::-1])) == ()


def test_rows_content_and_missing_tables_are_told_apart() -> None:
    control = [digest("a"), digest("b"), digest("c"), digest("d")]
    arm = [digest("a", rows=4), digest("b", sha256="x"), digest("c"), digest("e")]
    assert data_differences(("plain", control), ("tde", arm)) == (
        "table a has 3 rows on plain and 4 on tde",
        "table b holds other rows on plain than on tde",
        "table d is missing on tde",
        "table e is missing on plain",
    )
