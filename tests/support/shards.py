"""A small plan of keyed readings, and its splits as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kaicep import Project
from kaicep.pipeline.sharding.hosted_queries import HostedQueries
from kaicep.pipeline.sharding.split_part import Split

from .keyed import STREAMS
from .sharded import plan_of

__all__ = ["FOLLOWS", "PROJECT", "hosted_of", "reading", "split_of"]

FOLLOWS = (
    "CREATE QUERY follows AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) "
    "WHERE { FILTER (?a.v > 3) JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 9s) }"
)
PROJECT = Project.parse({"streams": STREAMS})


def hosted_of(text: str = FOLLOWS, shards: int = 2) -> HostedQueries:
    """Queries, compiled."""
    return HostedQueries(plan_of(PROJECT, text, shards))


def reading(name: str, second: float, car: int = 1, v: int = 5) -> dict[str, Any]:
    """A raw tuple, so many seconds after the streams begin."""
    return {"id": name, "t": f"2024-01-01T00:00:{second:06.3f}Z", "speed": 1.5, "seg": 0, "v": v, "car": car}


def split_of(folder: Path, place: int, rows: Sequence[dict[str, Any]], stream: str = "P") -> Split:
    """A split of these records; `P` has the time in its identity, `Q` has not."""
    path = folder / f"{stream}-{place}-{len(list(folder.iterdir()))}.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Split(stream, place, path)
