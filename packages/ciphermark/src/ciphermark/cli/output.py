"""Standard output of all commands: plain text, the same in a terminal and in a file."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ciphermark.errors import CiphermarkError

__all__ = ["print_indented", "print_json", "print_or_write", "print_table", "write_new"]

WIDTH = 100


def print_json(content: Any) -> None:
    """Prints JSON for people and programs."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def print_table(rows: Sequence[Sequence[str]], indent: str = "") -> None:
    """Prints rows with their columns aligned; the last column may be as wide as it likes."""
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print((indent + "  ".join(cells)).rstrip())


def print_indented(head: str, text: str) -> None:
    """Prints `text` behind `head`, wrapped, and further lines below the text."""
    print(textwrap.fill(head + text, WIDTH, subsequent_indent=" " * len(head)))


def print_or_write(text: str, output: Path | None) -> None:
    """Prints a text, or writes it to a file, whole or not at all, and says so."""
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from ciphermark.results.files import write_file

    write_file(output, text.encode())
    print(output)


def write_new(path: Path, text: str) -> None:
    """Writes a file that must not exist yet; raises `CiphermarkError` when it does."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise CiphermarkError(
            "the file exists and is left as it is",
            where=str(path),
            remedy="Give another name, or remove it first",
        ) from error
