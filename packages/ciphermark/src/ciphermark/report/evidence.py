"""The tables beside the figures: proof, encryption, settings, errors, consistency, the machine."""

from __future__ import annotations

from ciphermark.report import numbers
from ciphermark.report.numbers import NOTHING
from ciphermark.report.table import Cell, Column, Table
from ciphermark.report.view import View
from ciphermark.results.document import Arm, Proof

__all__ = [
    "PROOF_WORDS",
    "arms_table",
    "consistency_table",
    "engine_text",
    "environment_table",
    "errors_table",
    "options_table",
    "proof_table",
    "settings_table",
]

SAID_ONCE = 60
"""Characters of a setting above which equal values are not repeated for each arm."""
PROOF_WORDS = {
    "proven": "proven",
    "catalog_only": "by the server's catalogue only",
    "not_applicable": "not applicable",
    "refuted": "REFUTED",
    "not_checked": "NOT CHECKED",
}


def proof_table(view: View) -> Table | None:
    """How it is known that each arm is what it claims to be."""
    arms = view.document.arms
    if not arms:
        return None
    methods = {arm.proof.method for arm in arms if arm.proof.method}
    single = methods.pop() if len(methods) == 1 else ""
    details = [_details(arm.proof, with_method=not single) for arm in arms]
    columns = [
        Column("arm"),
        Column("claim"),
        Column("status"),
        Column("marker rows", number=True),
        Column("hits", number=True),
        Column("files scanned", number=True),
        Column("bytes scanned", number=True),
        Column("entropy, bits/byte", number=True),
        Column("opens without key"),
    ]
    if any(details):
        columns.append(Column("details", wide=True))
    return Table(
        key="proof",
        caption="Proof: what was found in the files of each arm",
        columns=tuple(columns),
        rows=tuple(
            (*_proof_row(view, arm), Cell(text or NOTHING))[: len(columns)]
            for arm, text in zip(arms, details, strict=True)
        ),
        note=f"Method: {single}." if single else "",
    )


def _proof_row(view: View, arm: Arm) -> tuple[Cell, ...]:
    proof = arm.proof
    plain = arm.protection == "none"
    bad = proof.status == "refuted" or (proof.status == "not_checked" and not plain)
    return (
        Cell(view.label(arm.name), "strong"),
        Cell("plain" if plain else "encrypted"),
        Cell(PROOF_WORDS[proof.status], "bad" if bad else ""),
        Cell(numbers.count(proof.marker_rows)),
        Cell(numbers.count(proof.marker_hits)),
        Cell(numbers.count(proof.files_scanned)),
        Cell(numbers.byte_size(proof.bytes_scanned)),
        Cell(_optional(proof.entropy_bits_per_byte)),
        Cell(_yes_no(proof.opens_without_key)),
    )


def _details(proof: Proof, *, with_method: bool) -> str:
    method = (proof.method,) if with_method else ()
    return "; ".join(part for part in (*method, *proof.details) if part)


def arms_table(view: View) -> Table | None:
    """What each arm is: engine, cipher, page layout, copies."""
    if not view.document.arms:
        return None
    return Table(
        key="arms",
        caption="The arms",
        columns=(
            Column("arm"),
            Column("engine"),
            Column("protection"),
            Column("cipher"),
            Column("authenticated"),
            Column("reserved, bytes/page", number=True),
            Column("pages", number=True),
            Column("copies", number=True),
            Column("size of a copy", number=True),
            Column("cold connection, ms", number=True),
            Column("with passphrase, ms", number=True),
            Column("statements"),
            Column("driver"),
        ),
        rows=tuple(_arm_row(view, arm) for arm in view.document.arms),
        note="Cold connection: opening with the raw key and reading a first row, median. With a "
        "passphrase the derivation of the key is included; it is in no other figure.",
    )


def _arm_row(view: View, arm: Arm) -> tuple[Cell, ...]:
    facts = arm.encryption
    sizes = [copy.bytes for copy in arm.copies]
    options = ", ".join(f"{name} {value}" for name, value in arm.protection_options.items())
    return (
        Cell(view.label(arm.name), "strong"),
        Cell(engine_text(arm)),
        Cell(f"{arm.protection} ({options})" if options else arm.protection),
        Cell(arm.cipher or NOTHING),
        Cell(_yes_no(facts.authenticated if facts else None)),
        Cell(f"{facts.reserved_bytes_per_page} of {facts.page_size}" if facts else NOTHING),
        Cell(numbers.count(facts.page_count) if facts else NOTHING),
        Cell(numbers.count(len(arm.copies))),
        Cell(numbers.byte_size(sum(sizes) / len(sizes)) if sizes else NOTHING),
        Cell(_optional(facts.cold_connection_ms if facts else None)),
        Cell(_optional(facts.cold_passphrase_ms if facts else None)),
        Cell(arm.statement_mode),
        Cell(arm.driver),
    )


def settings_table(view: View) -> Table | None:
    """The engine's settings by arm; those that differ come first."""
    arms = view.document.arms
    names = dict.fromkeys(name for arm in arms for name in arm.settings)
    if not names:
        return None

    def differs(name: str) -> bool:
        return len({arm.settings.get(name, "") for arm in arms}) > 1

    def values(name: str) -> list[str]:
        found = [arm.settings.get(name, NOTHING) for arm in arms]
        if len(found[0]) > SAID_ONCE and not differs(name):
            found[1:] = ["the same"] * len(found[1:])
        return found

    rows = tuple(
        (
            Cell(name, "strong"),
            *map(Cell, values(name)),
            Cell("differs", "bad") if differs(name) else Cell("equal", "muted"),
        )
        for name in sorted(names, key=lambda name: (not differs(name), name))
    )
    return Table(
        key="settings",
        caption="Settings of the engine, read back from each arm",
        columns=(
            Column("setting"),
            *(Column(view.label(arm.name)) for arm in arms),
            Column(""),
        ),
        rows=rows,
    )


