"""Checks of the machine, on machines where one thing at a time is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from host_samples import PERFECT, STORAGE

from ciphermark.doctor.examine import worst
from ciphermark.doctor.finding import Level, fail, ok, warn
from ciphermark.doctor.host import check_host
from ciphermark.measurement.host import HostFacts

GIB = 1 << 30

CASES = [
    (replace(PERFECT, aes_instructions=()), Level.WARN, "cipher instructions", "no AES"),
    (replace(PERFECT, cores_usable=1), Level.WARN, "cores", "one core only"),
    (replace(PERFECT, load_average=3.0), Level.WARN, "load", "busy"),
    (replace(PERFECT, governor="ondemand"), Level.WARN, "CPU frequency", "ondemand"),
    (replace(PERFECT, cpu_quota=0.5), Level.WARN, "CPU limit", "0.5 of 4"),
    (replace(PERFECT, memory_available_bytes=GIB // 2), Level.WARN, "memory", "0.5 GiB"),
    (replace(PERFECT, memory_available_bytes=GIB // 8), Level.FAIL, "memory", "0.1 GiB"),
    (replace(PERFECT, memory_limit_bytes=GIB // 8), Level.FAIL, "memory", "control group"),
    (replace(PERFECT, clock_source="acpi_pm"), Level.WARN, "clock source", "slow"),
    (replace(PERFECT, open_files_max=256), Level.WARN, "open files", "256"),
    (replace(PERFECT, virtualization="virtual machine"), Level.WARN, "virtualization", "noise"),
    (
        replace(PERFECT, storage=replace(STORAGE, free_bytes=GIB)),
        Level.WARN,
        "disk space",
        "1.0 GiB",
    ),
    (replace(PERFECT, storage=replace(STORAGE, free_bytes=0)), Level.FAIL, "disk space", "0.0 GiB"),
    (
        replace(PERFECT, storage=replace(STORAGE, options=("ro",))),
        Level.FAIL,
        "disk space",
        "read-only",
    ),
    (replace(PERFECT, storage=replace(STORAGE, kind="tmpfs")), Level.WARN, "disk", "in memory"),
]


def test_a_perfect_machine_passes_every_check() -> None:
    findings = check_host(PERFECT)
    assert worst(findings) is Level.OK
    assert len({finding.subject for finding in findings}) == len(findings)
    assert not [finding for finding in findings if finding.remedy]


@pytest.mark.parametrize(("facts", "level", "subject", "words"), CASES)
def test_one_flaw_gives_one_finding_with_a_remedy(
    facts: HostFacts, level: Level, subject: str, words: str
) -> None:
    (finding,) = (one for one in check_host(facts) if one.level is not Level.OK)
    assert (finding.level, finding.subject) == (level, subject)
    assert words in finding.what
    assert finding.remedy


def test_what_cannot_be_seen_passes() -> None:
    hidden = replace(PERFECT, governor="", turbo="", clock_source="", open_files_max=-1)
    assert worst(check_host(hidden)) is Level.OK


def test_the_worst_finding_decides() -> None:
    fine, doubtful, broken = ok("a", "b"), warn("a", "b", "c"), fail("a", "b", "c")
    assert worst([]) is Level.OK
    assert worst([fine, doubtful]) is Level.WARN
    assert worst([broken, doubtful, fine]) is Level.FAIL


def test_a_finding_is_plain_json() -> None:
    assert fail("disk", "full", "free some").to_json() == {
        "level": "fail",
        "subject": "disk",
        "what": "full",
        "remedy": "free some",
    }
