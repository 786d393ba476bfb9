"""Result documents as runs make them: the figures are invented, from a seed, the shape is real."""

from __future__ import annotations

from collections.abc import Sequence

from sample_points import NOTHING, PLAIN, REPEAT, Cost, SamplePoint, Setting, label_of

from ciphermark.results.document import (
    Arm,
    ConsistencyResult,
    CopyInfo,
    EncryptionInfo,
    Environment,
    ErrorCount,
    ExperimentInfo,
    Proof,
    ResultDocument,
)

__all__ = [
    "aa_excludes_zero",
    "complete",
    "document",
    "empty",
    "interrupted",
    "invalid",
    "long_names",
    "sweep",
]

DEMO = (
    Setting(
        "oltp_read_only",
        "slices",
        5230.0,
        {REPEAT: Cost(0.002, 0.001), "chacha20": Cost(0.346, 0.349), "aegis": Cost(0.057, 0.059)},
    ),
    Setting(
        "oltp_read_write",
        "slices",
        1480.0,
        {REPEAT: Cost(-0.004, 0.002), "chacha20": Cost(0.182, 0.221), "aegis": Cost(0.011, 0.062)},
        spread=0.03,
        sample=2,
    ),
    Setting(
        "oltp_read_write",
        "blocks",
        1391.0,
        {REPEAT: Cost(0.006, -0.003), "chacha20": Cost(0.196, 0.236)},
        batches=6,
        spread=0.035,
        sample=3,
    ),
)


def complete() -> ResultDocument:
    """The demo: three workloads and modes, two ciphers, nothing wrong."""
    return document(DEMO)


def invalid() -> ResultDocument:
    """One encrypted arm turns out to be plain; its comparisons are invalid."""
    good = document(DEMO)
    reason = "chacha20: the marker rows were found in its data file, so it is not encrypted"
    arms = tuple(
        arm.model_copy(
            update={
                "proof": arm.proof.model_copy(
                    update={
                        "status": "refuted",
                        "marker_hits": 384,
                        "entropy_bits_per_byte": 4.1,
                        "opens_without_key": True,
                        "details": ("384 marker rows found in 6 files", "opens without the key"),
                    }
                )
            }
        )
        if arm.name == "chacha20"
        else arm
        for arm in good.arms
    )
    comparisons = tuple(
        one.model_copy(
            update={"valid": False, "reasons": (reason,), "verdict": f"Invalid: {reason}."}
        )
        if one.arm == "chacha20"
        else one
        for one in good.comparisons
    )
    return good.model_copy(
        update={
            "arms": arms,
            "comparisons": comparisons,
            "valid": False,
            "reasons": (reason,),
            "errors": (
                *good.errors,
                ErrorCount(
                    workload="oltp_read_write",
                    terminals=1,
                    mode="slices",
                    arm="aegis",
                    kind="constraint",
                    count=812,
                    retried=0,
                    example="UNIQUE constraint failed: sbtest1.id",
                ),
            ),
            "consistency": (
                *good.consistency,
                ConsistencyResult(
                    arm="aegis",
                    copy_index=2,
                    check="rows equal the control's",
                    moment="after replay",
                    passed=False,
                    details="sbtest1: 25000 rows against 24999",
                ),
            ),
        }
    )


def aa_excludes_zero() -> ResultDocument:
    """Two plain arms differ more than chance allows, and one cost is below the noise."""
    biased = {REPEAT: Cost(0.021, 0.02), "chacha20": Cost(0.346, 0.349), "aegis": Cost(0.012, 0.02)}
    return document(
        (Setting("oltp_read_only", "slices", 5230.0, biased, batches=14, spread=0.009),),
        stopped_by="time limit",
        load_average=1.7,
    )


def interrupted() -> ResultDocument:
    """Ctrl-C in the first block: what is finished is kept."""
    return document(DEMO[:2], status="interrupted", stopped_by="interrupt")


def empty() -> ResultDocument:
    """A run that ended before anything was measured."""
    return document((), arms=(PLAIN, REPEAT, "chacha20"), status="failed", stopped_by="disk full")


def sweep() -> ResultDocument:
    """Six encrypted arms over 1 to 1024 terminals."""
    ciphers = ("chacha20", "sqlcipher", "aes256cbc", "aes128cbc", "aegis", "ascon128")
    base = (0.34, 0.52, 0.61, 0.55, 0.057, 0.72)
    settings = []
    for step in range(11):
        terminals = 2**step
        fade = 1 / (1 + terminals / 40)
        costs = {
            cipher: Cost(cost * (0.1 + 0.9 * fade), cost)
            for cipher, cost in zip(ciphers, base, strict=True)
        }
        settings.append(
            Setting(
                "oltp_read_write",
                "slices",
                1480.0 * terminals / (1 + terminals / 16),
                {REPEAT: Cost(0.001 * (-1) ** step, 0.0), **costs},
                terminals=terminals,
                batches=20,
                spread=0.012,
                sample=10 + step,
            )
        )
    return document(tuple(settings))


