"""Skips tests whose server is missing, and names at the end what was not exercised."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from install_servers import SERVERS, required


def servers_of(item: pytest.Item) -> set[str]:
    """Names of the servers that a test is marked to need."""
    names = {str(name) for mark in item.iter_markers("server") for name in mark.args}
    return names | ({"chromium"} if item.get_closest_marker("browser") else set())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose server is missing, or fails it where the server is required."""
    for name in sorted(servers_of(item)):
        server = SERVERS[name]
        if server.path is None and name in required():
            pytest.fail(f"{name} is required and missing. Type: {server.remedy}", pytrace=False)
        if server.path is None:
            pytest.skip(f"{name} is missing. Type: {server.remedy}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Generator[None, None, None]:
    """Names what could not be exercised, right before pytest's closing line."""
    yield
    for server in SERVERS.values():
        if server.path is None:
            terminalreporter.write_line(
                f"NOT EXERCISED: {server.purpose}; {server.name} is missing. Type: {server.remedy}"
            )
