"""What tests of the endpoint share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.config import Settings
from support.archives import archived_project
from support.servers import serving

SERVER = {
    "query_timeout": "5s",
    "result_size": "1 MB",
    "body_size": "1 MB",
    "workers": 1,
    "datasets": {"notes": {"update": True}, "fixed": {"path": "kept"}},
}


@pytest.fixture(scope="session")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A project with 150 readings in its archive, and two datasets beside it."""
    folder = tmp_path_factory.mktemp("archived")
    archived_project(folder)
    return Settings.parse({"prefixes": {"e": "http://e/"}, "server": SERVER}, root=folder)


@pytest.fixture(scope="session")
def archived_url(archived: Settings) -> Iterator[str]:
    """Where it is served."""
    with serving(archived) as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a store."""
    return tmp_path / "store"
