"""A batch of a stream as a segment: what counts in order of arrival, then what came late; duplicates are not there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from kaicep.archive.log import check_segment, read_segment
from kaicep.pipeline.sharding.hosted_queries import HostedQueries
from kaicep.pipeline.sharding.identity_part import IdentityWork, ReadSplit, identity_part
from kaicep.pipeline.sharding.log_part import HIDDEN, LogWork, log_part, remove_attempts
from kaicep.pipeline.sharding.split_part import split_part
from kaicep.storage import LocalFolder, StoragePath, make_folder, path_at
from support.buckets import ObjectStorage
from support.sharded import plan_of
from support.shards import FOLLOWS, PROJECT, reading, split_of


def at(second: float) -> datetime:
    return datetime(2024, 1, 1, 0, 0, int(second), tzinfo=UTC)


def written(folder: Path, *several: list[dict[str, Any]]) -> tuple[HostedQueries, LogWork]:
    """The parts of splits, and what says which of their events count."""
    queries = HostedQueries(replace(plan_of(PROJECT, FOLLOWS, 2), durable=True))
    starts = [None, at(9)]
    splits = []
    for place, rows in enumerate(several):
        split_part(queries, split_of(folder, place, rows), LocalFolder(folder), f"{place}.parts")
        splits.append(ReadSplit("P", place, f"{place}.parts", starts[place]))
    work = [IdentityWork("P", shard, tuple(splits), (None, None), None, None, "") for shard in range(2)]
    judged = [identity_part(queries, one, LocalFolder(folder), f"id{one.shard}.parts").file for one in work]
    return queries, LogWork("P", tuple(splits), judged, folder / "log" / "P")


def test_what_counts_stands_before_what_came_late(tmp_path: Path) -> None:
    several = [[reading("a", 1), reading("b", 9)], [reading("c", 8), reading("a", 1), reading("d", 2), reading("e", 7)]]
    queries, work = written(tmp_path, *several)
    report = log_part(queries, work, LocalFolder(tmp_path), "7-run.parts")
    assert report.path is not None
    assert (report.rows, report.late) == (5, 1)
    assert report.path == tmp_path / "log" / "P" / f"{HIDDEN}7-run.parts"
    check_segment(report.path)
    events = read_segment(report.path)
    assert events["id"].to_pylist() == ["a", "b", "c", "e", "d"]
    assert events["_late"].to_pylist() == [False, False, False, False, True]
    assert "_row" not in events.column_names
    assert pq.read_metadata(report.path).num_row_groups == 3


def test_splits_may_have_other_columns(tmp_path: Path) -> None:
    """What a split has nothing of is null in the segment."""
    bare: dict[str, object] = {"id": "a", "t": "2024-01-01T00:00:01Z"}
    queries, work = written(tmp_path, [bare], [reading("b", 9) | {"more": 1}])
    report = log_part(queries, work, LocalFolder(tmp_path), "x")
    assert report.path is not None
    rows = read_segment(report.path).to_pylist()
    assert [row["v"] for row in rows] == [None, 5]
    assert [row["_extra"] for row in rows] == [None, '{"more":1}']


def test_without_events_there_is_no_segment(tmp_path: Path) -> None:
    queries, work = written(tmp_path, [], [{"id": "x", "t": "soon"}])
    report = log_part(queries, work, LocalFolder(tmp_path), "x")
    assert (report.path, report.rows, report.late) == (None, 0, 0)
    assert not (tmp_path / "log").exists()


def test_attempts_that_did_not_count_are_removed(tmp_path: Path, object_storage: ObjectStorage) -> None:
    """Also what a killed one had begun; not those of later batches, nor what others write."""
    lost = (f"{HIDDEN}000000007-shard-0-ab.parts", ".tmp-31-000000006-split-2-cd.parts.part")
    begun = f".tmp-4711-{HIDDEN}000000007-rows-1-ef.0.part"
    kept = (
        "000000-000000000007.parquet",
        ".tmp-31-000000-000000000007.parquet.part",
        f"{HIDDEN}000000008-shard-0-ab.parts",
        ".tmp-31-000000008-split-0-ab.parts.part",
        "000000003-shard-0-ab.parts",
    )
    places: tuple[StoragePath, ...] = (tmp_path, path_at(str(object_storage.folder("lake")), object_storage.options))
    for place in places:
        make_folder(place / "P")
        for name in (*lost, begun, *kept):
            (place / "P" / name).write_bytes(b"")
        remove_attempts([place / "P", place / "nowhere"], 7)
        assert {path.name for path in (place / "P").iterdir()} == {*kept}
