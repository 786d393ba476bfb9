"""A counted replay leaves the same rows on every arm; conditions are checked on real data."""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ciphermark.engine.base import Copy, Encryption, StatementMode
from ciphermark.engine.dialect import Dialect
from ciphermark.engine.sqlite.encryption import CIPHERS
from ciphermark.engine.sqlite.engine import SQLiteEngine
from ciphermark.engine.sqlite.options import SQLiteOptions
from ciphermark.proof.consistency import check_consistency
from ciphermark.proof.equality import data_differences
from ciphermark.proof.replay import Replay, replay
from ciphermark.workload.base import (
    Answer,
    BulkTable,
    Call,
    Condition,
    DataSet,
    Outcome,
    SliceBound,
    Statement,
    StatementKind,
    TerminalProgram,
    Transaction,
    planned_rollback,
)

ENGINE = SQLiteEngine(SQLiteOptions(durability="off"))
QUERY, CHANGE, CONTROL = StatementKind.QUERY, StatementKind.CHANGE, StatementKind.CONTROL
BEGIN = Statement("begin", "BEGIN IMMEDIATE", CONTROL)
COMMIT = Statement("commit", "COMMIT", CONTROL)
ROLLBACK = Statement("rollback", "ROLLBACK", CONTROL)
BALANCE = Statement("balance", "SELECT balance FROM account WHERE id = ?", QUERY)
SET_BALANCE = Statement("set balance", "UPDATE account SET balance = ? WHERE id = ?", CHANGE)
LOG = Statement("log", "INSERT INTO log (text) VALUES (?)", CHANGE)
ACCOUNTS = 50


class TransferProgram:
    """Moves money between accounts; every seventh transfer is rolled back."""

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        self.random = random.Random(int(seed.generate_state(1)[0]))
        self.number = 0

    def next_transaction(self) -> Generator[Call, Answer, Outcome]:
        self.number += 1
        return self.transfer(self.random.sample(range(1, ACCOUNTS + 1), 2), self.number % 7 == 0)

    def transfer(self, accounts: list[int], back: bool) -> Generator[Call, Answer, Outcome]:
        yield BEGIN, ()
        for account, amount in zip(accounts, (-1, 1), strict=True):
            rows = yield BALANCE, (account,)
            assert isinstance(rows, list)
            yield SET_BALANCE, (rows[0][0] + amount, account)
        yield (ROLLBACK if back else COMMIT), ()
        return planned_rollback(0) if back else 0

    def finish(self) -> Transaction | None:
        return LOG, ("what was buffered",)

    def restore(self) -> Transaction | None:
        return LOG, ("what was put back",)


class TransferWorkload:
    """Accounts whose balances always add up to the same sum."""

    name = "transfer"
    transaction_names = ("transfer",)
    slice_bound = SliceBound.TIME
    slice_count_min = 1
    writes = True
    changes_per_transaction = 2.0

    def data(self, dialect: Dialect, seed: int, terminals: int) -> DataSet:
        create = "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)"
        log = "CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT)"
        table = BulkTable(
            "account",
            ("id", "balance"),
            ACCOUNTS,
            (Statement("create", create, CONTROL), Statement("create log", log, CONTROL)),
            (),
            lambda: iter([(range(1, ACCOUNTS + 1), [100] * ACCOUNTS)]),
        )
        return DataSet("transfer", (table,), ())

    def program(self, dialect: Dialect, terminal: int, terminals: int) -> TerminalProgram:
        return TransferProgram()

    def conditions(self, dialect: Dialect) -> tuple[Condition, ...]:
        total = f"SELECT sum(balance) FROM account HAVING sum(balance) <> {100 * ACCOUNTS}"
        rich = "SELECT id FROM account WHERE balance > 100"
        return (
            Condition("total", "money is neither made nor lost", Statement("total", total, QUERY)),
            Condition(
                "equal",
                "nobody gets rich",
                Statement("equal", rich, QUERY),
                expected_to_fail="transfers make unequal",
            ),
        )

    def describe(self) -> Mapping[str, str]:
        return {}


WORKLOAD = TransferWorkload()
TABLES = ["account", "log"]


def made(folder: Path, name: str, cipher: str | None) -> Copy:
    encryption = Encryption(cipher, folder / f"{name}.key") if cipher else None
    if encryption:
        ENGINE.make_key(encryption.cipher, encryption.key_file)
    copy = Copy(name, 0, str(folder / f"{name}.db"), encryption)
    ENGINE.create(copy)
    for table in WORKLOAD.data(ENGINE.dialect, 1, 1).tables:
        ENGINE.load(copy, table, lambda rows: None)
    return copy


def digests(copy: Copy) -> tuple[str, Any]:
    return copy.arm, ENGINE.digests(copy, TABLES)


@pytest.mark.parametrize("cipher", CIPHERS)
@pytest.mark.parametrize("mode", list(StatementMode))
def test_a_replay_gives_equal_data(tmp_path: Path, cipher: str, mode: StatementMode) -> None:
    plain, arm = made(tmp_path, "plain", None), made(tmp_path, "tde", cipher)
    loaded = digests(plain)
    for copy in (plain, arm):
        done = replay(ENGINE, copy, WORKLOAD, transactions=100, seed=5, mode=mode)
        assert done == Replay(committed=86, planned_rollbacks=14)
    assert data_differences(digests(plain), digests(arm)) == ()
    assert data_differences(loaded, digests(plain)) != ()
    assert ENGINE.digests(plain, ["log"])[0].rows == 2


def test_another_seed_or_count_gives_other_data(tmp_path: Path) -> None:
    plain, other = made(tmp_path, "plain", None), made(tmp_path, "other", None)
    replay(ENGINE, plain, WORKLOAD, transactions=30, seed=5)
    replay(ENGINE, other, WORKLOAD, transactions=29, seed=5)
    (sentence,) = data_differences(digests(plain), digests(other))
    assert "account holds other rows on plain than on other" in sentence


def test_conditions_hold_or_say_what_breaks_them(tmp_path: Path) -> None:
    copy = made(tmp_path, "plain", None)
    total, equal = check_consistency(ENGINE, copy, WORKLOAD, "after load")
    assert (total.passed, equal.passed) == (True, True)
    assert (total.arm, total.copy_index, total.moment) == ("plain", 0, "after load")
    replay(ENGINE, copy, WORKLOAD, transactions=30, seed=5)
    total, equal = check_consistency(ENGINE, copy, WORKLOAD, "after replay")
    assert (total.passed, equal.passed) == (True, False)
    assert equal.expected_to_fail
    session = ENGINE.connect(copy)
    session.execute(SET_BALANCE, (1_000_000, 7))
    session.close()
    total, _ = check_consistency(ENGINE, copy, WORKLOAD, "after run")
    assert not total.passed
    assert total.details == "1 rows break it: money is neither made nor lost"
