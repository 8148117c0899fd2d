"""What is done where shards are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.pipeline.sharding.hosted_queries import HostedQueries, StatePlace
from kaicep.pipeline.sharding.identity_part import DROPPED, ReadSplit
from kaicep.pipeline.sharding.part_file import PartFile, write_parts
from kaicep.pipeline.sharding.shard_part import ROWS_OF, ShardReport, ShardWork, shard_part
from kaicep.pipeline.sharding.split_part import split_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of

GONE = "urn:kaicep:event:P/gone/1704067203000000"


def at(second: int) -> datetime:
    return datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)


def work(states: list[StatePlace], splits: list[ReadSplit], second: int, dropped: list[str]) -> ShardWork:
    marks = {"P": at(second), "Q": None}
    return ShardWork(tuple(states), tuple(splits), {"P": dropped}, marks, ends=False, last=None)


def matched(folder: Path, report: ShardReport) -> list[tuple[str, str]]:
    if not report.rows:
        return []
    with PartFile(LocalFolder(folder), report.file) as file:
        tables = [file.table(part) for part in report.rows if part[0] == ROWS_OF]
    return sorted((row["a"], row["b"]) for table in tables if table is not None for row in table.to_pylist())


def both(queries: HostedQueries, file: str) -> list[StatePlace]:
    return [StatePlace(file, unit.name, shard) for unit, shard in queries.work]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_shards_go_on_from_their_states(tmp_path: Path, elsewhere: bool) -> None:
    """In the process that has answered the batch before, or in another one; what was dropped is in no row."""
    queries = hosted_of()
    for place, rows in enumerate([[reading("a", 1), reading("x", 2, car=2)], [reading("b", 3), reading("gone", 3)]]):
        split_part(queries, split_of(tmp_path, place, rows), LocalFolder(tmp_path), f"{place}.parts")
    write_parts(LocalFolder(tmp_path), "d.parts", {(DROPPED, "P", 1): pa.table({"_id": [GONE]})})
    splits = [ReadSplit("P", place, f"{place}.parts", None) for place in range(2)]
    first = shard_part(queries, work(both(queries, ""), splits[:1], 0, []), LocalFolder(tmp_path), "s0.parts")
    assert matched(tmp_path, first) == []
    assert first.states == tuple(both(queries, "s0.parts"))
    queries = hosted_of() if elsewhere else queries
    second = shard_part(
        queries, work(list(first.states), splits[1:], 9, ["d.parts"]), LocalFolder(tmp_path), "s1.parts"
    )
    assert matched(tmp_path, second) == [("a", "b")]
    again = shard_part(
        hosted_of(), work(list(first.states), splits[1:], 9, ["d.parts"]), LocalFolder(tmp_path), "s2.parts"
    )
    assert matched(tmp_path, again) == [("a", "b")]
