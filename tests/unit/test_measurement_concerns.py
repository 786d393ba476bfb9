"""Each concern alone, on a machine that is otherwise perfect."""

from __future__ import annotations

from dataclasses import replace

import pytest
from host_samples import PERFECT, STORAGE

from ciphermark.measurement import concerns
from ciphermark.measurement.host import HostFacts

ALL = (*concerns.UNTOLD, concerns.missing_aes, concerns.load, concerns.virtual_machine)

CASES = [
    (replace(PERFECT, aes_instructions=("avx2",)), "no AES instructions"),
    (replace(PERFECT, load_average=2.5), "load average is 2.5 on 4 usable cores"),
    (replace(PERFECT, governor="powersave"), "governor is powersave"),
    (replace(PERFECT, turbo="on"), "turbo is on"),
    (replace(PERFECT, cpu_quota=1.5), "may use 1.5 of 4 cores"),
    (replace(PERFECT, clock_source="hpet"), "clock source is hpet"),
    (replace(PERFECT, storage=replace(STORAGE, kind="tmpfs")), "in memory"),
    (replace(PERFECT, storage=replace(STORAGE, kind="nfs4")), "on another machine"),
    (replace(PERFECT, virtualization="virtual machine (KVM)"), "neighbours"),
]


def test_a_perfect_machine_raises_no_concern() -> None:
    assert [look(PERFECT) for look in ALL] == [None] * len(ALL)


@pytest.mark.parametrize(("facts", "words"), CASES)
def test_each_flaw_raises_one_concern_with_a_remedy(facts: HostFacts, words: str) -> None:
    (concern,) = (found for look in ALL if (found := look(facts)) is not None)
    assert words in concern.what
    assert concern.remedy


def test_what_cannot_be_known_is_no_concern() -> None:
    unknown = replace(PERFECT, governor="", turbo="", clock_source="", cpu_quota=None)
    assert [look(unknown) for look in ALL] == [None] * len(ALL)
