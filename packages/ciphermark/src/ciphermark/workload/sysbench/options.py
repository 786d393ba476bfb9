"""The options of the sysbench workloads, spelled as sysbench spells them.

One model for each family of tests, with the options that change that family's statements. An
option that a test would ignore is unknown to it, so a plan cannot promise what is not done.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ciphermark.workload.distributions import (
    Distribution,
    Gaussian,
    Pareto,
    Special,
    Uniform,
    Zipfian,
)

__all__ = [
    "BulkInsertOptions",
    "DeleteOptions",
    "InsertOptions",
    "PointSelectOptions",
    "RandType",
    "RandomOptions",
    "RandomPointsOptions",
    "RandomRangesOptions",
    "ReadOnlyOptions",
    "ReadWriteOptions",
    "SysbenchOptions",
    "TableOptions",
    "UpdateIndexOptions",
    "UpdateNonIndexOptions",
    "WriteOnlyOptions",
]

RandType = Literal["special", "uniform", "gaussian", "pareto", "zipfian"]
Times = Annotated[int, Field(ge=0, le=10_000)]
OnceOrMore = Annotated[int, Field(ge=1, le=10_000)]

M = TypeVar("M", bound="SysbenchOptions")

_RANGES = ("simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges")


class SysbenchOptions(BaseModel):
    """Base of all: closed and immutable, so that a misspelt option is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RandomOptions(SysbenchOptions):
    """How ids and values of k are drawn."""

    rand_type: RandType = Field(
        default="special",
        description="distribution of ids; 'uniform' makes the engine read more pages",
    )
    rand_spec_iter: int = Field(
        default=12,
        ge=1,
        le=1000,
        description="uniform values averaged for a bell (special, gaussian)",
    )
    rand_spec_pct: int = Field(
        default=1,
        ge=0,
        le=100,
        description="width of the hot window, percent of the range (special)",
    )
    rand_spec_res: int = Field(
        default=75,
        ge=0,
        le=99,
        description="percent of the draws that fall into the window (special)",
    )
    rand_pareto_h: float = Field(default=0.2, gt=0, lt=1, description="parameter h (pareto)")
    rand_zipfian_exp: float = Field(default=0.8, ge=0, le=10, description="exponent (zipfian)")

    @property
    def distribution(self) -> Distribution:
        """The distribution that these options describe."""
        match self.rand_type:
            case "uniform":
                return Uniform()
            case "gaussian":
                return Gaussian(self.rand_spec_iter)
            case "special":
                return Special(self.rand_spec_iter, self.rand_spec_pct, self.rand_spec_res)
            case "pareto":
                return Pareto(self.rand_pareto_h)
            case "zipfian":
                return Zipfian(self.rand_zipfian_exp)


class TableOptions(RandomOptions):
    """The tables sbtest1, sbtest2, …; two workloads that agree in all of this share their data."""

    tables: int = Field(default=1, ge=1, le=10_000, description="number of tables")
    table_size: int = Field(
        default=10_000,
        ge=1,
        le=2**31 - 1,
        description="rows of each table, and the highest id drawn",
    )
    auto_inc: bool = Field(
        default=True, description="the engine generates ids; otherwise the client does"
    )
    secondary: bool = Field(
        default=False, description="id gets an index that is not unique in place of the primary key"
    )
    create_secondary: bool = Field(default=True, description="index on column k")


class PointSelectOptions(TableOptions):
    """oltp_point_select: one point select, never a transaction around it."""


class _Transactional(TableOptions):
    skip_trx: bool = Field(
        default=False, description="no BEGIN and COMMIT: every statement by itself"
    )


class _Reads(_Transactional):
    point_selects: Times = Field(default=10, description="point selects of a transaction")
    range_selects: bool = Field(default=True, description="whether there are range queries at all")
    range_size: OnceOrMore = Field(default=100, description="ids that a range query spans")
    simple_ranges: Times = Field(default=1, description="range queries of a transaction")
    sum_ranges: Times = Field(default=1, description="SUM() range queries of a transaction")
    order_ranges: Times = Field(default=1, description="ORDER BY range queries of a transaction")
    distinct_ranges: Times = Field(default=1, description="DISTINCT range queries of a transaction")

    @property
    def range_queries(self) -> int:
        """Range queries of a transaction."""
        return sum(getattr(self, name) for name in _RANGES) if self.range_selects else 0

    @model_validator(mode="after")
    def _ranges_are_wanted(self) -> Self:
        for name in _RANGES:
            if not self.range_selects and name in self.model_fields_set and getattr(self, name):
                raise ValueError(
                    f"range_selects is false, so {name} = {getattr(self, name)} has no effect; "
                    f"set range_selects = true or leave {name} out"
                )
        return self


class ReadOnlyOptions(_Reads):
    """oltp_read_only."""

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        return _not_empty(self, self.point_selects + self.range_queries)


class _Writes(_Transactional):
    index_updates: Times = Field(default=1, description="updates of column k in a transaction")
    non_index_updates: Times = Field(default=1, description="updates of column c in a transaction")
    delete_inserts: Times = Field(
        default=1, description="pairs of DELETE and INSERT in a transaction"
    )

    @property
    def changes(self) -> int:
        """Changing statements of a transaction."""
        return self.index_updates + self.non_index_updates + 2 * self.delete_inserts


class WriteOnlyOptions(_Writes):
    """oltp_write_only."""

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        return _not_empty(self, self.changes)


class ReadWriteOptions(_Reads, _Writes):
    """oltp_read_write."""

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        return _not_empty(self, self.point_selects + self.range_queries + self.changes)


class UpdateIndexOptions(TableOptions):
    """oltp_update_index."""

    index_updates: OnceOrMore = Field(default=1, description="updates of column k in a transaction")


class UpdateNonIndexOptions(TableOptions):
    """oltp_update_non_index."""

    non_index_updates: OnceOrMore = Field(
        default=1, description="updates of column c in a transaction"
    )


class DeleteOptions(TableOptions):
    """oltp_delete."""


class InsertOptions(TableOptions):
    """oltp_insert; with auto_inc = false its tables start empty."""


class _OneTable(TableOptions):
    """The tests that use sbtest1 alone."""

    tables: int = Field(default=1, ge=1, le=1, description="these tests use one table")


class RandomPointsOptions(_OneTable):
    """select_random_points."""

    random_points: OnceOrMore = Field(default=10, description="values in the IN list")


class RandomRangesOptions(_OneTable):
    """select_random_ranges."""

    number_of_ranges: OnceOrMore = Field(default=10, description="ranges joined by OR")
    delta: Times = Field(default=5, description="width of each range")


class BulkInsertOptions(SysbenchOptions):
    """bulk_insert has none: it makes one table for each terminal."""


def _not_empty(options: M, statements: int) -> M:
    if not statements:
        raise ValueError("a transaction would hold no statement; set at least one count above 0")
    return options
