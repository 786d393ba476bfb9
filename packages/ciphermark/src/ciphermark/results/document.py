"""The result document: everything a report needs, and nothing secret.

`result.json` is this model as JSON. The report is made from it alone.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "SCHEMA_VERSION",
    "Arm",
    "BatchSummary",
    "Comparison",
    "ConsistencyResult",
    "CopyInfo",
    "EncryptionInfo",
    "Environment",
    "ErrorCount",
    "ExperimentInfo",
    "LatencySummary",
    "Metric",
    "Mode",
    "NoiseFloor",
    "PointResult",
    "Proof",
    "ProofStatus",
    "ResultDocument",
    "SeriesPoint",
]

# History of the format:
# 1  first version
SCHEMA_VERSION = 1

Mode = Literal["slices", "blocks"]
Metric = Literal[
    "throughput",
    "latency_mean",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "cpu_per_transaction",
    "server_cpu_per_transaction",
    "client_cpu_per_transaction",
]
ProofStatus = Literal["proven", "catalog_only", "not_applicable", "refuted", "not_checked"]


class Part(BaseModel):
    """Base of all parts: immutable, and closed so that a misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class ExperimentInfo(Part):
    """Which experiment this is and how it ended."""

    name: str
    id: str = Field(description="random identifier, also in the marker rows of every copy")
    seed: int
    plan_hash: str = Field(description="SHA-256 of the canonical plan")
    plan: dict[str, object] = Field(description="the effective plan, defaults included")
    started: str = Field(description="UTC, ISO 8601")
    finished: str
    measuring_s: float = Field(description="time under load, warm-up excluded")
    status: Literal["complete", "interrupted", "failed"]
    stopped_by: str = Field(description="precision, time limit, interrupt, or an error's text")
    versions: dict[str, str] = Field(description="ciphermark, Python, drivers, libraries")


class Environment(Part):
    """The machine, as far as it can change a figure."""

    cpu_model: str
    cores: int
    memory_bytes: int
    aes_instructions: tuple[str, ...] = Field(description="such as aes, vaes, pclmulqdq, sha_ni")
    kernel: str
    operating_system: str
    file_system: str
    disk: str
    virtualization: str = ""
    load_average_at_start: float = 0.0
    warnings: tuple[str, ...] = ()


class Proof(Part):
    """Whether the arm's data are what the arm claims."""

    status: ProofStatus
    method: str
    files_scanned: int = 0
    bytes_scanned: int = 0
    marker_rows: int = 0
    marker_hits: int = 0
    entropy_bits_per_byte: float | None = None
    opens_without_key: bool | None = None
    details: tuple[str, ...] = ()


class EncryptionInfo(Part):
    """The arm's encryption as read from its opened copies."""

    cipher: str
    authenticated: bool
    reserved_bytes_per_page: int
    page_size: int
    page_count: int
    cold_connection_ms: float | None = Field(
        default=None, description="opening with the raw key and reading a first row, median"
    )
    cold_passphrase_ms: float | None = Field(
        default=None, description="the same with a passphrase, key derivation included"
    )


class CopyInfo(Part):
    """One loaded copy; `draw` counts the times it was made anew."""

    index: int
    draw: int
    bytes: int


class Arm(Part):
    """One engine with one protection."""

    name: str
    label: str
    control: bool = Field(description="the plain arm that all others are compared with")
    repeat_of_control: bool = Field(description="the A/A arm: further copies of the control")
    engine: str
    version: str
    protection: str
    protection_options: dict[str, str]
    cipher: str = ""
    encryption: EncryptionInfo | None = None
    settings: dict[str, str]
    proof: Proof
    statement_mode: str
    driver: str
    copies: tuple[CopyInfo, ...]


class Comparison(Part):
    """One arm against the control, in one metric, at one point.

    `overhead`, `ci_low`, `ci_high` are fractions: 0.02 is a cost of 2 %. For throughput it is
    1 - arm/control, for latency and CPU arm/control - 1; so a positive figure is always a cost.
    """

    workload: str
    terminals: int
    mode: Mode
    factors: dict[str, str] = Field(default_factory=dict, description="levels of swept settings")
    arm: str
    control: str
    metric: Metric
    unit: str
    control_value: float
    arm_value: float
    overhead: float
    ci_low: float
    ci_high: float
    confidence: float
    rounds: int
    batches: int
    copies: int
    df: float
    between_copy_sd: float = Field(description="of the logarithm of the metric between copies")
    estimator: str
    significant_after_holm: bool | None = None
    verdict: str
    valid: bool
    reasons: tuple[str, ...] = ()


