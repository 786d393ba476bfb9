"""A missing server skips its tests and is named at the end, or fails them where it is required."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tree import ROOT

TESTS = """
import pytest

@pytest.mark.browser
def test_in_a_browser() -> None:
    pass

def test_without() -> None:
    pass
"""
SETTINGS = '[tool.pytest.ini_options]\nmarkers = ["browser: needs Chromium"]\n'


def pytest_without_servers(folder: Path, **environment: str) -> tuple[int, list[str]]:
    """Exit code and printed lines of pytest on a machine without any server."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_two.py").write_text(TESTS)
    (folder / "pyproject.toml").write_text(SETTINGS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"],
        cwd=folder,
        env={"PATH": str(folder), "PYTHONPATH": str(ROOT / "scripts"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_it_is_skipped_and_named_right_before_the_closing_line(tmp_path: Path) -> None:
    code, lines = pytest_without_servers(tmp_path)
    assert code == 0
    assert lines[-1].startswith("1 passed, 1 skipped")
    assert lines[-2].startswith("NOT EXERCISED: ")
    assert "sudo apt-get install chromium" in lines[-2]


def test_it_fails_where_it_is_required(tmp_path: Path) -> None:
    code, lines = pytest_without_servers(tmp_path, CIPHERMARK_REQUIRE="chromium")
    assert code == 1
    assert any("chromium is required and missing" in line for line in lines)
    assert lines[-1].startswith("1 passed, 1 error")
