"""Are two arms equal in everything but the encryption?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ciphermark.engine.base import TableDigest

__all__ = ["data_differences", "settings_differences"]


def settings_differences(
    control: tuple[str, Mapping[str, str]],
    arm: tuple[str, Mapping[str, str]],
    expected: Iterable[str],
) -> tuple[str, ...]:
    """Sentences about the settings in which two arms, given by name and settings, differ.

    `expected` names those that belong to the encryption itself, see `Engine.expected_differences`.
    """
    control_name, control_settings = control
    arm_name, arm_settings = arm
    names = sorted((control_settings.keys() | arm_settings.keys()) - set(expected))
    return tuple(
        f"setting {name} is {_value(control_settings, name)} on {control_name} "
        f"and {_value(arm_settings, name)} on {arm_name}"
        for name in names
        if control_settings.get(name) != arm_settings.get(name)
    )


def data_differences(
    control: tuple[str, Sequence[TableDigest]], arm: tuple[str, Sequence[TableDigest]]
) -> tuple[str, ...]:
    """Sentences about the tables that do not hold the same rows in both arms."""
    control_name, control_tables = control
    arm_name, arm_tables = arm
    left = {digest.table: digest for digest in control_tables}
    right = {digest.table: digest for digest in arm_tables}
    sentences = []
    for table in sorted(left.keys() | right.keys()):
        one, other = left.get(table), right.get(table)
        if one is None or other is None:
            absent = control_name if one is None else arm_name
            sentences.append(f"table {table} is missing on {absent}")
        elif one.rows != other.rows:
            sentences.append(
                f"table {table} has {one.rows} rows on {control_name} "
                f"and {other.rows} on {arm_name}"
            )
        elif one.sha256 != other.sha256:
            sentences.append(f"table {table} holds other rows on {control_name} than on {arm_name}")
    return tuple(sentences)


def _value(settings: Mapping[str, str], name: str) -> str:
    return settings.get(name, "missing") or "empty"
