"""The generated references say what the program does now."""

from __future__ import annotations

from pathlib import Path

import pytest
from tree import ROOT
from write_references import REFERENCES

from ciphermark.cli.lazy import COMMANDS
from ciphermark.plan.schema import ArmSection, DataSection, ExperimentSection, WorkloadSection
from ciphermark.registry import plugins


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.name)
def test_a_reference_is_what_the_program_says(path: Path) -> None:
    assert path.read_text() == REFERENCES[path](), "type: make docs"


def test_every_command_is_documented_with_help() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text()
    assert [name for name in COMMANDS if f"## ciphermark {name}\n" not in text] == []
    assert [name for name, entry in COMMANDS.items() if not entry.summary.endswith(".")] == []


def test_every_key_of_a_plan_is_documented() -> None:
    text = (ROOT / "docs" / "reference" / "plan.md").read_text()
    keys = {*ExperimentSection.model_fields, *DataSection.model_fields}
    keys |= {*ArmSection.model_fields, *WorkloadSection.model_fields}
    for group in ("engine", "protection", "workload"):
        for plugin in plugins(group).values():
            keys.update(plugin.load_options().model_fields)
    assert sorted(key for key in keys if f"| `{key}` |" not in text) == []
