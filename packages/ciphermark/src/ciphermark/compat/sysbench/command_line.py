"""Reads a sysbench command line, with everything that people have typed into one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ciphermark.compat.sysbench.option_list import (
    DEPRECATED,
    GENERAL,
    TESTS,
    Kind,
    Option,
    key_of,
    script_options,
)

__all__ = ["CommandLine", "Settings", "UnknownOption", "UsageError", "parse"]

_ON = ("", "on", "true", "1")
_OFF = ("off", "false", "0")
_SIZES = {"K": 10, "M": 20, "G": 30, "T": 40}


class UsageError(Exception):
    """A command line that cannot be carried out; the text goes to stderr as it is."""


class UnknownOption(UsageError):
    """An option, or the value of a switch, that nobody knows; sysbench prints its banner first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The value of every option, as text; the getters give it its type."""

    values: Mapping[str, str]
    given: frozenset[str]
    """Keys of the options that were given, on the command line or in a file."""

    def text(self, key: str) -> str:
        """The value as it was typed, or the default."""
        return self.values.get(key, "")

    def flag(self, key: str) -> bool:
        """A switch; checked when it was read."""
        return self.values[key].lower() in _ON

    def integer(self, key: str) -> int:
        """A whole number; raises `UsageError`."""
        return int(self._number(key, int))

    def real(self, key: str) -> float:
        """A number; raises `UsageError`."""
        return self._number(key, float)

    def integers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers; raises ValueError."""
        return tuple(int(part) for part in self.values[key].split(",") if part)

    def _number(self, key: str, convert: type[int] | type[float]) -> float:
        value = self.values[key]
        try:
            return convert(value)
        except ValueError:
            name = key.replace("_", "-")
            raise UsageError(f"Invalid value for the '{name}' option: '{value}'") from None


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What was asked for. `warnings` are printed to stdout, `remarks` to stderr, both first."""

    test: str
    command: str
    settings: Settings
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def known_test(self) -> bool:
        """Whether the test is one of the bundled ones."""
        return self.test in TESTS


@dataclass(slots=True)
class _Reading:
    """What has been read so far; later options override earlier ones."""

    values: dict[str, str] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    from_file: dict[str, Path] = field(default_factory=dict)
    test: str = ""


def parse(arguments: Sequence[str]) -> CommandLine:
    """The command line as it is meant; raises `UsageError` and `UnknownOption`."""
    reading = _Reading()
    for argument in arguments:
        if argument.startswith("--"):
            _read_option(reading, argument)
        else:
            reading.words.append(argument)
    if reading.test:
        reading.words.insert(0, reading.test)
    if len(reading.words) > 2:
        raise UsageError(f"Unrecognized command line argument: {reading.words[2]}")
    test, command = (*reading.words, "", "")[:2]
    return _checked(reading, _test_name(test), command)


def _read_option(reading: _Reading, argument: str) -> None:
    name, _, value = argument[2:].partition("=")
    key = key_of(name)
    if key == "config_file":
        _read_file(reading, Path(value))
    elif key == "test":
        reading.test = value
        reading.remarks.append(
            "WARNING: --test is deprecated, give the test's name as the first word instead"
        )
    else:
        if key in DEPRECATED:
            new = DEPRECATED[key]
            reading.warnings.append(
                f"WARNING: --{name.replace('_', '-')} is deprecated, use --{new} instead"
            )
            key = new
        reading.values[key] = value
        reading.spelled[key] = _shown(name, argument)


def _read_file(reading: _Reading, path: Path) -> None:
    """Applies the options of a file, one "name=value" in each line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UsageError(f"{path}: {reason}") from error
    for name, value in _assignments(lines):
        key = DEPRECATED.get(key_of(name), key_of(name))
        reading.values[key] = value
        reading.spelled[key] = f"{_shown(name, f'--{name}={value}')} (in {path})"
        reading.from_file[key] = path


def _shown(name: str, argument: str) -> str:
    """The argument for a message, without a value that may be a secret."""
    secret = any(word in name.lower() for word in ("pas", "pwd", "key", "secret"))
    return f"--{name}" if secret else argument


def _assignments(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names and values; the name starts in the first column and ends right before the "="."""
    for line in lines:
        name, separator, rest = line.partition("=")
        if separator and name and not name.startswith("#"):
            yield name, _unquoted(rest)


def _unquoted(text: str) -> str:
    """A value without its comment, blanks and quotes."""
    text = text.strip()
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return text.partition("#")[0].strip()


def _test_name(word: str) -> str:
    """A test's name without directory and suffix: published command lines name script files."""
    name = PurePosixPath(word).name.removesuffix(".lua")
    return name if name in TESTS else word


def _checked(reading: _Reading, test: str, command: str) -> CommandLine:
    general = {option.key: option for group in GENERAL for option in group.options}
    script = {option.key: option for option in script_options(test)}
    known = general | script
    for key in reading.values:
        if key in general:
            _check_number(general[key], reading.values[key])
    for key, value in reading.values.items():
        if key not in known or (known[key].kind is Kind.FLAG and not _is_switch(value)):
            raise UnknownOption(f"invalid option: {reading.spelled[key]}")
    for key in reading.values:
        _check_number(known[key], reading.values[key])
    for key, path in reading.from_file.items():
        if key in script and reading.values[key] != script[key].default:
            reading.warnings.append(
                f"WARNING: {key} = {reading.values[key]} from {path} takes effect; sysbench 1.0 "
                "itself ignores a test's options in a file"
            )
    defaults = {key: option.default or "" for key, option in known.items()}
    return CommandLine(
        test=test,
        command=command,
        settings=Settings(defaults | reading.values, frozenset(reading.values)),
        warnings=tuple(reading.warnings),
        remarks=tuple(reading.remarks),
    )


def _is_switch(value: str) -> bool:
    return value.lower() in _ON + _OFF


def _check_number(option: Option, value: str) -> None:
    """Raises `UsageError` when a number is none."""
    try:
        match option.kind:
            case Kind.INTEGER:
                int(value)
            case Kind.REAL:
                float(value)
            case Kind.SIZE:
                _size(value)
    except ValueError:
        raise UsageError(f"Invalid value for the '{option.name}' option: '{value}'") from None


def _size(text: str) -> int:
    """Bytes of a size such as 64K."""
    shift = _SIZES.get(text[-1:].upper(), 0)
    return int(text[:-1] if shift else text) << shift
