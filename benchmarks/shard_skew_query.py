"""A keyed query over Zipf keys, answered in shards: what the busiest of them takes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from kaicep import Project
from kaicep.expressions import Floats
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding import HostingPlan, ShardedFlow, Split, shard_of
from kaicep.pipeline.sharding.sharded_flow import run_here
from kaicep.storage import SharedFolder

from .semantic_stages import clock

_SETTINGS = {
    "streams": {
        "P": {
            "event_type": "<urn:P>",
            "time": {"attribute": "t"},
            "identity": ["id", "t"],
            "attributes": {
                "id": {"datatype": "xsd:integer"},
                "key": {"datatype": "xsd:integer"},
                "v": {"datatype": "xsd:double"},
            },
        }
    }
}
_QUERY = (
    "SELECT ?e.key, AVG(?e.v) AS mean, MAX(?e.v) AS top FROM (?e, P) "
    "WHERE { WINDOW (?e, sliding, 5s) } GROUP BY ?e.key HAVING MAX(?e.v) > 0.999"
)
_BATCHES = 4


@dataclass(frozen=True, slots=True)
class Busiest:
    """Of the shards of a query, the one that has most to do.

    Attributes:
        expected: its part of the events.
        measured: its part of the CPU that all shards take; all batches but the first.
    """

    expected: float
    measured: float


def busiest(shares: Floats, events: int, shards: int) -> Busiest:
    """Answer the query over events whose keys have these shares, a task for each shard."""
    project = Project.parse(_SETTINGS)
    (query,) = project.compile(_QUERY)
    taken: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix="kaicep-skew-") as scratch:
        parts = Path(scratch) / "parts"
        parts.mkdir()

        def timed(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
            reports = []
            for place, one in enumerate(work):
                began = clock()
                reports += run_here(plan, part, [one], folder, f"{name}-{place}")
                if part.__name__ == "shard_part":
                    shard = one.shards[0].shard
                    taken[shard] = taken.get(shard, 0.0) + clock() - began
            return reports

        plan = HostingPlan(f"skew {shares[0]}", project, (Registration(query, "q"),), shards)
        flow = ShardedFlow(plan, parts, timed, shards)
        keys = [_batch(shares, events // _BATCHES, number, Path(scratch)) for number in range(_BATCHES)]
        for number in range(_BATCHES):
            if number == 1:
                taken.clear()
            flow.process([Split("P", 0, Path(scratch) / f"{number}.parquet")])
    return Busiest(_expected(pl.concat(keys[1:]), shards), max(taken.values()) / sum(taken.values()))


def _batch(shares: Floats, count: int, number: int, folder: Path) -> pl.Series:
    rng = np.random.default_rng(number)
    at = np.datetime64("2026-01-01T00:00:00", "us") + (number * count + np.arange(count)) * np.timedelta64(100, "us")
    frame = pl.DataFrame(
        {
            "id": np.arange(count),
            "t": at,
            "key": rng.choice(len(shares), count, p=shares),
            "v": rng.random(count),
        }
    ).with_columns(pl.col("t").dt.replace_time_zone("UTC"))
    frame.write_parquet(folder / f"{number}.parquet")
    return frame["key"]


def _expected(keys: pl.Series, shards: int) -> float:
    counts = np.bincount(shard_of([keys], shards), minlength=shards)
    return float(counts.max() / counts.sum())
