"""Writes docs/reference/plan.md and commands.md from the program itself.

    make docs

A test fails when the files are not what this script would write.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from tree import ROOT

from ciphermark.cli.lazy import COMMANDS
from ciphermark.plan import schema
from ciphermark.registry import plugins

__all__ = ["REFERENCES", "command_reference", "plan_reference"]

FOLDER = ROOT / "docs" / "reference"
NOTE = "<!-- Written by `make docs`; do not edit. -->\n"
HELP_COLUMNS = 96

PLAN_INTRODUCTION = f"""{NOTE}
# Plan reference

A plan is a TOML file. `ciphermark init` writes one to start from, `ciphermark validate PLAN` shows
everything that is wrong with one, `ciphermark plan PLAN` what it would do. Keys that do not exist
are errors. `ciphermark schema` prints the same as JSON Schema, for editors.

Some keys may hold a list instead of a value: then every level is measured as a point of its own.
These are marked "swept".
"""

COMMAND_INTRODUCTION = f"""{NOTE}
# Command reference

Exit codes: 0 done; 1 failure; 2 wrong usage or an invalid plan; 3 a gate of `compare --fail-if` is
not met; 4 the result is invalid or too unstable; 130 interrupted. `ciphermark sysbench` exits as
sysbench does.
"""


def main() -> int:
    """Writes every reference anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, make in REFERENCES.items():
        path.write_text(make(), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def plan_reference() -> str:
    """Every key of a plan, with the options of the plug-ins that come with Ciphermark."""
    parts = [PLAN_INTRODUCTION, _section("[experiment]", schema.ExperimentSection)]
    parts.append(_section("[engine]", schema.EngineSection))
    parts += _plugin_sections("engine", "further keys of `[engine]`; swept")
    parts.append(_section("[data]", schema.DataSection))
    parts.append(_section("[[arm]]", schema.ArmSection))
    parts += _plugin_sections("protection", "keys of the table `protection` of an arm")
    parts.append(_section("[[workload]]", schema.WorkloadSection))
    parts += _plugin_sections("workload", "further keys of `[[workload]]`")
    return "\n".join(parts)


def _section(title: str, model: type[BaseModel]) -> str:
    return f"\n## `{title}`\n\n{(model.__doc__ or '').strip()}\n\n" + _table(model)


def _plugin_sections(group: str, role: str) -> Iterator[str]:
    for name, plugin in plugins(group).items():
        yield f"\n### {group} `{name}`: {plugin.description}\n"
        model = plugin.load_options() if plugin.options else None
        if model is None or not model.model_fields:
            yield "It has no options.\n"
        else:
            yield f"These are {role}.\n\n{_table(model)}"


def _table(model: type[BaseModel]) -> str:
    document = model.model_json_schema()
    definitions = document.get("$defs", {})
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for name, field in document.get("properties", {}).items():
        default = _value(field["default"]) if "default" in field else "required"
        meaning = field.get("description", "").replace("|", "\\|")
        rows.append(f"| `{name}` | {_type(field, definitions)} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def _value(default: Any) -> str:
    """A default as it stands in TOML; none at all when the program decides."""
    if default is None:
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, str):
        return f'`"{default}"`'
    if isinstance(default, list):
        return "`[" + ", ".join(_value(one).strip("`") for one in default) + "]`"
    return f"`{default}`"


def _type(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The kind of value in words, with its bounds."""
    if "$ref" in field:
        target = definitions[field["$ref"].rpartition("/")[2]]
        return "table" if target.get("type") == "object" else _type(target, definitions)
    if "anyOf" in field:
        kinds = [_type(one, definitions) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in field:
        return ", ".join(f'`"{one}"`' for one in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field['items'], definitions)}"
    kind = {"string": "text", "boolean": "`true` or `false`"}.get(field["type"], field["type"])
    return ", ".join([kind, *_bounds(field)])


def _bounds(field: dict[str, Any]) -> Iterator[str]:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    for key, sign in signs.items():
        if key in field:
            yield f"{sign} {'2^63' if field[key] == 2**63 else field[key]}"


def command_reference() -> str:
    """The help of every command, as the program prints it."""
    sections = [f"\n## ciphermark {name}\n\n```text\n{_help(name)}\n```\n" for name in COMMANDS]
    return COMMAND_INTRODUCTION + "".join(sections)


def _help(name: str) -> str:
    program = "from ciphermark.cli.main import main; main()"
    environment = {**os.environ, "COLUMNS": str(HELP_COLUMNS), "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, name, "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


REFERENCES: dict[Path, Callable[[], str]] = {
    FOLDER / "plan.md": plan_reference,
    FOLDER / "commands.md": command_reference,
}

if __name__ == "__main__":
    sys.exit(main())
