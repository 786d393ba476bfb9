"""The files of this repository by kind, for the checks and the generators that walk over them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CODE", "PROSE", "ROOT", "SOURCE", "code_files", "prose_files", "source_files", "texts"]

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "packages" / "ciphermark" / "src"
CODE = ("packages", "tests", "benchmarks", "scripts")
PROSE = (
    "README.md",
    "ARCHITECTURE.md",
    "STYLE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "packages/ciphermark/README.md",
)
OTHERS = ("Makefile", "pyproject.toml", "packages/ciphermark/pyproject.toml", ".ci/run")


def source_files() -> list[Path]:
    """The modules that are shipped."""
    return sorted(SOURCE.rglob("*.py"))


def code_files() -> list[Path]:
    """Every Python file: shipped modules, tests, benchmarks and scripts."""
    return sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))


def prose_files() -> list[Path]:
    """The documents that people read."""
    return [ROOT / name for name in PROSE] + sorted((ROOT / "docs").rglob("*.md"))


def texts() -> list[Path]:
    """Everything that was written by hand: code, documents, examples, templates and settings."""
    templates = sorted(path for path in SOURCE.rglob("*.*") if path.suffix in _TEMPLATES)
    examples = sorted((ROOT / "examples").rglob("*.toml"))
    others = [ROOT / name for name in OTHERS] + sorted((ROOT / "requirements").glob("*.in"))
    return [*code_files(), *prose_files(), *templates, *examples, *others]


_TEMPLATES = {".html", ".css", ".js", ".j2", ".jinja", ".md"}
