"""The built wheel works in an empty environment: help, and an experiment of some seconds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tree import ROOT, SOURCE

PACKAGE = ROOT / "packages" / "ciphermark"
PLAN = ROOT / "examples" / "quick.toml"


def run(*command: str, cwd: Path) -> str:
    """What a command prints; its failure is shown with all that it said."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sources."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder))
    run(*build, str(PACKAGE), cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it depends on."""
    environment = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", str(environment), cwd=environment)
    install = (str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet")
    lock = str(ROOT / "requirements" / "core.txt")
    run(*install, "--require-hashes", "--only-binary=:all:", "-r", lock, cwd=environment)
    run(*install, "--no-index", "--no-deps", str(wheel), cwd=environment)
    return environment / "bin"


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    shipped = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and not re.search(r"/(?:__pycache__|\.\w+)/", path.as_posix())
    }
    assert sorted(wanted - shipped) == []
    assert "ciphermark/py.typed" in shipped


@pytest.mark.slow
def test_the_wheel_runs_an_experiment_from_an_empty_environment(
    programs: Path, tmp_path: Path
) -> None:
    ciphermark = str(programs / "ciphermark")
    assert "Commands" in run(ciphermark, "--help", cwd=tmp_path)
    run(str(programs / "python"), "-m", "pip", "check", cwd=tmp_path)
    printed = run(
        ciphermark, "run", str(PLAN), "--out", "quick", "--progress", "none", cwd=tmp_path
    )
    assert printed.strip().splitlines()[-1].endswith("report.html")
    result = json.loads((tmp_path / "quick" / "result.json").read_text())
    assert result["valid"]
    assert {arm["proof"]["status"] for arm in result["arms"]} == {"proven"}
    assert result["experiment"]["measuring_s"] > 1
