"""What a stranger finds at the top: README, changelog, licence, Makefile, CI."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

from documents import blocks
from tree import PROSE, ROOT


def text(name: str) -> str:
    """The content of a file at the top."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_shows_its_two_commands_first() -> None:
    first = next(block for block in blocks(ROOT / "README.md") if block.language == "console")
    assert first.commands == ("make demo", "make test")


def test_every_document_is_there() -> None:
    assert [name for name in PROSE if len(text(name)) < 100] == []


def test_the_changelog_says_what_is_new() -> None:
    unreleased = re.search(
        r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", text("CHANGELOG.md"), re.M | re.S
    )
    assert unreleased
    sections = set(re.findall(r"^### (\w+)$", unreleased[1], re.M))
    assert sections
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert re.search(r"^- \S", unreleased[1], re.M)


def test_the_licence_is_the_one_that_is_declared() -> None:
    project = tomllib.loads(text("packages/ciphermark/pyproject.toml"))["project"]
    assert project["license"] == "Apache-2.0"
    assert re.search(r"Apache License\s+Version 2\.0, January 2004", text("LICENSE"))
    assert len(text("LICENSE").splitlines()) > 190


def test_make_alone_explains_every_target() -> None:
    makefile = text("Makefile")
    targets = set(re.findall(r"^(\w+):$", makefile, re.M)) - {"help"}
    explained = set(re.findall(r"'make (\w+) ", makefile))
    assert targets == explained
    declared = re.search(r"^\.PHONY: (.*)$", makefile, re.M)
    assert declared
    assert set(declared[1].split()) == targets | {"help"}


def test_ci_runs_what_developers_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    lines = [line for line in script.read_text().splitlines() if line.strip()]
    assert lines[-1] == "exec make --no-print-directory test </dev/null"


def test_hooks_use_the_tools_of_the_environment() -> None:
    hooks = text(".pre-commit-config.yaml")
    entries = re.findall(r"^ +entry: (\S+)", hooks, re.M)
    assert entries
    assert all(entry.startswith(".venv/bin/") for entry in entries)
    assert hooks.count("language: system") == len(entries)
    assert re.findall(r"repo: (\S+)", hooks) == ["local"]
