"""The files of a copy: nothing foreign is overwritten or removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.engine.sqlite import files
from ciphermark.errors import EngineError

ARMS = [
    "plain",
    "plain (A/A)",
    "plain-A-A",
    "tde chacha20",
    "tde-chacha20",
    "../evil",
    "ä",
    "Plain",
]


def test_arms_never_share_a_file() -> None:
    names = {files.file_name(arm, index) for arm in ARMS for index in range(3)}
    assert len(names) == 3 * len(ARMS)
    assert all("/" not in name and not name.startswith((".", "-")) for name in names)


@pytest.mark.parametrize("suffix", ["", "-wal", "-journal", "-shm"])
def test_what_is_there_is_not_overwritten(tmp_path: Path, suffix: str) -> None:
    location = tmp_path / "bench.db"
    foreign = tmp_path / f"bench.db{suffix}"
    foreign.write_bytes(b"precious")
    with pytest.raises(EngineError, match="exists already"):
        files.reserve(str(location))
    assert foreign.read_bytes() == b"precious"
    assert [path.name for path in tmp_path.iterdir()] == [foreign.name]


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "bench.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EngineError, match="exists already"):
        files.reserve(str(tmp_path / "bench.db"))
    assert not (tmp_path / "elsewhere").exists()


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    files.reserve(str(tmp_path / "bench.db"))
    assert (tmp_path / "bench.db").stat().st_mode & 0o777 == 0o600


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="No such file") as caught:
        files.reserve(str(tmp_path / "absent" / "bench.db"))
    assert caught.value.where.endswith("bench.db")
    assert caught.value.remedy


def test_removing_takes_what_belongs_to_the_database_only(tmp_path: Path) -> None:
    ours = [f"bench.db{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]
    others = ["bench.db-other", "bench.db2", "other.db-wal", "bench.d"]
    for name in ours + others:
        (tmp_path / name).touch()
    files.remove(str(tmp_path / "bench.db"))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)
    files.remove(str(tmp_path / "bench.db"))


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_removing_leaves_what_is_no_plain_file(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    target.touch()
    location = tmp_path / "bench.db"
    if kind == "folder":
        location.mkdir()
    else:
        location.symlink_to(target)
    with pytest.raises(EngineError, match="stays"):
        files.remove(str(location))
    assert location.exists()
    assert target.exists()
