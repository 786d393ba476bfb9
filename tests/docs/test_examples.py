"""The examples are valid plans, by the program and by the schema that it prints."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest
from tree import ROOT

from ciphermark.plan.build import build_experiment
from ciphermark.plan.files import read_plan
from ciphermark.plan.schema import plan_schema
from ciphermark.registry import find

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
EXAMPLE = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)


@EXAMPLE
def test_an_example_is_a_valid_plan(path: Path) -> None:
    experiment = build_experiment(read_plan(path), where=str(path))
    assert experiment.name.replace("-", "_") == path.stem
    assert experiment.control.name == "plain"


@EXAMPLE
def test_an_example_fits_the_schema(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), plan_schema())


@EXAMPLE
def test_an_example_says_how_it_is_run(path: Path) -> None:
    assert f"#   ciphermark run examples/{path.name}\n" in path.read_text()


def test_all_ciphers_of_the_engine_are_compared() -> None:
    from ciphermark.engine.sqlite.options import SQLiteOptions

    engine = find("engine", "sqlite").load()(SQLiteOptions())
    experiment = build_experiment(read_plan(ROOT / "examples" / "ciphers.toml"))
    compared = {arm.protection.label.removeprefix("tde ") for arm in experiment.arms}
    assert set(engine.ciphers) <= compared
