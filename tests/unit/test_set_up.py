"""Setting up does each step once, and tells what to type when it cannot go on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import install_servers
import pytest
import set_up


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of its own for the stamps."""
    monkeypatch.setattr(set_up, "VENV", tmp_path / ".venv")
    set_up.VENV.mkdir()
    return set_up.VENV


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A file that a step depends on."""
    path = tmp_path / "core.txt"
    path.write_text("one==1")
    return path


def test_a_step_is_done_once(venv: Path, lock: Path) -> None:
    done: list[int] = []
    for _ in range(3):
        set_up._once("locked-core", [lock], lambda: done.append(1))
    assert done == [1]


def test_a_step_is_done_again_when_its_files_change(venv: Path, lock: Path) -> None:
    done: list[int] = []
    set_up._once("locked-core", [lock], lambda: done.append(1))
    lock.write_text("one==2")
    set_up._once("locked-core", [lock], lambda: done.append(2))
    assert done == [1, 2]


def test_a_step_that_failed_is_done_again(venv: Path, lock: Path) -> None:
    def fail() -> None:
        raise set_up.SetUpError("no network")

    done: list[int] = []
    with pytest.raises(set_up.SetUpError):
        set_up._once("locked-core", [lock], fail)
    set_up._once("locked-core", [lock], lambda: done.append(1))
    assert done == [1]


def test_an_old_python_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_up, "_runs", lambda *_: False)
    with pytest.raises(set_up.SetUpError, match=r"sudo apt-get install python3\.11"):
        set_up._find_interpreter()


def test_without_venv_and_without_root_one_is_told_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(set_up, "_runs", lambda path, code="": "ensurepip" not in code)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(set_up.SetUpError, match=f"sudo apt-get install python{version}-venv"):
        set_up._find_interpreter()


def test_a_failed_command_shows_what_it_said() -> None:
    command = [sys.executable, "-c", "print('the disk is full'); raise SystemExit(1)"]
    with pytest.raises(set_up.SetUpError, match="could not be made\nthe disk is full"):
        set_up._run(command, "the environment could not be made")


def test_an_unknown_level_is_an_error_of_usage() -> None:
    command = [sys.executable, set_up.__file__, "all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "say one of core, test" in done.stderr


def test_nothing_is_installed_where_it_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_INSTALL", "no")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(subprocess, "run", None)  # would fail if it were called
    missing = install_servers.install_missing()
    assert [server.name for server in missing] == list(install_servers.SERVERS)


def test_what_is_required_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_REQUIRE", "chromium, mariadb  postgresql")
    assert install_servers.required() == {"chromium", "mariadb", "postgresql"}


def test_a_program_without_a_library_that_it_needs_is_missing() -> None:
    python = (sys.executable,)
    complete = install_servers.Server("one", python, ("one",), "", libraries=("libc.so.6",))
    lacking = install_servers.Server("two", python, ("two",), "", libraries=("libnone.so.9",))
    assert complete.path == sys.executable
    assert lacking.path is None
