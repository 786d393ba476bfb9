"""What the parts of the repository promise each other: modules, plug-ins, errors, layers."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import sys
import tomllib
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tree import ROOT, SOURCE, code_files, source_files

from ciphermark import errors, registry

PROJECT = ROOT / "packages" / "ciphermark" / "pyproject.toml"
ONLY_FOR_TESTS = {
    "ciphermark.statistics.coverage": "counts how often intervals hold a known truth",
    "ciphermark.statistics.latency_coverage": "does the same for latencies",
    "ciphermark.statistics.scenarios": "the experiments that are counted over",
}
BROUGHT_BY = {"markupsafe": "jinja2", "pydantic_core": "pydantic"}
"""Packages that are part of the interface of one that is depended on."""
OBJECT_PATH = re.compile(r"\b(ciphermark(?:\.\w+)+):\w+")
ERRORS = [getattr(errors, name) for name in errors.__all__ if name != "Problem"]


def module_name(path: Path) -> str:
    """The dotted name of a module of the package."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: Path) -> set[str]:
    """Modules that a file imports, or names in a "module:attribute" path."""
    text = path.read_text(encoding="utf-8")
    names = set(OBJECT_PATH.findall(text))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_every_module_is_reached_from_another() -> None:
    reached = set(OBJECT_PATH.findall(PROJECT.read_text()))
    for plugin in (one for group in registry.GROUPS for one in registry.plugins(group).values()):
        reached |= {path.partition(":")[0] for path in (plugin.factory, plugin.options)}
    for path in source_files():
        reached |= imported_by(path) - {module_name(path)}
    packages = {"__init__", "__main__"}
    modules = {module_name(path) for path in source_files() if path.stem not in packages}
    assert sorted(modules - reached - ONLY_FOR_TESTS.keys()) == []


def test_what_is_there_for_tests_is_used_by_them() -> None:
    shipped = set(source_files())
    used = {name for path in code_files() if path not in shipped for name in imported_by(path)}
    assert sorted(ONLY_FOR_TESTS.keys() - used) == []


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    project = tomllib.loads(PROJECT.read_text())["project"]
    texts = [*project["dependencies"], *project["optional-dependencies"]["report"]]
    declared = {canonicalize_name(Requirement(text).name) for text in texts}
    providers = packages_distributions()
    modules = {name.partition(".")[0] for path in source_files() for name in imported_by(path)}
    foreign = modules - sys.stdlib_module_names - {"ciphermark"}
    imported = {
        canonicalize_name(BROUGHT_BY.get(name, providers[name][0] if name in providers else name))
        for name in foreign
    }
    assert sorted(imported - declared) == []
    assert sorted(declared - imported) == []


def test_every_script_is_called() -> None:
    callers = [ROOT / "Makefile", ROOT / ".ci" / "run", *code_files()]
    text = {path: path.read_text(encoding="utf-8") for path in callers}
    unused = [
        path.name
        for path in sorted((ROOT / "scripts").glob("*.py"))
        if not any(
            re.search(rf"\b{path.stem}\b", content)
            for caller, content in text.items()
            if caller != path
        )
    ]
    assert unused == []


def test_every_module_is_in_a_layer() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {part for layer in layers for part in re.findall(r"[\w.]+", layer)}
    outside = [
        module_name(path)
        for path in source_files()
        if path.stem not in ("__init__", "__main__")
        if not any(f"{module_name(path)}.".startswith(f"{layer}.") for layer in named)
    ]
    assert outside == []


@pytest.mark.parametrize("group", registry.GROUPS)
def test_every_entry_point_leads_to_what_it_names(group: str) -> None:
    found = list(entry_points(group=f"ciphermark.{group}"))
    assert found, f"no plug-in in the group {group}"
    for entry in found:
        plugin = entry.load()
        assert isinstance(plugin, registry.Plugin)
        assert plugin.name == entry.name
        assert plugin.description
        assert plugin.load() is not None
        assert not plugin.options or plugin.load_options() is not None


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_stands_in_the_tree_below_its_parent(kind: type[Exception]) -> None:
    tree = inspect.getdoc(errors) or ""
    lines = re.findall(r"^( *)(?:\+-- )?([A-Z]\w+)\b", tree.replace("|", " "), flags=re.MULTILINE)
    depth = {name: len(indent) for indent, name in lines}
    order = [name for _, name in lines if name in depth]
    assert kind.__name__ in depth, "not in the tree of errors.py"
    if kind is errors.CiphermarkError:
        return
    above = order[: order.index(kind.__name__)]
    parent = next(name for name in reversed(above) if depth[name] < depth[kind.__name__])
    assert kind.__bases__[0].__name__ == parent


def sample(kind: type[Exception]) -> Exception:
    """An error of that kind, its required arguments made up."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    required = [p for p in parameters if p.default is p.empty]
    if kind is errors.PlanError:
        return errors.PlanError((errors.Problem("engine.kind", "unknown"),), where="plan.toml")
    keywords = {p.name: f"a {p.name}" for p in required if p.kind is p.KEYWORD_ONLY}
    return kind("what happened", **keywords)


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_crosses_process_borders(kind: type[Exception]) -> None:
    error = sample(kind)
    restored = pickle.loads(pickle.dumps(error))
    assert type(restored) is kind
    assert str(restored) == str(error)
    assert restored.__dict__ == error.__dict__
