"""Checks of the disk's flush, the clocks, Python, plug-ins and engines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermark.doctor import timing
from ciphermark.doctor.engine import check_engine, check_engine_plugin
from ciphermark.doctor.examine import examine
from ciphermark.doctor.finding import Level
from ciphermark.doctor.software import check_plugins, check_python, judge_plugins
from ciphermark.doctor.timing import (
    check_clocks,
    check_flush,
    judge_clocks,
    judge_flush,
    measure_flush_ms,
)
from ciphermark.engine.base import Copy
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.errors import EngineError, UnsupportedCapability
from ciphermark.measurement.clock import ClockFindings, ClockReading, ClockWatch
from ciphermark.registry import Plugin, find


@pytest.mark.parametrize(
    ("durations_ms", "level", "words"),
    [
        ([0.2, 0.3, 0.4], Level.OK, "0.30 ms"),
        ([0.001, 0.002, 90.0], Level.WARN, "power cut"),
        ([45.0], Level.WARN, "hide"),
    ],
)
def test_a_flush_is_judged_by_its_median(
    durations_ms: list[float], level: Level, words: str
) -> None:
    finding = judge_flush(durations_ms)
    assert finding.level is level
    assert words in finding.what


def test_flushing_leaves_nothing_behind(tmp_path: Path) -> None:
    assert len(measure_flush_ms(tmp_path, times=3)) == 3
    assert list(tmp_path.iterdir()) == []
    assert check_flush(tmp_path / "not/there/yet").level is not Level.FAIL
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_file_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> tuple[float, ...]:
        raise PermissionError(13, os.strerror(13), str(folder))

    monkeypatch.setattr(timing, "measure_flush_ms", refuse)
    finding = check_flush(tmp_path)
    assert finding.level is Level.FAIL
    assert "permission denied" in finding.what


def test_clocks_are_judged() -> None:
    assert judge_clocks(ClockFindings(10**9, 0, 0)).level is Level.OK
    asleep = judge_clocks(ClockFindings(10**9, 10**10, 0))
    assert asleep.level is Level.WARN
    assert "suspended for 10.0 s" in asleep.what


def test_clocks_are_watched_over_a_moment() -> None:
    readings: Iterator[ClockReading] = iter(
        [ClockReading(0, 0, 0), ClockReading(10**9, 10**9, 4 * 10**9)]
    )
    finding = check_clocks(ClockWatch(lambda: next(readings)), wait_s=0.0)
    assert finding.level is Level.WARN
    assert "set forwards by 3.0 s" in finding.what


def test_an_old_python_fails() -> None:
    assert check_python((3, 10, 9)).level is Level.FAIL
    assert check_python().level is Level.OK


def test_the_plugins_that_come_along_are_whole() -> None:
    assert {finding.level for finding in check_plugins()} == {Level.OK}


def test_a_missing_package_is_named_with_its_command() -> None:
    plugin = Plugin("mydb", "text", "a:b", requires=("no_such_module",), extra="mydb")
    findings = list(judge_plugins({"engine": {"mydb": plugin}}, ("plug-in x cannot be loaded",)))
    group, missing, broken = findings
    assert group.what == "none"
    assert missing.level is Level.WARN
    assert "pip install 'ciphermark[mydb]'" in missing.remedy
    assert broken.level is Level.WARN
    assert "x cannot be loaded" in broken.what


def test_sqlite_opens_with_every_cipher_and_leaves_nothing(tmp_path: Path) -> None:
    engine = SQLiteEngine(SQLiteOptions())
    opens, ciphers = check_engine(engine, tmp_path)
    assert opens.level is Level.OK
    assert "SQLite 3." in opens.what
    assert ciphers.what == ", ".join(engine.ciphers)
    assert list(tmp_path.iterdir()) == []


class Faulty(SQLiteEngine):
    """An SQLite that refuses databases of one cipher; "" stands for plain ones."""

    def __init__(self, refused: str) -> None:
        super().__init__(SQLiteOptions())
        self.refused = refused

    def create(self, copy: Copy) -> None:
        if (copy.encryption.cipher if copy.encryption else "") == self.refused:
            raise EngineError("it is broken")
        super().create(copy)


def test_a_cipher_that_does_not_work_is_named(tmp_path: Path) -> None:
    findings = list(check_engine(Faulty("aegis"), tmp_path))
    assert [finding.level for finding in findings] == [Level.OK, Level.OK, Level.WARN]
    assert "aegis" not in findings[1].what
    assert findings[2].what == "aegis does not work: it is broken"


def test_an_engine_that_does_not_open_fails(tmp_path: Path) -> None:
    (finding,) = check_engine(Faulty(""), tmp_path)
    assert finding.level is Level.FAIL
    assert "does not open: it is broken" in finding.what
    assert list(tmp_path.iterdir()) == []


def test_an_engine_without_its_driver_fails_with_the_command(tmp_path: Path) -> None:
    plugin = Plugin("mydb", "text", "a:b", requires=("no_such_module",))
    (finding,) = check_engine_plugin(plugin, tmp_path)
    assert finding.level is Level.FAIL
    assert "pip install no_such_module" in finding.remedy


def test_everything_is_examined(tmp_path: Path) -> None:
    subjects = [finding.subject for finding in examine(tmp_path)]
    assert {"cores", "flush", "clocks", "Python", "engine plug-ins", "sqlite"} <= set(subjects)
    assert list(tmp_path.iterdir()) == []
    only = list(examine(tmp_path, ["sqlite"]))
    assert [finding.subject for finding in only] == subjects
    with pytest.raises(UnsupportedCapability, match="Did you mean sqlite"):
        list(examine(tmp_path, ["sqllite"]))
    assert find("engine", "sqlite").name == "sqlite"
