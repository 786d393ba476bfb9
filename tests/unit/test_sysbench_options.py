"""Options are strict: what a test would not do cannot be asked of it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ciphermark import registry
from ciphermark.workload.sysbench import options

DEFAULTS = {
    "tables": 1,
    "table_size": 10_000,
    "auto_inc": True,
    "secondary": False,
    "create_secondary": True,
    "rand_type": "special",
    "rand_spec_iter": 12,
    "rand_spec_pct": 1,
    "rand_spec_res": 75,
    "rand_pareto_h": 0.2,
    "rand_zipfian_exp": 0.8,
}
READS = {
    "point_selects": 10,
    "range_selects": True,
    "range_size": 100,
    "simple_ranges": 1,
    "sum_ranges": 1,
    "order_ranges": 1,
    "distinct_ranges": 1,
}
WRITES = {"index_updates": 1, "non_index_updates": 1, "delete_inserts": 1}
OWN = {
    "oltp_point_select": {},
    "oltp_read_only": {**READS, "skip_trx": False},
    "oltp_read_write": {**READS, **WRITES, "skip_trx": False},
    "oltp_write_only": {**WRITES, "skip_trx": False},
    "oltp_update_index": {"index_updates": 1},
    "oltp_update_non_index": {"non_index_updates": 1},
    "oltp_insert": {},
    "oltp_delete": {},
    "select_random_points": {"random_points": 10},
    "select_random_ranges": {"number_of_ranges": 10, "delta": 5},
}


@pytest.mark.parametrize("name", OWN)
def test_defaults_are_those_of_sysbench(name: str) -> None:
    model = registry.find("workload", name).load_options()
    assert model().model_dump() == {**DEFAULTS, **OWN[name]}


def test_bulk_insert_has_no_options() -> None:
    assert registry.find("workload", "bulk_insert").load_options()().model_dump() == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tables", 0),
        ("table_size", 0),
        ("table_size", 2**31),
        ("table_size", "10"),
        ("tables", 2.0),
        ("auto_inc", 1),
        ("rand_type", "normal"),
        ("rand_pareto_h", 1.0),
        ("rand_pareto_h", 0.0),
        ("rand_spec_res", 100),
        ("rand_zipfian_exp", -0.1),
        ("point_selects", -1),
        ("range_size", 0),
        ("range_seize", 100),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        options.ReadWriteOptions.model_validate({name: value})
    assert [error["loc"] for error in caught.value.errors()] == [(name,)]


def test_range_queries_cannot_be_asked_for_and_switched_off() -> None:
    with pytest.raises(ValidationError, match="sum_ranges = 2 has no effect"):
        options.ReadOnlyOptions(range_selects=False, sum_ranges=2)
    assert options.ReadOnlyOptions(range_selects=False, sum_ranges=0).range_queries == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: options.ReadOnlyOptions(point_selects=0, range_selects=False),
        lambda: options.WriteOnlyOptions(index_updates=0, non_index_updates=0, delete_inserts=0),
        lambda: options.ReadWriteOptions(
            point_selects=0,
            range_selects=False,
            index_updates=0,
            non_index_updates=0,
            delete_inserts=0,
        ),
    ],
)
def test_a_transaction_without_statements_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValidationError, match="no statement"):
        make()


def test_the_random_selects_use_one_table() -> None:
    with pytest.raises(ValidationError):
        options.RandomPointsOptions(tables=2)
