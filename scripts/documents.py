"""Reads what can be checked in Markdown documents: code blocks, links and headings.

A block of commands is marked `console`; its lines that begin with "$ " are typed, the others show
what is printed. "exit=N" behind the word says with which code the last command ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "anchors", "blocks", "links"]

FENCE = re.compile(r"^ {0,3}```(?P<info>[^\n`]*)\n(?P<body>.*?)^ {0,3}```\s*$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<title>.+?)\s*$", re.M)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the line it begins in, the words behind the fence, and its text."""

    line: int
    info: str
    body: str

    @property
    def language(self) -> str:
        """The first word behind the fence; empty if there is none."""
        return self.info.split()[0] if self.info.split() else ""

    @property
    def commands(self) -> tuple[str, ...]:
        """What is typed, with lines that end in a backslash joined to the next."""
        joined = self.body.replace("\\\n", " ")
        return tuple(line[2:].strip() for line in joined.splitlines() if line.startswith("$ "))

    @property
    def exit_code(self) -> int:
        """With which code the last command ends."""
        found = re.search(r"\bexit=(\d+)", self.info)
        return int(found[1]) if found else 0


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document in their order."""
    text = path.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(line, match["info"].strip(), match["body"])


def links(path: Path) -> Iterator[str]:
    """Where a document points to, links within code left out."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    yield from (match["target"] for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", text)))


def anchors(path: Path) -> set[str]:
    """The names under which a document's headings can be pointed to."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return {_anchor(match["title"]) for match in HEADING.finditer(text)}


def _anchor(title: str) -> str:
    """A heading as GitHub makes an anchor of it."""
    kept = re.sub(r"[^\w\- ]", "", title.strip().lower())
    return kept.replace(" ", "-")