def long_names() -> ResultDocument:
    """Names as long as people make them, with characters that HTML and Markdown treat apart."""
    arm = "a very long name of an arm that a careful person gave to <b>TDE</b> | with & and `ticks`"
    workload = "oltp_read_write_with_a_name_that_has_no_blank_in_it_and_does_not_seem_to_end_at_all"
    return document(
        (
            Setting(
                workload,
                "slices",
                123.4,
                {REPEAT: NOTHING, arm: Cost(0.08, 0.1)},
                factors={"cache": "16 MiB of page cache per connection", "mode": "<script>"},
            ),
        )
    )


def document(
    settings: Sequence[Setting],
    *,
    arms: tuple[str, ...] = (),
    status: str = "complete",
    stopped_by: str = "precision",
    load_average: float = 0.08,
) -> ResultDocument:
    """A document of these points; its arms are those of the points."""
    names = arms or tuple(dict.fromkeys([PLAIN, *(arm for one in settings for arm in one.costs)]))
    made = [SamplePoint(setting, stopped_by) for setting in settings]
    elapsed_s = 20.0 * len(made)
    return ResultDocument.model_validate(
        {
            "experiment": _experiment(status, stopped_by, elapsed_s),
            "environment": _environment(load_average),
            "arms": [_arm(name) for name in names],
            "points": [one.point(index * 20.0) for index, one in enumerate(made)],
            "comparisons": [row for one in made for row in one.comparisons()],
            "noise_floor": [row for one in made for row in one.noise()],
            "batches": [row for i, one in enumerate(made) for row in one.batches(i * 20.0)],
            "errors": [
                ErrorCount(
                    workload="oltp_read_write",
                    terminals=1,
                    mode="slices",
                    arm="aegis",
                    kind="busy",
                    count=3,
                    retried=3,
                    example="database is locked",
                )
            ]
            if len(made) > 1
            else [],
            "consistency": [
                ConsistencyResult(
                    arm=name,
                    copy_index=0,
                    check="all rows equal the control's",
                    moment="after load",
                    passed=True,
                )
                for name in names
            ],
            "valid": True,
        }
    )


def _experiment(status: str, stopped_by: str, measuring_s: float) -> ExperimentInfo:
    return ExperimentInfo.model_validate(
        {
            "name": "embedded",
            "id": "b3c1f0a5d2e94c57",
            "seed": 1,
            "plan_hash": "9f2c6ad4c0f25a1b" * 4,
            "plan": {
                "experiment": {"name": "embedded", "error_budget": 0.01, "precision": 0.01},
                "engine": {"kind": "sqlite", "cache_size_mib": 16, "synchronous": "FULL"},
                "data": {"copies": 6},
            },
            "started": "2026-11-30T20:15:04Z",
            "finished": "2026-11-30T20:17:21Z",
            "measuring_s": measuring_s,
            "status": status,
            "stopped_by": stopped_by,
            "versions": {"ciphermark": "0.1.0", "Python": "3.11.2", "apsw-sqlite3mc": "3.54.0"},
        }
    )


def _environment(load_average: float) -> Environment:
    return Environment(
        cpu_model="Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
        cores=2,
        memory_bytes=8_233_000_960,
        aes_instructions=("aes", "pclmulqdq", "vaes"),
        kernel="6.1.0-28-amd64",
        operating_system="Debian GNU/Linux 12 (bookworm)",
        file_system="ext4",
        disk="virtio block device",
        virtualization="kvm",
        load_average_at_start=load_average,
    )


def _arm(name: str) -> Arm:
    plain = name in {PLAIN, REPEAT}
    settings = {"journal_mode": "wal", "synchronous": "FULL", "cache_size": "-16384"}
    return Arm(
        name=name,
        label=label_of(name),
        control=name == PLAIN,
        repeat_of_control=name == REPEAT,
        engine="sqlite",
        version="3.54.0",
        protection="none" if plain else "tde",
        protection_options={} if plain else {"cipher": name},
        cipher="" if plain else name,
        encryption=None
        if plain
        else EncryptionInfo(
            cipher=name,
            authenticated=name not in {"aes256cbc", "aes128cbc"},
            reserved_bytes_per_page=32,
            page_size=4096,
            page_count=1523,
            cold_connection_ms=0.41,
            cold_passphrase_ms=61.8,
        ),
        settings=settings,
        proof=Proof(
            status="proven",
            method="data file, WAL and journal scanned for marker rows after a checkpoint",
            files_scanned=12,
            bytes_scanned=37_748_736,
            marker_rows=64,
            marker_hits=384 if plain else 0,
            entropy_bits_per_byte=4.12 if plain else 7.9999,
            opens_without_key=plain,
        ),
        statement_mode="prepared",
        driver="apsw",
        copies=tuple(CopyInfo(index=index, draw=0, bytes=6_238_208) for index in range(6)),
    )
