"""Makes a project for the brokers that somebody has, and readings to put into its topic."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..project import place_project

_OWN = Path(__file__).parent
_SERVERS = "localhost:9092"
_BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
CONTAINERS = ("c1", "c2", "c3")


def prepare(folder: Path, servers: str = _SERVERS) -> Path:
    """Write a project file that reads the topic `readings` of a Kafka, and calls into its topic `alarms`.

    Args:
        folder: the project's folder.
        servers: of Kafka.

    Returns:
        The project file.
    """
    file = place_project(_OWN, folder)
    file.write_text(file.read_text(encoding="utf-8").replace(_SERVERS, servers), encoding="utf-8")
    return file


def readings(first: int, count: int) -> Iterator[tuple[str, str]]:
    """Container and record of readings each minute: every container is too warm in eight minutes of forty.

    Args:
        first: the number of the first minute.
        count: of minutes.
    """
    for minute in range(first, first + count):
        at = (_BEGIN + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")
        for number, container in enumerate(CONTAINERS):
            celsius = 9.5 if (minute + 10 * number) % 40 < 8 else 4.5
            yield container, f'{{"at": "{at}", "celsius": {celsius}}}'
