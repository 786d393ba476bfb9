"""Plan files: what is accepted, and that everything wrong is reported at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import PlanError, UnsupportedCapability
from ciphermark.plan.build import build_experiment, read_checked_plan
from ciphermark.plan.files import parse_plan, plan_hash, read_plan
from ciphermark.plan.presets import default_plan, preset_names, read_preset
from ciphermark.plan.schema import plan_schema
from ciphermark.plan.starter import starter_plan

SMALLEST = """
[[arm]]
name = "plain"
[[workload]]
kind = "oltp_read_only"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return path


def problems(text: str, tmp_path: Path) -> dict[str, str]:
    """Path and message of everything that is wrong with a plan."""
    with pytest.raises(PlanError) as caught:
        build_experiment(read_plan(write(tmp_path, text)))
    return {problem.path: str(problem) for problem in caught.value.problems}


def test_the_smallest_plan(tmp_path: Path) -> None:
    experiment = build_experiment(read_plan(write(tmp_path, SMALLEST)))
    assert [arm.name for arm in experiment.arms] == ["plain", "plain (A/A)"]
    (point,) = experiment.points
    assert (point.terminals, point.mode, point.statement_mode) == (1, "slices", "prepared")
    assert point.time_limit_s == 120


def test_every_problem_of_the_file_at_once(tmp_path: Path) -> None:
    found = problems(
        """
        [experiment]
        naame = "x"
        precision = "tight"
        time_limit_s = -1
        [data]
        copies = 0
        [[arm]]
        namee = "plain"
        [[workload]]
        kind = "oltp_read_only"
        modes = ["slice"]
        """,
        tmp_path,
    )
    assert "did you mean name?" in found["experiment.naame"]
    assert "did you mean name?" in found["arm[0].namee"]
    assert {"experiment.precision", "experiment.time_limit_s", "data.copies"} <= found.keys()
    assert "workload[0].modes[0]" in found


