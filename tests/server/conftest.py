"""What tests of the server share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.config import Settings
from support.command_line import write_project
from support.servers import serving


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A project that nothing has happened to yet, and that stays so."""
    return Settings.load(write_project(tmp_path_factory.mktemp("plain")))


@pytest.fixture(scope="session")
def plain_url(plain: Settings) -> Iterator[str]:
    """Where it is served, without an engine."""
    with serving(plain) as url:
        yield url


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A project of the test's own."""
    return Settings.load(write_project(tmp_path))
