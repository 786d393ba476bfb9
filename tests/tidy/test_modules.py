"""The limits that STYLE.md sets to modules and functions."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tree import ROOT, SOURCE, code_files, source_files

LINES_MAX = 500
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
NAMES_BANNED = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
PRINT_ALLOWED = ("ciphermark/cli/", "ciphermark/report/", "ciphermark/compat/")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path, line: int = 1) -> str:
    """Where something is, as editors open it."""
    return f"{path.relative_to(ROOT)}:{line}"


def expect_none(offences: Iterable[str]) -> None:
    """Fails with all offences, one a line."""
    found = list(offences)
    assert not found, "\n" + "\n".join(found)


def functions(tree: ast.AST) -> Iterator[Function]:
    """All functions and methods, nested ones included."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def public_definitions(tree: ast.Module) -> list[Function | ast.ClassDef]:
    """What others may import from a module."""
    return [
        node
        for node in tree.body
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")
    ]


def test_a_module_begins_with_one_sentence() -> None:
    offences = []
    for path in code_files():
        docstring = ast.get_docstring(parsed(path)) or ""
        sentence = docstring.partition("\n\n")[0].replace("\n", " ")
        if not re.fullmatch(r"\S.*[.:?]", sentence) or re.search(r"[.!?] [A-Z]", sentence):
            offences.append(f"{place(path)} {sentence!r}")
    expect_none(offences)


def test_a_module_is_short_enough_to_read() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in code_files()}
    expect_none(f"{place(path)} {n} lines" for path, n in lengths.items() if n > LINES_MAX)


def test_a_line_fits() -> None:
    expect_none(
        place(path, number)
        for path in code_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > COLUMNS_MAX
    )


def test_a_function_fits_on_a_screen() -> None:
    expect_none(
        f"{place(path, node.lineno)} {node.name}"
        for path in code_files()
        for node in functions(parsed(path))
        if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES_MAX
    )


def test_a_module_is_named_after_its_subject() -> None:
    expect_none(
        place(path)
        for path in code_files()
        if NAMES_BANNED & {*path.stem.split("_"), *path.parent.name.split("_")}
    )


def test_a_silenced_check_is_named() -> None:
    bare = re.compile(r"#\s*(?:type:\s*ignore(?!\[)|noqa(?!:\s*[A-Z]+\d))")
    expect_none(
        place(path, number)
        for path in code_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if bare.search(re.sub(r"""(["']).*?\1""", "", line))
    )


def test_a_public_module_lists_what_it_offers() -> None:
    offences = []
    for path in source_files():
        tree = parsed(path)
        if path.stem.startswith("_") or not public_definitions(tree):
            continue
        exported = exported_names(tree)
        unknown = set(exported or ()) - {name for node in tree.body for name in bound(node)}
        if exported is None or unknown:
            offences.append(f"{place(path)} {sorted(unknown) or '__all__ is missing'}")
    expect_none(offences)


def exported_names(tree: ast.Module) -> list[str] | None:
    """The content of `__all__`; None when there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a module binds."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = (part for target in targets for part in ast.walk(target))
        yield from (part.id for part in parts if isinstance(part, ast.Name))
    elif isinstance(node, ast.If | ast.Try):
        yield from (name for part in node.body for name in bound(part))


def test_a_public_name_says_what_a_caller_needs() -> None:
    expect_none(
        f"{place(path, node.lineno)} {node.name}"
        for path in source_files()
        for node in public_definitions(parsed(path))
        if not ast.get_docstring(node)
    )


def test_a_contract_says_what_an_implementer_must_guarantee() -> None:
    expect_none(
        f"{place(path, node.lineno)} {owner.name}.{node.name}"
        for path in sorted(SOURCE.rglob("base.py"))
        for owner in ast.walk(parsed(path))
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, Function)
        if not node.name.startswith("_") and not ast.get_docstring(node)
    )


def test_only_what_talks_to_people_prints() -> None:
    expect_none(
        place(path, node.lineno)
        for path in source_files()
        if not any(allowed in path.as_posix() for allowed in PRINT_ALLOWED)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    )