def test_problems_of_the_file_do_not_hide_those_of_the_options(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        [experiment]
        naame = "x"
        [engine]
        durabilty = "full"
        [[arm]]
        protection = {kind = "tde", cypher = "aegis"}
        [[arm]]
        protection = 3
        [[workload]]
        terminals = 1
        [[workload]]
        kind = "oltp_read_onli"
        [[workload]]
        kind = "oltp_insert"
        terminals = "many"
        table_siz = 4
        """,
    )
    with pytest.raises(PlanError) as caught:
        read_checked_plan(path)
    assert {problem.path for problem in caught.value.problems} == {
        "experiment.naame",
        "engine.durabilty",
        "arm[0].protection.cypher",
        "arm[1].protection",
        "workload[0].kind",
        "workload[1].kind",
        "workload[2].terminals",
        "workload[2].table_siz",
    }
    assert str(path) in str(caught.value)


def test_every_problem_of_the_options_at_once(tmp_path: Path) -> None:
    found = problems(
        """
        [engine]
        kind = "sqlite"
        durabilty = "full"
        page_size = 1000
        [[arm]]
        name = "plain"
        [[arm]]
        protection = {kind = "tde", cipher = "chacha"}
        [[arm]]
        protection = "tdee"
        [[workload]]
        kind = "oltp_read_onyl"
        [[workload]]
        kind = "oltp_read_only"
        table_size = "many"
        [[workload]]
        kind = "oltp_read_write"
        block_arms = ["tde chacha21"]
        rate_tps = 100
        terminals = 2
        workers = 3
        """,
        tmp_path,
    )
    assert "did you mean durability?" in found["engine.durabilty"]
    assert "engine.page_size" in found
    assert "Did you mean tde?" in found["arm[2].protection.kind"]
    assert "Did you mean oltp_read_only?" in found["workload[0].kind"]
    assert "workload[1].table_size" in found
    assert "workload[2].rate_tps" in found
    assert "workload[2].workers" in found
    assert "workload[2].block_arms" in found


def test_a_cipher_that_the_engine_lacks_is_a_problem_of_its_key(tmp_path: Path) -> None:
    text = SMALLEST + '[[arm]]\nprotection = {kind = "tde", cipher = "chacha"}\n'
    found = problems(text, tmp_path)
    assert list(found) == ["arm[1].protection.cipher"]
    assert "did you mean chacha20?" in found["arm[1].protection.cipher"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[arm]\n", "is not TOML"),
        ("", "arm: Field required"),
        (SMALLEST + "[more]\nx = 1\n", "more: unknown key"),
    ],
)
def test_files_that_are_no_plans(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(PlanError, match=expected):
        read_plan(write(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan(tmp_path / "missing.toml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match="UTF-8"):
        read_plan(path)


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        ('[[arm]]\nprotection = {kind="tde", cipher="aegis"}\n', "none of the arms is plain"),
        ('[[arm]]\nname = "a"\n[[arm]]\nname = "b"\n', "2 arms are plain"),
        ('[[arm]]\nname = "plain (A/A)"\n', "kept for the control's repeat"),
        (
            '[[arm]]\nname = "x"\n[[arm]]\nname = "x"\nprotection = {kind="tde"}\n',
            "2 arms are named 'x'",
        ),
    ],
)
def test_arms_that_make_no_comparison(tmp_path: Path, arms: str, expected: str) -> None:
    found = problems(arms + '[[workload]]\nkind = "oltp_read_only"\n', tmp_path)
    assert expected in found["arm"]


def test_lists_are_swept(tmp_path: Path) -> None:
    experiment = build_experiment(
        read_plan(
            write(
                tmp_path,
                """
                [engine]
                durability = ["full", "off"]
                [[arm]]
                name = "plain"
                [[arm]]
                protection = {kind = "tde", cipher = ["chacha20", "aegis"]}
                [[workload]]
                kind = "oltp_read_only"
                terminals = [1, 4]
                statement_mode = ["prepared", "text"]
                """,
            )
        )
    )
    assert [arm.name for arm in experiment.arms[2:]] == ["tde chacha20", "tde aegis"]
    assert len(experiment.points) == 8
    assert len({point.key for point in experiment.points}) == 8
    assert {tuple(sorted(point.factors)) for point in experiment.points} == {
        ("durability", "statement_mode")
    }


def test_workloads_of_one_kind_are_told_apart_by_their_options(tmp_path: Path) -> None:
    text = SMALLEST + '[[workload]]\nkind = "oltp_read_only"\nrand_type = "uniform"\n'
    experiment = build_experiment(read_plan(write(tmp_path, text)))
    assert [point.factors for point in experiment.points] == [
        {"rand_type": "special"},
        {"rand_type": "uniform"},
    ]


def test_the_same_workload_twice_is_refused(tmp_path: Path) -> None:
    found = problems(SMALLEST + '[[workload]]\nkind = "oltp_read_only"\n', tmp_path)
    assert "stands in the plan 2 times" in found["workload"]


def test_the_closed_and_the_open_loop_of_one_workload(tmp_path: Path) -> None:
    text = (
        SMALLEST
        + '[[workload]]\nkind = "oltp_read_only"\nmodes = ["blocks"]\nrate_tps = [50, 70]\n'
    )
    points = build_experiment(read_plan(write(tmp_path, text))).points
    assert [point.factors for point in points] == [{}, {"rate_tps": "50"}, {"rate_tps": "70"}]


def test_what_the_engine_cannot_do_is_found_before_the_start(tmp_path: Path) -> None:
    text = SMALLEST + '[[workload]]\nkind = "oltp_insert"\nsecondary = true\n'
    assert "workload[1]" in problems(text, tmp_path)


def test_time_is_shared_between_the_points_without_their_own() -> None:
    plan = parse_plan(
        {
            "experiment": {"time_limit_s": 100},
            "arm": [{"name": "plain"}],
            "workload": [
                {"kind": "oltp_read_only", "time_limit_s": 10},
                {"kind": "oltp_read_write", "modes": ["slices", "blocks"], "block_rounds": 5},
                {"kind": "oltp_write_only", "modes": ["blocks"], "block_s": 1, "block_rounds": 5},
            ],
        }
    )
    points = build_experiment(plan).points
    assert [point.time_limit_s for point in points] == [10, 40, 40, 10]
    assert points[2].block_s == pytest.approx(4.0)  # 40 s for 5 rounds of two arms


def test_presets_and_starter_plans_are_valid() -> None:
    for name in preset_names():
        build_experiment(read_preset(name))
    import tomllib

    build_experiment(parse_plan(tomllib.loads(starter_plan("sqlite"))))
    with pytest.raises(UnsupportedCapability, match="embeded"):
        read_preset("embeded")


def test_the_embedded_experiment_is_what_the_readme_says() -> None:
    experiment = build_experiment(default_plan())
    assert [arm.name for arm in experiment.arms] == [
        "plain",
        "plain (A/A)",
        "tde chacha20",
        "tde aegis",
    ]
    assert {arm.copies for arm in experiment.arms} == {6}
    assert [(point.workload.name, point.mode) for point in experiment.points] == [
        ("oltp_read_only", "slices"),
        ("oltp_read_write", "slices"),
        ("oltp_read_write", "blocks"),
    ]
    assert experiment.points[2].arms == ("plain", "plain (A/A)", "tde chacha20")
    assert sum(point.time_limit_s for point in experiment.points) == pytest.approx(90)


def test_the_hash_names_the_meaning_not_the_text(tmp_path: Path) -> None:
    commented = read_plan(write(tmp_path, "# a comment\n" + SMALLEST))
    plain = read_plan(write(tmp_path, SMALLEST))
    other = read_plan(write(tmp_path, SMALLEST.replace("oltp_read_only", "oltp_read_write")))
    assert plan_hash(commented) == plan_hash(plain) != plan_hash(other)


def test_the_schema_knows_the_options_of_the_plug_ins() -> None:
    schema = plan_schema()
    workloads = schema["$defs"]["WorkloadSection"]["oneOf"]
    by_name = {choice["title"]: choice for choice in workloads}
    assert "table_size" in by_name["oltp_read_write"]["properties"]
    assert "terminals" in by_name["oltp_read_write"]["properties"]
    engines = schema["$defs"]["EngineSection"]["oneOf"]
    assert any("durability" in choice["properties"] for choice in engines)