def errors_table(view: View) -> Table | None:
    """Errors and retries by kind; they never count as work."""
    if not view.document.errors:
        return None
    return Table(
        key="errors",
        caption="Errors",
        columns=(
            Column("scenario"),
            Column("terminals", number=True),
            Column("mode"),
            Column("arm"),
            Column("kind"),
            Column("count", number=True),
            Column("retried", number=True),
            Column("first message", wide=True),
        ),
        rows=tuple(
            (
                Cell(one.workload, "strong"),
                Cell(numbers.count(one.terminals)),
                Cell(one.mode),
                Cell(view.label(one.arm)),
                Cell(one.kind),
                Cell(numbers.count(one.count)),
                Cell(numbers.count(one.retried)),
                Cell(one.example or NOTHING),
            )
            for one in view.document.errors
        ),
    )


def consistency_table(view: View) -> Table | None:
    """The checks of the data; what holds in many copies makes one row, what fails one an arm."""
    merged: dict[tuple[str, ...], dict[str, set[int]]] = {}
    for one in view.document.consistency:
        outcome = one.expected_to_fail or one.details
        arm = "" if one.passed else one.arm
        key = (one.check, one.moment, "yes" if one.passed else "NO", outcome, arm)
        merged.setdefault(key, {}).setdefault(one.arm, set()).add(one.copy_index)
    if not merged:
        return None
    rows = sorted(merged.items(), key=lambda item: item[0][2])
    return Table(
        key="consistency",
        caption="Consistency of the data",
        columns=(
            Column("check"),
            Column("moment"),
            Column("holds"),
            Column("where", wide=True),
            Column("details", wide=True),
        ),
        rows=tuple(
            (
                Cell(check, "strong"),
                Cell(moment),
                Cell(holds, "bad" if holds == "NO" else ""),
                Cell(_places(view, places, every=holds == "NO")),
                Cell(details or NOTHING),
            )
            for (check, moment, holds, details, _), places in rows
        ),
    )


def _places(view: View, places: dict[str, set[int]], *, every: bool) -> str:
    """Arms and copies in words: each copy where it matters, else how many."""
    if every:
        return "; ".join(
            f"{view.label(arm)}: {', '.join(f'copy {index}' for index in sorted(copies))}"
            for arm, copies in places.items()
        )
    count = sum(len(copies) for copies in places.values())
    return f"{numbers.plural(count, 'copy')} of {', '.join(map(view.label, places))}"


def options_table(view: View) -> Table | None:
    """The options of each workload; those in which workloads differ come first."""
    columns: dict[tuple[str, tuple[tuple[str, str], ...]], None] = {}
    for point in view.document.points:
        columns[point.workload, tuple(sorted(point.workload_options.items()))] = None
    sets = [(workload, dict(options)) for workload, options in columns]
    names = dict.fromkeys(name for _, options in sets for name in options)
    if not names:
        return None

    def differs(name: str) -> bool:
        return len({options.get(name) for _, options in sets}) > 1

    return Table(
        key="options",
        caption="Options of the workloads",
        columns=(Column("option"), *(Column(workload) for workload, _ in sets)),
        rows=tuple(
            (Cell(name, "strong"), *(Cell(options.get(name, NOTHING)) for _, options in sets))
            for name in sorted(names, key=lambda name: (not differs(name), name))
        ),
    )


def engine_text(arm: Arm) -> str:
    """The engine with its version, its name once."""
    if arm.version.lower().startswith(arm.engine.lower()):
        return arm.version
    return f"{arm.engine} {arm.version}".strip()


def environment_table(view: View) -> Table:
    """The machine and the versions."""
    machine, experiment = view.document.environment, view.document.experiment
    pairs = [
        ("processor", machine.cpu_model),
        ("cores", numbers.count(machine.cores)),
        ("AES instructions", ", ".join(machine.aes_instructions) or "none"),
        ("memory", numbers.byte_size(machine.memory_bytes)),
        ("disk", machine.disk),
        ("file system", machine.file_system),
        ("operating system", machine.operating_system),
        ("kernel", machine.kernel),
        ("virtualization", machine.virtualization or "none seen"),
        ("load average at start", f"{machine.load_average_at_start:.2f}"),
        *((f"{name} version", version) for name, version in experiment.versions.items()),
        ("experiment", f"{experiment.name}, id {experiment.id}"),
        ("seed", str(experiment.seed)),
        ("plan", f"SHA-256 {experiment.plan_hash}"),
        ("started", numbers.moment(experiment.started)),
        ("finished", numbers.moment(experiment.finished)),
        ("time under load", numbers.duration(experiment.measuring_s)),
        ("ended", f"{experiment.status}, by {experiment.stopped_by}"),
    ]
    return Table(
        key="environment",
        caption="The machine, the versions, the run",
        columns=(Column("what"), Column("value", wide=True)),
        rows=tuple((Cell(name, "strong"), Cell(value or NOTHING)) for name, value in pairs),
    )


def _optional(value: float | None) -> str:
    return NOTHING if value is None else numbers.figure(value)


def _yes_no(value: bool | None) -> str:
    return NOTHING if value is None else "yes" if value else "no"
