"""The options of the SQLite engine as they stand in a plan."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = ["SQLiteOptions"]

PAGE_SIZE_MAX = 65536


def _power_of_two(size: int) -> int:
    if size & (size - 1):
        raise ValueError("a page size is a power of two, such as 4096")
    return size


class SQLiteOptions(BaseModel):
    """What every connection of the engine is set to; the same for all arms of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    durability: Literal["off", "normal", "full", "extra"] = Field(
        default="full",
        description="PRAGMA synchronous; 'full' makes every acknowledged COMMIT durable",
    )
    journal_mode: Literal["wal", "delete"] = Field(
        default="wal", description="PRAGMA journal_mode; 'wal' lets readers and a writer overlap"
    )
    cache_mib: float = Field(
        default=16.0, gt=0, le=65536, description="page cache of each connection, MiB"
    )
    page_size: Annotated[int, AfterValidator(_power_of_two)] = Field(
        default=4096, ge=512, le=PAGE_SIZE_MAX, description="bytes per page of new databases"
    )
    busy_timeout_ms: int = Field(
        default=10_000, ge=0, le=3_600_000, description="how long a locked database is waited for"
    )
    mmap_mib: int = Field(
        default=0, ge=0, le=65536, description="memory-mapped I/O; ciphers do not profit from it"
    )
    wal_autocheckpoint_pages: int = Field(
        default=1000, ge=0, le=10_000_000, description="WAL pages that start a checkpoint; 0: never"
    )
    temp_store: Literal["memory", "file"] = Field(
        default="memory",
        description="where sorts and temporary tables go; files of them are not encrypted",
    )
    load_cache_mib: float = Field(
        default=256.0, gt=0, le=65536, description="page cache while a table is loaded, MiB"
    )
    statement_cache: int = Field(
        default=1280, ge=0, le=16384, description="prepared statements kept by each connection"
    )

    @property
    def cache_kib(self) -> int:
        """The page cache of a connection, KiB."""
        return max(1, round(self.cache_mib * 1024))
