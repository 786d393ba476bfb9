"""Reads and writes result files: whole or not at all, and never one of a newer format.

A result file is a `ResultDocument` as JSON. Numbers that JSON cannot hold (an interval without an
end) are written as the strings "Infinity", "-Infinity" and "NaN".
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ciphermark.errors import ResultFileError
from ciphermark.results.document import SCHEMA_VERSION, ResultDocument

__all__ = ["RESULT_FILE_NAME", "read_result", "result_schema", "write_file", "write_result"]

RESULT_FILE_NAME = "result.json"
JOURNAL_FILE_NAME = "journal.jsonl"
SIZE_LIMIT_BYTES = 512 * 1024 * 1024
PROBLEMS_SHOWN = 8


def read_result(path: Path) -> ResultDocument:
    """The document in a result file, or in the folder that holds `result.json`.

    Raises `ResultFileError` that names the file and what is wrong with it; also for a file whose
    format is newer than this program.
    """
    file = _locate(path)
    raw = _parse(file, _read(file))
    _check_version(file, raw)
    try:
        return ResultDocument.model_validate(raw)
    except ValidationError as error:
        raise ResultFileError(
            f"this is not a result document of format {SCHEMA_VERSION}:\n{_problems(error)}",
            where=str(file),
            remedy="Was it edited by hand? Make it anew with: ciphermark run",
        ) from None  # the cause would repeat the file's content


def write_result(document: ResultDocument, folder: Path) -> Path:
    """Writes `result.json` into the folder, which is made when missing; returns the file's path.

    Either the whole new file is there afterwards, on disk, or the old one is unchanged. Raises
    `ResultFileError` when the disk is full or the folder cannot be written to.
    """
    text = document.model_dump_json(indent=2) + "\n"
    return write_file(folder / RESULT_FILE_NAME, text.encode())


def write_file(path: Path, content: bytes) -> Path:
    """Writes a file whole or not at all: a temporary file beside it, then a rename.

    Raises `ResultFileError`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as error:
        raise ResultFileError(
            f"cannot be written: {_reason(error)}", where=str(path), remedy=_remedy(error)
        ) from error
    return path


def result_schema() -> dict[str, object]:
    """The JSON Schema of a result file."""
    return ResultDocument.model_json_schema(
        mode="serialization", schema_generator=_SchemaWithInfinities
    )


class _SchemaWithInfinities(GenerateJsonSchema):
    """Numbers may be the three strings that stand for what JSON cannot hold."""

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        number = super().float_schema(schema)
        return {"anyOf": [number, {"enum": ["Infinity", "-Infinity", "NaN"]}]}


def _locate(path: Path) -> Path:
    if not path.exists():
        raise ResultFileError(
            "there is no such file or folder",
            where=str(path),
            remedy="Give the path of a result.json or of the folder that holds it",
        )
    if not path.is_dir():
        return path
    file = path / RESULT_FILE_NAME
    if file.exists():
        return file
    if (path / JOURNAL_FILE_NAME).exists():
        raise ResultFileError(
            f"there is a journal but no {RESULT_FILE_NAME}: the run did not end",
            where=str(path),
            remedy=f"Finish it with: ciphermark run --resume {path}",
        )
    raise ResultFileError(
        f"the folder holds no {RESULT_FILE_NAME}",
        where=str(path),
        remedy="Give the folder that ciphermark run wrote to",
    )


def _read(file: Path) -> bytes:
    try:
        if (size := file.stat().st_size) > SIZE_LIMIT_BYTES:
            raise ResultFileError(
                f"the file has {size:,} bytes; a result file has at most {SIZE_LIMIT_BYTES:,}",
                where=str(file),
                remedy="Is it a result file?",
            )
        return file.read_bytes()
    except OSError as error:
        raise ResultFileError(
            f"cannot be read: {_reason(error)}", where=str(file), remedy="Check its permissions"
        ) from error


def _parse(file: Path, content: bytes) -> dict[str, object]:
    def broken(what: str) -> ResultFileError:
        return ResultFileError(
            what, where=str(file), remedy="Was it cut off? The journal beside it may be whole"
        )

    if not content.strip():
        raise broken("the file is empty")
    try:
        raw = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise broken(f"not UTF-8 text at byte {error.start}") from None
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise broken(f"not JSON: {error.msg} at {position}") from None
    except RecursionError:
        raise broken("not a result: nested too deeply") from None
    if not isinstance(raw, dict):
        raise broken(f"not a result: an object was expected, not {type(raw).__name__}")
    return raw


def _check_version(file: Path, raw: dict[str, object]) -> None:
    version = raw.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ResultFileError(
            "there is no schema_version in it, so it is not a result file",
            where=str(file),
            remedy="Give a result.json that ciphermark run wrote",
        )
    if version > SCHEMA_VERSION:
        raise ResultFileError(
            f"its format is {version}, newer than this program, which reads up to {SCHEMA_VERSION}",
            where=str(file),
            remedy="Upgrade with: pip install --upgrade ciphermark",
        )


def _problems(error: ValidationError) -> str:
    """The first problems, with paths; values are left out, they may be long."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    lines = [
        f"  {'.'.join(str(step) for step in problem['loc'])}: {problem['msg']}"
        for problem in found[:PROBLEMS_SHOWN]
    ]
    if len(found) > PROBLEMS_SHOWN:
        lines.append(f"  and {len(found) - PROBLEMS_SHOWN} more")
    return "\n".join(lines)


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems refuse it
            os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _remedy(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "Free some space, or choose another folder with --out"
    return "Choose a folder that you may write to with --out"
