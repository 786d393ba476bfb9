"""Command lines as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.compat.sysbench.command_line import (
    CommandLine,
    UnknownOption,
    UsageError,
    parse,
)
from ciphermark.compat.sysbench.option_list import GENERAL, TESTS, script_options
from ciphermark.compat.sysbench.plan import RunPlan, run_plan, workload


def line(text: str) -> CommandLine:
    return parse(text.split())


def planned(text: str) -> RunPlan:
    return run_plan(line(text).settings)


@pytest.mark.parametrize(
    "text",
    [
        "oltp_read_only --threads=4 --table-size=100 run",
        "--threads=4 oltp_read_only --table_size=100 run",
        "oltp_read_only run --table-size=100 --threads=4",
        "/usr/share/sysbench/oltp_read_only.lua --threads=4 --table_size=100 run",
        "oltp_read_only.lua --threads=4 --table_size=100 run",
        "--test=./oltp_read_only.lua run --num-threads=4 --table-size=100",
    ],
)
def test_all_spellings_mean_the_same(text: str) -> None:
    found = line(text)
    assert (found.test, found.command) == ("oltp_read_only", "run")
    assert found.settings.integer("threads") == 4
    assert found.settings.integer("table_size") == 100
    assert found.known_test


def test_defaults_are_those_of_sysbench() -> None:
    settings = line("oltp_read_write run").settings
    assert settings.text("db_driver") == "mysql"
    assert settings.text("rand_type") == "special"
    assert settings.integer("time") == 10
    assert settings.integer("percentile") == 95
    assert settings.flag("auto_inc")
    assert not settings.flag("skip_trx")
    plan = planned("oltp_read_write run")
    assert (plan.threads, plan.events, plan.time_s, plan.rate_per_s) == (1, 0, 10, 0)
    assert plan.shutdown_s is None
    assert not plan.histogram


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", True), ("=on", True), ("=true", True), ("=1", True), ("=off", False), ("=0", False)],
)
def test_switches(value: str, expected: bool) -> None:
    assert line(f"oltp_read_only --skip-trx{value} run").settings.flag("skip_trx") is expected


def test_a_following_word_is_never_a_value() -> None:
    with pytest.raises(UsageError, match="Unrecognized command line argument: run"):
        line("oltp_read_only --skip-trx 4 run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oltp_read_only --xyz run", "invalid option: --xyz"),
        ("oltp_read_only --skip-trx=maybe run", "invalid option: --skip-trx=maybe"),
        ("oltp_read_only --random-points=3 run", "invalid option: --random-points=3"),
        ("oltp_read_only --mysql-pasword=hidden run", "invalid option: --mysql-pasword"),
    ],
)
def test_unknown_options(text: str, message: str) -> None:
    with pytest.raises(UnknownOption) as caught:
        line(text)
    assert str(caught.value) == message


def test_options_of_their_own_are_known_to_the_random_selects() -> None:
    settings = line("select_random_ranges --number-of-ranges=3 --delta=7 run").settings
    assert (settings.integer("number_of_ranges"), settings.integer("delta")) == (3, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--threads=x", "Invalid value for the 'threads' option: 'x'"),
        ("--table-size=10K", "Invalid value for the 'table_size' option: '10K'"),
        ("--rand-pareto-h=a", "Invalid value for the 'rand-pareto-h' option: 'a'"),
        ("--thread-stack-size=1Q", "Invalid value for the 'thread-stack-size' option: '1Q'"),
    ],
)
def test_wrong_numbers(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        line(f"oltp_read_only {text} run")
    assert str(caught.value) == message


def test_sizes_have_suffixes() -> None:
    assert line("oltp_read_only --thread-stack-size=64K run").command == "run"


def test_old_names_are_taken_with_a_warning() -> None:
    found = line("oltp_read_only --num-threads=3 --max-requests=7 --max-time=9 --tx-rate=2 run")
    plan = run_plan(found.settings)
    assert (plan.threads, plan.events, plan.time_s, plan.rate_per_s) == (3, 7, 9, 2)
    assert found.warnings[0] == "WARNING: --num-threads is deprecated, use --threads instead"
    assert len(found.warnings) == 4
    assert "--test is deprecated" in line("--test=oltp_delete run").remarks[0]


def test_the_last_one_counts() -> None:
    assert line("oltp_read_only --threads=1 --threads=5 run").settings.integer("threads") == 5


@pytest.mark.parametrize(
    ("text", "shutdown_s"),
    [
        ("--forced-shutdown", 63),
        ("--forced-shutdown=7", 67),
        ("--forced-shutdown=10%", 66),
        ("--forced-shutdown=off", None),
    ],
)
def test_forced_shutdown(text: str, shutdown_s: int | None) -> None:
    assert planned(f"oltp_read_only --time=60 {text} run").shutdown_s == shutdown_s


def test_checkpoints_are_sorted() -> None:
    assert planned("oltp_read_only --report-checkpoints=20,10 run").checkpoints_s == (10, 20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--threads=0", "Invalid value for --threads: 0."),
        ("--percentile=101", "Invalid value for --percentile: 101"),
        ("--percentile=0 --histogram", "--histogram cannot be used with --percentile=0"),
        ("--rand-type=foo", "Invalid random numbers distribution: foo."),
        ("--report-checkpoints=x", "Invalid value for --report-checkpoints: 'x'"),
        ("--forced-shutdown=x", "Invalid value for --forced-shutdown: 'x'"),
        ("--time=-1", "Invalid value for --time: -1."),
    ],
)
def test_contradictions_and_limits(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        planned(f"oltp_read_only {text} run")
    assert str(caught.value) == message


def test_a_file_is_applied_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text(
        "threads=2\n"
        "time=30 # half a minute\n"
        "no assignment\n"
        "#events=1\n"
        "table-size=77\n"
        'rand-type="uniform"\n'
        "report-checkpoints=5,6\n"
    )
    found = line(f"--threads=1 --config-file={file} --time=5 oltp_read_only run")
    plan = run_plan(found.settings)
    assert (plan.threads, plan.time_s, plan.events) == (2, 5, 0)
    assert plan.checkpoints_s == (5, 6)
    assert found.settings.integer("table_size") == 77
    assert found.settings.text("rand_type") == "uniform"
    assert [("table_size = 77" in warning) for warning in found.warnings] == [True]


def test_names_in_a_file_are_not_trimmed(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text(" threads=2\n")
    with pytest.raises(UnknownOption, match=r"threads=2 \(in "):
        line(f"--config-file={file} oltp_read_only run")


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(UsageError, match="No such file"):
        line("--config-file=/nonexistent/options oltp_read_only run")


@pytest.mark.parametrize("test", TESTS)
def test_every_test_becomes_a_workload(test: str) -> None:
    made = workload(line(f"{test} run"))
    assert made.name == test


def test_options_reach_the_workload() -> None:
    text = "--point-selects=3 --rand-type=zipfian --rand-zipfian-exp=1.5 --skip-trx --tables=4"
    described = workload(line(f"oltp_read_only {text} run")).describe()
    assert described["point_selects"] == "3"
    assert described["rand_type"] == "zipfian"
    assert described["rand_zipfian_exp"] == "1.5"
    assert described["skip_trx"] == "true"
    assert described["tables"] == "4"


def test_range_selects_off_wins_over_the_number_of_ranges() -> None:
    made = workload(line("oltp_read_only --range-selects=off --simple-ranges=3 run"))
    assert made.describe()["range_selects"] == "false"


def test_the_random_selects_take_any_number_of_tables() -> None:
    assert workload(line("select_random_points --tables=8 run")).describe()["tables"] == "1"


def test_impossible_options_of_a_test() -> None:
    with pytest.raises(UsageError, match="table-size"):
        workload(line("oltp_read_only --table-size=0 run"))
    with pytest.raises(UsageError, match="no statement"):
        workload(line("oltp_read_only --range-selects=off --point-selects=0 run"))


def test_no_option_stands_twice() -> None:
    general = [option.key for group in GENERAL for option in group.options]
    for test in TESTS:
        keys = general + [option.key for option in script_options(test)]
        assert len(set(keys)) == len(keys)
