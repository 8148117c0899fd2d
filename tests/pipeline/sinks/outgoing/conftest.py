"""A PostgreSQL for the tests of tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.postgresql import PostgreSQL, postgresql


@pytest.fixture(scope="module")
def clusters() -> Iterator[PostgreSQL]:
    with postgresql() as server:
        server.begin()
        yield server


@pytest.fixture
def server(clusters: PostgreSQL) -> PostgreSQL:
    """A PostgreSQL that is there, without tables."""
    clusters.asked("DROP SCHEMA public CASCADE")
    clusters.asked("CREATE SCHEMA public")
    return clusters
