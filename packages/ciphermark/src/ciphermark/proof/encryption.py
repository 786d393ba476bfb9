"""Proves that a copy is encrypted, or that it is plain.

Marker rows are written and the raw files searched for them: while the log still holds them, in an
open transaction (a rollback journal holds the rows' old pages), and after a checkpoint. The plain
arm is the positive control: there they must be found, or the search is blind. On an encrypted arm
they must be absent, every block must look random, and the copy must not open without its key.

What this does not show: that the cipher is sound, or that its key is well kept.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ciphermark.engine.base import Copy, DataFile, Engine
from ciphermark.errors import EngineError, ProofError, WrongKey
from ciphermark.proof.markers import Markers, rewrite_markers, write_markers
from ciphermark.proof.scan import Entropy, ScanResult, scan
from ciphermark.protection.base import Protection
from ciphermark.results.document import Proof, ProofStatus

__all__ = ["combine", "prove"]

METHOD = (
    "marker rows searched in data file, log and journal, before and after a checkpoint; "
    "entropy of blocks; opening without the key"
)
CATALOG_METHOD = "the server's own catalogue; its files cannot be seen from here"


@dataclass(slots=True)
class _Evidence:
    """What was seen of one copy."""

    markers: Markers
    files: set[str] = field(default_factory=set)
    bytes: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    found_in_logs: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    entropy: Entropy = field(default_factory=lambda: Entropy(0, 0, None))
    opens_without_key: bool | None = None
    status: bool | None = None

    def add_log(self, log: DataFile, result: ScanResult) -> None:
        self._count(log, result)
        self.found_in_logs |= result.found

    def add_data(self, data: DataFile, result: ScanResult) -> None:
        self._count(data, result)
        self.found |= result.found
        self.entropy = self.entropy.plus(result.entropy)

    def _count(self, data_file: DataFile, result: ScanResult) -> None:
        self.files.add(str(data_file.path))
        self.bytes += result.bytes
        self.hits[data_file.role] += result.hits

    def proof(self, status: ProofStatus, method: str, details: Iterable[str]) -> Proof:
        return Proof(
            status=status,
            method=method,
            files_scanned=len(self.files),
            bytes_scanned=self.bytes,
            marker_rows=len(self.markers.texts),
            marker_hits=self.hits.total(),
            entropy_bits_per_byte=self.entropy.bits_per_byte,
            opens_without_key=self.opens_without_key,
            details=tuple(details),
        )


def prove(engine: Engine, copy: Copy, protection: Protection, markers: Markers) -> Proof:
    """Writes markers to `copy`, searches its files, and says what that proves.

    Must be called before the copy comes under load, while no other connection uses it. On a plain
    arm "proven" means proven plain. Raises `EngineError` when the copy cannot be used at all.
    """
    evidence = _Evidence(markers)
    evidence.opens_without_key = engine.opens_without_key(copy)
    evidence.status = engine.encryption_status(copy)
    try:
        _search(engine, copy, evidence)
    except WrongKey:
        return _judge_unopened(evidence, protection.encrypts)
    if not evidence.files:
        return _judge_catalog(evidence, protection.encrypts)
    objections = _against_encrypted(evidence) if protection.encrypts else _against_plain(evidence)
    if objections:
        return evidence.proof("refuted", METHOD, objections)
    blind = _blindness(evidence) if not protection.encrypts else []
    return evidence.proof("not_checked" if blind else "proven", METHOD, blind)


def combine(proofs: Sequence[Proof]) -> Proof:
    """The proof of an arm from those of its copies: the weakest of them, with all they counted."""
    if not proofs:
        raise ProofError("an arm without copies can be neither proven nor refuted")
    order: tuple[ProofStatus, ...] = (
        "refuted",
        "not_checked",
        "catalog_only",
        "not_applicable",
        "proven",
    )
    weakest = min(proofs, key=lambda proof: order.index(proof.status))
    entropies = [p.entropy_bits_per_byte for p in proofs if p.entropy_bits_per_byte is not None]
    return weakest.model_copy(
        update={
            "files_scanned": sum(proof.files_scanned for proof in proofs),
            "bytes_scanned": sum(proof.bytes_scanned for proof in proofs),
            "marker_rows": sum(proof.marker_rows for proof in proofs),
            "marker_hits": sum(proof.marker_hits for proof in proofs),
            "entropy_bits_per_byte": min(entropies, default=None),
            "details": tuple(dict.fromkeys(text for proof in proofs for text in proof.details)),
        }
    )


def _search(engine: Engine, copy: Copy, evidence: _Evidence) -> None:
    # A file that this process closes loses the locks that its sessions hold on it (POSIX advisory
    # locks). So the files stay open until the session is closed: the stack closes them last.
    with contextlib.ExitStack() as opened, contextlib.closing(engine.connect(copy)) as session:
        write_markers(engine, session, evidence.markers)
        _scan_logs(engine, copy, evidence, opened)
        rewrite_markers(engine, session, evidence.markers)
        _scan_logs(engine, copy, evidence, opened)
        session.rollback()
        engine.flush(copy)
        _scan_logs(engine, copy, evidence, opened)
        _scan_data(engine, copy, evidence, opened)


def _scan_logs(
    engine: Engine, copy: Copy, evidence: _Evidence, opened: contextlib.ExitStack
) -> None:
    for log in engine.files(copy):
        if log.role != "data":
            file = opened.enter_context(_open(log.path))
            evidence.add_log(log, scan(file, evidence.markers, measure_entropy=False))


def _scan_data(
    engine: Engine, copy: Copy, evidence: _Evidence, opened: contextlib.ExitStack
) -> None:
    for data in engine.files(copy):
        if data.role == "data":
            file = opened.enter_context(_open(data.path))
            evidence.add_data(data, scan(file, evidence.markers))


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise EngineError(
            f"the file cannot be read for the proof: {error.strerror}", where=str(path)
        ) from error


def _against_encrypted(evidence: _Evidence) -> list[str]:
    """What speaks against encryption."""
    objections = [
        f"{hits} markers are readable in the {role} file"
        for role, hits in sorted(evidence.hits.items())
        if hits
    ]
    if evidence.opens_without_key:
        objections.append("the copy opens without the key")
    if evidence.status is False:
        objections.append("the engine says that the copy is not encrypted")
    if evidence.entropy.low_blocks:
        objections.append(
            f"{evidence.entropy.low_blocks} of {evidence.entropy.blocks} blocks of the data file "
            "do not look encrypted"
        )
    return objections


def _against_plain(evidence: _Evidence) -> list[str]:
    """What speaks for encryption where there must be none."""
    objections = []
    if evidence.opens_without_key is False:
        objections.append("the plain copy does not open without a key: it is encrypted")
    if evidence.status:
        objections.append("the engine says that the plain copy is encrypted")
    if not evidence.found and evidence.entropy.blocks and not evidence.entropy.low_blocks:
        objections.append(
            "no marker is readable on the plain copy, and every block looks encrypted"
        )
    return objections


def _blindness(evidence: _Evidence) -> list[str]:
    """Why the positive control failed, if it did."""
    count = len(evidence.markers.texts)
    seen = [("data file", evidence.found)]
    if evidence.hits.keys() - {"data"}:
        seen.append(("log", evidence.found_in_logs))
    return [
        f"positive control failed: {count - len(found)} of {count} markers are not found in the "
        f"plain {where}, so that their absence elsewhere proves nothing"
        for where, found in seen
        if len(found) < count
    ]


def _judge_unopened(evidence: _Evidence, encrypts: bool) -> Proof:
    """Judges a copy that its own arm cannot open."""
    if not encrypts:
        return evidence.proof(
            "refuted", METHOD, ["the plain copy does not open without a key: it is encrypted"]
        )
    if evidence.opens_without_key:
        return evidence.proof(
            "refuted", METHOD, ["the copy opens without the key, and not with it: it is plain"]
        )
    return evidence.proof("not_checked", METHOD, ["the copy does not open with the arm's key"])


def _judge_catalog(evidence: _Evidence, encrypts: bool) -> Proof:
    """Judges a copy whose files are on another machine."""
    if evidence.status is None:
        return evidence.proof("not_checked", CATALOG_METHOD, ["the catalogue says nothing"])
    if evidence.status is not encrypts:
        word = "encrypted" if evidence.status else "not encrypted"
        return evidence.proof("refuted", CATALOG_METHOD, [f"the catalogue says: {word}"])
    return evidence.proof("catalog_only", CATALOG_METHOD, [])
