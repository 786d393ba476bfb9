"""The locks hold a hash for every release, nothing of one machine, and all that is depended on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tree import ROOT

FOLDER = ROOT / "requirements"
RELEASE = re.compile(r"^([A-Za-z0-9._-]+)==(\S+) \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")
LOCKS = pytest.mark.parametrize("lock", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)


def releases(lock: Path) -> dict[str, Requirement]:
    """The locked releases by name."""
    found = filter(None, map(RELEASE.match, lock.read_text().splitlines()))
    return {canonicalize_name(match[1]): Requirement(f"{match[1]}=={match[2]}") for match in found}


@LOCKS
def test_a_lock_holds_releases_hashes_and_comments_only(lock: Path) -> None:
    lines = lock.read_text().splitlines()
    strange = [
        line
        for line in lines
        if not (RELEASE.match(line) or HASH.match(line) or line.lstrip().startswith("#"))
    ]
    assert [line for line in strange if line.strip()] == []


@LOCKS
def test_every_release_has_the_hashes_of_all_its_files(lock: Path) -> None:
    text = lock.read_text()
    parts = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    counts = {part.partition("==")[0]: part.count("--hash=") for part in parts}
    assert counts
    assert min(counts.values()) >= 1
    # One wheel for each Python and machine: a lock made from one machine's files has a few.
    compiled = counts.keys() & {"numpy", "scipy", "pydantic-core", "coverage", "greenlet"}
    assert compiled
    assert all(counts[name] > 20 for name in compiled)


def test_everything_that_is_depended_on_is_locked() -> None:
    project = tomllib.loads((ROOT / "packages/ciphermark/pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["report"]]
    locked = releases(FOLDER / "core.txt")
    for text in wanted:
        requirement = Requirement(text)
        (pinned,) = locked[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pinned.version), text


@pytest.mark.parametrize("source", sorted(FOLDER.glob("*.in")), ids=lambda path: path.stem)
def test_every_line_of_a_source_is_locked(source: Path) -> None:
    lines = source.read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-"))]
    locked = releases(source.with_suffix(".txt"))
    assert [name for name in wanted if canonicalize_name(name) not in locked] == []


def test_the_locks_agree() -> None:
    core, test = releases(FOLDER / "core.txt"), releases(FOLDER / "test.txt")
    differing = {name for name in core.keys() & test.keys() if str(core[name]) != str(test[name])}
    assert differing == set()
