"""Result files: whole or not at all, old ones readable, newer ones refused in words."""

from __future__ import annotations

import errno
import json
import math
import os
from pathlib import Path

import jsonschema
import pytest
import sample_documents

from ciphermark.errors import ResultFileError
from ciphermark.results.document import ResultDocument
from ciphermark.results.files import read_result, result_schema, write_file, write_result

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def document() -> ResultDocument:
    return sample_documents.aa_excludes_zero()


def with_ends(document: ResultDocument, low: float, high: float) -> ResultDocument:
    """The document with another interval in its first comparison."""
    first, *others = document.comparisons
    first = first.model_copy(update={"ci_low": low, "ci_high": high})
    return document.model_copy(update={"comparisons": (first, *others)})


def refusal(path: Path) -> str:
    """What reading the path is refused with."""
    with pytest.raises(ResultFileError) as caught:
        read_result(path)
    return str(caught.value)


def test_what_was_written_is_read_from_the_file_and_from_its_folder(
    tmp_path: Path, document: ResultDocument
) -> None:
    file = write_result(document, tmp_path / "not" / "yet there")
    assert file.name == "result.json"
    assert read_result(file) == document
    assert read_result(file.parent) == document


def test_an_interval_without_an_end_survives(tmp_path: Path, document: ResultDocument) -> None:
    endless = with_ends(document, -math.inf, math.inf)
    file = write_result(endless, tmp_path)
    assert read_result(tmp_path) == endless
    assert json.loads(file.read_text())["comparisons"][0]["ci_low"] == "-Infinity"


def test_a_figure_that_is_none_survives(tmp_path: Path, document: ResultDocument) -> None:
    write_result(with_ends(document, math.nan, 0.5), tmp_path)
    assert math.isnan(read_result(tmp_path).comparisons[0].ci_low)


def test_a_written_file_follows_the_published_schema(
    tmp_path: Path, document: ResultDocument
) -> None:
    schema = result_schema()
    file = write_result(with_ends(document, -math.inf, 0.5), tmp_path)
    jsonschema.validate(json.loads(file.read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema_version": 1}, schema)


def test_a_file_of_format_1_stays_readable() -> None:
    read = read_result(GOLDEN / "result-format-1.json")
    assert read.schema_version == 1
    assert read.comparisons[0].arm == "chacha20"
    assert read.comparisons[0].overhead == pytest.approx(0.255, abs=0.01)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"schema_version": 1, "exp', "not JSON"),
        (b"\xff\xfe", "not UTF-8 text at byte 0"),
        (b"[]", "object was expected, not list"),
        (b"{}", "no schema_version"),
        (b'{"schema_version": "1"}', "no schema_version"),
        (b'{"schema_version": true}', "no schema_version"),
        (b'{"schema_version": 2}', "format is 2, newer than this program"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_what_is_wrong(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    text = refusal(file)
    assert str(file) in text
    assert words in text


def test_a_newer_format_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"schema_version": 99}')
    assert "pip install --upgrade ciphermark" in refusal(tmp_path)


def test_wrong_fields_are_listed_by_path_without_their_values(
    tmp_path: Path, document: ResultDocument
) -> None:
    raw = json.loads(write_result(document, tmp_path).read_text())
    raw["environment"]["cores"] = "hunter2"
    raw["arms"][1]["nonsense"] = 1
    del raw["experiment"]["seed"]
    (tmp_path / "result.json").write_text(json.dumps(raw))
    text = refusal(tmp_path)
    for path in ("environment.cores", "arms.1.nonsense", "experiment.seed"):
        assert path in text
    assert "hunter2" not in text


def test_many_wrong_fields_are_counted(tmp_path: Path, document: ResultDocument) -> None:
    raw = json.loads(write_result(document, tmp_path).read_text())
    for comparison in raw["comparisons"]:
        comparison["rounds"] = None
    (tmp_path / "result.json").write_text(json.dumps(raw))
    assert f"and {len(raw['comparisons']) - 8} more" in refusal(tmp_path)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nowhere")
    assert "holds no result.json" in refusal(tmp_path)


def test_a_journal_alone_is_a_run_that_did_not_end(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").touch()
    assert f"ciphermark run --resume {tmp_path}" in refusal(tmp_path)


def test_a_file_too_large_to_be_one_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    with file.open("wb") as stream:
        stream.truncate(513 * 1024 * 1024)
    assert "at most 536,870,912" in refusal(file)


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "Free some space"), (errno.EROFS, "folder that you may write to")],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    file = write_file(tmp_path / "result.json", b"old")

    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ResultFileError, match=words) as caught:
        write_file(file, b"new")
    assert str(file) in str(caught.value)
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path, document: ResultDocument) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(ResultFileError, match="taken"):
        write_result(document, tmp_path / "taken")
