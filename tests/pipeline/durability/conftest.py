"""Engines without Spark that are stopped when a test ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.station import Station


@pytest.fixture
def opened() -> Iterator[list[Station]]:
    """Stations that are stopped at the end."""
    stations: list[Station] = []
    yield stations
    for station in stations:
        station.stop()
