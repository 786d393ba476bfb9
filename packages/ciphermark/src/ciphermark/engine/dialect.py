"""How an engine spells the statements that differ between engines."""

from __future__ import annotations

from typing import Any, Protocol

from ciphermark.workload.base import Parameters

__all__ = ["Dialect", "interpolate", "literal"]


class Dialect(Protocol):
    """The differences that workloads must know."""

    @property
    def name(self) -> str:
        """The dialect's name as sqlglot spells it, such as "sqlite" or "mysql"."""

    @property
    def begin(self) -> str:
        """Starts a read-only transaction."""

    @property
    def begin_write(self) -> str:
        """Starts a transaction that will write."""

    def integer_key(self, auto_increment: bool) -> str:
        """Type of an integer primary key column, without the PRIMARY KEY clause."""

    def table_options(self) -> str:
        """What follows the closing parenthesis of CREATE TABLE."""


def literal(value: Any) -> str:
    """`value` as an SQL literal, for statements whose values stand in the text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"X'{bytes(value).hex()}'"
    text = str(value)
    return "'" + text.replace("'", "''") + "'"


def interpolate(text: str, parameters: Parameters) -> str:
    """`text` with each `?` replaced by the literal of its parameter.

    The text comes from a workload, which never writes a question mark into a literal.
    """
    parts = text.split("?")
    if len(parts) != len(parameters) + 1:
        raise ValueError(f"{len(parts) - 1} markers for {len(parameters)} parameters")
    pieces = [parts[0]]
    for value, part in zip(parameters, parts[1:], strict=True):
        pieces.append(literal(value))
        pieces.append(part)
    return "".join(pieces)
