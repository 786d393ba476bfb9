"""Standard output of all commands: plain text, the same in a terminal and in a file."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ciphermark.errors import CiphermarkError

__all__ = [
    "print_error",
    "print_indented",
    "print_json",
    "print_or_write",
    "print_table",
    "write_new",
]

WIDTH = 100


def print_error(error: Exception) -> None:
    """Prints to standard error what happened, where, and what to do."""
    print(_in_words(error), file=sys.stderr)


def _in_words(error: Exception) -> str:
    if isinstance(error, CiphermarkError):
        text = f"{error.where}: {error.what}" if error.where else error.what
        return f"Error: {text}\n{error.remedy}" if error.remedy else f"Error: {text}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"Error: {place}{(error.strerror or type(error).__name__).lower()}"
    # The text of a foreign error may hold anything, a bound value too, so it is not shown.
    return (
        f"Error: unexpected {type(error).__name__}; this is a fault of the program\n"
        "See where it arose with: ciphermark --debug …"
    )


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
