"""Engines without a database: one that answers at once, one that answers over socket pairs.

`SocketEngine` is a multiplexed engine: a server thread holds the other ends of the sessions'
sockets and answers each call after a service time. A call and its answer are JSON lines, cut into
small pieces on purpose, so that partial reads and writes happen.
"""

from __future__ import annotations

import json
import selectors
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ciphermark.engine.base import PENDING, Pending, StatementCounters
from ciphermark.errors import ConnectionLost, Fatal, Retryable
from ciphermark.workload.base import (
    Answer,
    Call,
    Outcome,
    Parameters,
    Statement,
    StatementKind,
    Transaction,
)

__all__ = [
    "BEGIN",
    "CHANGE",
    "COMMIT",
    "QUERY",
    "ScriptedSession",
    "SimulatedProgram",
    "SocketServer",
    "SocketSession",
]

BEGIN = Statement("begin", "BEGIN", StatementKind.CONTROL)
COMMIT = Statement("commit", "COMMIT", StatementKind.CONTROL)
QUERY = Statement("query", "SELECT ?", StatementKind.QUERY)
CHANGE = Statement("change", "UPDATE ?", StatementKind.CHANGE)


class SimulatedProgram:
    """Transactions of `calls` queries and changes; a value never comes twice within a seed."""

    def __init__(self, *, calls: int = 2, single: bool = False, rollback_every: int = 0) -> None:
        self.calls = calls
        self.single = single
        self.rollback_every = rollback_every
        self.started = 0
        self.answers: list[Answer] = []
        self.finished_with: Transaction | None = None
        self.restored_with: Transaction | None = None
        self.seeds: list[tuple[Any, ...]] = []

    def rewind(self, seed: np.random.SeedSequence, expected: int) -> None:
        self.seeds.append((seed.entropy, seed.spawn_key))
        self.started = 0

    def next_transaction(self) -> Transaction:
        self.started += 1
        if self.single:
            return QUERY, (self.started,)
        return self._transaction(self.started)

    def _transaction(self, number: int) -> Generator[Call, Answer, Outcome]:
        yield BEGIN, ()
        for call in range(self.calls):
            statement = CHANGE if call % 2 else QUERY
            self.answers.append((yield statement, (number,)))
        yield COMMIT, ()
        rolled_back = self.rollback_every and number % self.rollback_every == 0
        return ~0 if rolled_back else 0

    def finish(self) -> Transaction | None:
        return self.finished_with

    def restore(self) -> Transaction | None:
        return self.restored_with


class ScriptedSession:
    """A blocking session that answers at once and fails where `failures` says.

    `failures` maps the number of a call, counted from 1, to what it raises.
    """

    def __init__(
        self,
        failures: Mapping[int, Exception] | None = None,
        on_call: Callable[[], None] = lambda: None,
    ) -> None:
        self.counters = StatementCounters()
        self.failures = dict(failures or {})
        self.calls: list[tuple[str, Parameters]] = []
        self.rollbacks = 0
        self.closed = False
        self._on_call = on_call

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:
        self.calls.append((statement.name, parameters))
        self._on_call()
        if len(self.calls) in self.failures:
            raise self.failures[len(self.calls)]
        return answer_to(statement, parameters, self.counters)

    def rollback(self) -> None:
        self.rollbacks += 1

    def close(self) -> None:
        self.closed = True


def answer_to(statement: Statement, parameters: Parameters, counters: StatementCounters) -> Answer:
    """The parameters come back as a row, a change changes one row."""
    if statement.kind is StatementKind.QUERY:
        counters.queries += 1
        return [tuple(parameters)]
    if statement.kind is StatementKind.CHANGE:
        counters.changes += 1
        return 1
    counters.controls += 1
    return 0


