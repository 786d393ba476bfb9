"""Text that can be shown anywhere: no control characters, which XML and terminals do not take."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from ciphermark.results.document import ResultDocument

__all__ = ["readable", "readable_text", "shorten"]


def readable(document: ResultDocument) -> ResultDocument:
    """The document with every text, names of settings included, as `readable_text` gives it."""
    return ResultDocument.model_validate(_mapped(document.model_dump()))


def readable_text(text: str) -> str:
    """The text with plain blanks only, and a replacement sign for each letter without a shape."""
    return text if text.isprintable() else "".join(map(_letter, text))


def shorten(text: str, length: int) -> str:
    """The text, or as much of its start as fits with an ellipsis.

    The length is that of letters of a fixed width; those of East Asia count as two.
    """
    if cell_len(text) <= length:
        return text
    return set_cell_size(text, length - 1).rstrip() + "…"


def _letter(letter: str) -> str:
    if letter.isprintable():
        return letter
    return " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"


def _mapped(value: object) -> object:
    if isinstance(value, str):
        return readable_text(value)
    if isinstance(value, dict):
        return {_mapped(name): _mapped(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner) for inner in value]
    return value