class NoiseFloor(Part):
    """The A/A interval of one metric at one point: what a cost must exceed to be seen."""

    workload: str
    terminals: int
    mode: Mode
    factors: dict[str, str] = Field(default_factory=dict)
    metric: Metric
    overhead: float
    ci_low: float
    ci_high: float
    half_width: float
    excludes_zero: bool


class LatencySummary(Part):
    """Latency of one arm at one point, milliseconds, all batches merged."""

    arm: str
    transaction: str = Field(description="kind of transaction; 'all' for all kinds together")
    count: int
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    max: float
    histogram: tuple[tuple[float, int], ...] = Field(
        description="(upper edge in ms, count) of coarse bins, for charts"
    )


class SeriesPoint(Part):
    """Throughput and CPU of one arm in one batch, for charts over time."""

    arm: str
    elapsed_s: float = Field(description="end of the batch since the start of the experiment")
    tps: float
    cpu_us_per_transaction: float | None = None


class PointResult(Part):
    """What was measured at one point: a workload, a number of terminals, a mode."""

    workload: str
    workload_options: dict[str, str]
    terminals: int
    workers: int
    mode: Mode
    factors: dict[str, str] = Field(default_factory=dict)
    rate_tps: float | None = Field(default=None, description="open loop; None: closed loop")
    latency_limit_ms: float | None = None
    slice_s: float = Field(description="planned length of a slice or block; 0 when count-bound")
    slice_transactions: int = Field(default=0, description="per terminal, when count-bound")
    warm_up_s: float
    rounds: int
    batches: int
    discarded_batches: int
    stopped_by: str
    regime: str = Field(description="'in memory' or 'larger than the cache', with the sizes")
    cache_hit_ratio: dict[str, float] = Field(default_factory=dict, description="by arm")
    latency: tuple[LatencySummary, ...]
    late: dict[str, int] = Field(default_factory=dict, description="over the latency limit, by arm")
    schedule_lag_ms: dict[str, float] = Field(default_factory=dict, description="mean, by arm")
    series: tuple[SeriesPoint, ...]
    probes: dict[str, dict[str, float]] = Field(
        default_factory=dict, description="by arm: memory, bytes read and written, …"
    )


class BatchSummary(Part):
    """Totals of one batch, by arm; the journal holds the same by copy, with histograms."""

    workload: str
    terminals: int
    mode: Mode
    factors: dict[str, str] = Field(default_factory=dict)
    index: int
    rounds: int
    ended_s: float
    transactions: dict[str, int]
    planned_rollbacks: dict[str, int]
    queries: dict[str, int]
    time_s: dict[str, float]
    cpu_s: dict[str, float]


class ErrorCount(Part):
    """Errors of one kind in one arm at one point; they never count as work."""

    workload: str
    terminals: int
    mode: Mode
    arm: str
    kind: str
    count: int
    retried: int
    example: str = Field(default="", description="first message, without bound values")


class ConsistencyResult(Part):
    """One check of the data of one arm."""

    arm: str
    copy_index: int
    check: str
    moment: Literal["after load", "after run", "after replay"]
    passed: bool
    expected_to_fail: str = ""
    details: str = ""


class ResultDocument(Part):
    """The whole result of one experiment."""

    schema_version: int = SCHEMA_VERSION
    experiment: ExperimentInfo
    environment: Environment
    arms: tuple[Arm, ...]
    points: tuple[PointResult, ...]
    comparisons: tuple[Comparison, ...]
    noise_floor: tuple[NoiseFloor, ...]
    batches: tuple[BatchSummary, ...]
    errors: tuple[ErrorCount, ...]
    consistency: tuple[ConsistencyResult, ...]
    valid: bool = Field(description="whether every comparison is valid")
    reasons: tuple[str, ...] = Field(default=(), description="why not, each once")
