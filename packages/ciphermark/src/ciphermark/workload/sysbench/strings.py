"""The strings of sysbench's rows: groups of eleven random digits, joined by dashes."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

__all__ = ["C_LENGTH", "PAD_LENGTH", "c_and_pad", "c_values"]

_GROUP = 11
_C_GROUPS = 10
_PAD_GROUPS = 5
C_LENGTH = _C_GROUPS * (_GROUP + 1) - 1
PAD_LENGTH = _PAD_GROUPS * (_GROUP + 1) - 1


def c_values(generator: np.random.Generator, count: int) -> list[str]:
    """`count` values of column c: ten groups, 119 characters."""
    return _joined(_digits(generator, count, _C_GROUPS), _C_GROUPS)


def c_and_pad(generator: np.random.Generator, count: int) -> tuple[list[str], list[str]]:
    """`count` values of column c, and as many of column pad: five groups, 59 characters."""
    digits = _digits(generator, count, _C_GROUPS + _PAD_GROUPS)
    border = _C_GROUPS * _GROUP
    return _joined(digits[:, :border], _C_GROUPS), _joined(digits[:, border:], _PAD_GROUPS)


def _digits(generator: np.random.Generator, count: int, groups: int) -> NDArray[np.uint8]:
    """Random digits as ASCII codes, one row for each value; drawn four digits at a time."""
    quads = -(-groups * _GROUP // 4)
    drawn = generator.integers(0, 10_000, (count, quads), dtype=np.uint16)
    digits: NDArray[np.uint8] = _quads().take(drawn).view(np.uint8)
    return digits[:, : groups * _GROUP]


@functools.cache
def _quads() -> NDArray[np.uint32]:
    """The four digits of each number below 10,000, packed as four ASCII codes."""
    return np.array([f"{number:04}" for number in range(10_000)], dtype="S4").view(np.uint32)


def _joined(digits: NDArray[np.uint8], groups: int) -> list[str]:
    """One string for each row: its groups with dashes between them."""
    count = len(digits)
    cells = np.full((count, groups, _GROUP + 1), ord("-"), np.uint8)
    cells[:, :, :_GROUP] = digits.reshape(count, groups, _GROUP)
    text = cells.tobytes().decode("ascii")
    stride = groups * (_GROUP + 1)
    return [text[start : start + stride - 1] for start in range(0, count * stride, stride)]
