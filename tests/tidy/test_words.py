"""Words that must not stand in the repository, with what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tree import ROOT, texts

HERE = Path(__file__).resolve()

# Written in pieces, so that this file does not hold what it looks for.
LEFT_OPEN = "|".join(("TODO", "FIXME", "XXX"))
REGISTRIES = "|".join((r"pypi\." "org", r"pythonhosted\." "org", r"deb\." r"debian\." "org"))

BANNED = {
    "finish it, or write it into an issue": rf"\b(?:{LEFT_OPEN})\b",
    "no address of a package registry": rf"(?:{REGISTRIES}|registry\.npmjs)",
    "no path of one machine": r"(?<![\w.])/(?:root|work|home/\w+|tmp/w|opt)/",
    "say round, slice, block or batch": r"(?i)\btrials?\b",
    "say arm and control, or round": r"(?i)\b(?:slice|block|round|arm|run)[ -]pairs?\b|\bpaired\b",
    "say control, the plain arm": r"(?i)\bbaseline arm\b",
}


@pytest.mark.parametrize("instead", BANNED)
def test_a_banned_word_is_not_used(instead: str) -> None:
    pattern = re.compile(BANNED[instead])
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in texts()
        if path != HERE
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"{instead}\n" + "\n".join(found)


def test_every_word_can_be_found() -> None:
    examples = ["TODO", "https://pypi.org/simple", "/root/x", "a trial", "paired"]
    examples.append("the baseline arm")
    for example, pattern in zip(examples, BANNED.values(), strict=True):
        assert re.search(pattern, example), example