class SocketServer:
    """Answers all sessions from one thread; `fail` decides which calls fail and how."""

    def __init__(
        self,
        *,
        service_s: float = 0.0,
        piece: int = 3,
        fail: Callable[[dict[str, Any]], str | None] = lambda call: None,
    ) -> None:
        self._service_s = service_s
        self._piece = piece
        self._fail = fail
        self._selector = selectors.DefaultSelector()
        self._buffers: dict[int, bytes] = {}
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._stop = False
        self.calls: list[dict[str, Any]] = []
        self.busy_at_once_max = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def connect(self) -> SocketSession:
        """A session whose other end this server answers."""
        ours, theirs = socket.socketpair()
        self._buffers[theirs.fileno()] = b""
        self._selector.register(theirs, selectors.EVENT_READ)
        self._wake.send(b"w")
        return SocketSession(ours)

    def close(self) -> None:
        """Ends the thread and closes its sockets."""
        self._stop = True
        self._wake.send(b"w")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]  # all of them are sockets
        self._selector.close()
        self._wake.close()

    def __enter__(self) -> SocketServer:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def _serve(self) -> None:
        while not self._stop:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    self._woken.recv(64)
                else:
                    self._read(key.fileobj)  # type: ignore[arg-type]

    def _read(self, end: socket.socket) -> None:
        content = end.recv(4096)
        if not content:
            self._selector.unregister(end)
            end.close()
            return
        lines = (self._buffers[end.fileno()] + content).split(b"\n")
        self._buffers[end.fileno()] = lines.pop()
        for line in lines:
            call = json.loads(line)
            self.calls.append(call)
            if self._service_s:
                time.sleep(self._service_s)
            failure = self._fail(call)
            answer = {"error": failure} if failure else {"row": call["parameters"]}
            self._send(end, json.dumps(answer).encode() + b"\n")

    def _send(self, end: socket.socket, content: bytes) -> None:
        for first in range(0, len(content), self._piece):
            end.sendall(content[first : first + self._piece])


@dataclass
class SocketSession:
    """A multiplexed session over one end of a socket pair."""

    end: socket.socket
    counters: StatementCounters = field(default_factory=StatementCounters)
    piece: int = 1 << 16
    rollbacks: int = 0
    _statement: Statement | None = None
    _parameters: Parameters = ()
    _read: bytes = b""
    _unsent: bytes = b""

    def __post_init__(self) -> None:
        self.end.setblocking(False)

    def fileno(self) -> int:
        return self.end.fileno()

    def submit(self, statement: Statement, parameters: Parameters) -> None:
        assert self._statement is None, "the last call has no answer yet"
        self._statement, self._parameters = statement, parameters
        call = {"statement": statement.name, "parameters": parameters}
        self._unsent = json.dumps(call).encode() + b"\n"
        self.flush()

    @property
    def wants_write(self) -> bool:
        return bool(self._unsent)

    def flush(self) -> None:
        """Sends one piece; with a small `piece` a call takes several events."""
        try:
            sent = self.end.send(self._unsent[: self.piece])
        except BlockingIOError:
            return
        self._unsent = self._unsent[sent:]

    def receive(self) -> Answer | Pending:
        try:
            content = self.end.recv(4096)
        except BlockingIOError:
            return PENDING
        if not content:
            raise ConnectionLost("the server closed the connection")
        self._read += content
        if not self._read.endswith(b"\n"):
            return PENDING
        answer, self._read = json.loads(self._read), b""
        statement, self._statement = self._statement, None
        assert statement is not None, "an answer came without a call"
        if "error" in answer:
            raise self._error(answer["error"])
        return answer_to(statement, self._parameters, self.counters)

    @staticmethod
    def _error(kind: str) -> Exception:
        return Fatal("the statement failed") if kind == "fatal" else Retryable("lost", kind=kind)

    def execute(self, statement: Statement, parameters: Parameters) -> Answer:
        self.submit(statement, parameters)
        while self.wants_write:
            self.flush()
        while (answer := self.receive()) is PENDING:
            time.sleep(0.0001)
        assert not isinstance(answer, Pending)
        return answer

    def rollback(self) -> None:
        self.rollbacks += 1

    def close(self) -> None:
        self.end.close()
