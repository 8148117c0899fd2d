"""Rows that tasks write: in output order, as each sink and the log of matches want them; some of them wait."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kaicep.archive.log import read_segment
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.pipeline.flow import RowTargets
from kaicep.pipeline.sharding.hosted_queries import HostedQueries, StatePlace
from kaicep.pipeline.sharding.identity_part import ReadSplit
from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.pipeline.sharding.rows import QueryParts, RowWork, found_rows, opened, row_part
from kaicep.pipeline.sharding.shard_part import ShardWork, shard_part
from kaicep.pipeline.sharding.split_part import split_part
from kaicep.pipeline.sinks import JsonLinesSink, ParquetSink
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of

ROWS = [reading(f"{car}{second}", second, car) for second in (1, 2, 4) for car in (1, 2, 3)]


def answered(folder: Path, queries: HostedQueries) -> QueryParts:
    """Where the rows of a query are that two tasks have answered, a shard each."""
    split_part(queries, split_of(folder, 0, ROWS), LocalFolder(folder), "split.parts")
    marks = {"P": datetime(2024, 1, 1, 0, 1, tzinfo=UTC), "Q": None}
    files, count = [], 0
    for unit, shard in queries.work:
        places = (StatePlace("", unit.name, shard),)
        work = ShardWork(places, (ReadSplit("P", 0, "split.parts", None),), {}, marks, ends=False, last=None)
        report = shard_part(queries, work, LocalFolder(folder), f"shard-{shard}.parts")
        files.append((report.file, tuple(report.rows)))
        count += sum(report.rows.values())
    return QueryParts("follows", "follows", tuple(files), count, None)


def test_rows_are_written_as_sinks_want_them(tmp_path: Path) -> None:
    queries, log = hosted_of(), MatchLog(tmp_path / "archive")
    of, folder = answered(tmp_path, queries), LocalFolder(tmp_path)
    expected = found_rows(queries, of, opened(folder, [of])).rows
    assert expected.num_rows == of.count > 0
    sinks = [ParquetSink(tmp_path / "parquet"), JsonLinesSink(tmp_path / "rows.jsonl")]
    origin = Provenance("follows", "SELECT …", "v1", {})
    targets = [target for sink in sinks if (target := sink.target("follows")) is not None]
    own = QueryParts(of.label, of.unit, of.files, of.count, None, RowTargets(targets, log.target(origin)))
    report = row_part(queries, RowWork((own,)), folder, "0-rows-1.parts")
    (written,) = report.written(folder).values()
    assert written.num_rows == expected.num_rows
    assert not report.waiting
    for sink, path in zip(sinks, written.files, strict=True):
        sink.take(1, "follows", path)
        sink.flush()
    assert not list(tmp_path.glob("0-rows*"))
    found = pq.read_table(tmp_path / "parquet" / "follows" / "000000000001.parquet")
    assert found.column_names[-2:] == ["_source", "_recovered"]
    assert found.drop_columns(["_source", "_recovered"]).to_pylist() == expected.to_pylist()
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["_id"] for line in lines] == expected["_id"].to_pylist()
    assert written.logged is not None
    assert read_segment(written.logged)["_id"].to_pylist() == expected["_id"].to_pylist()
    log.close()


def test_rows_behind_what_may_grow_wait(tmp_path: Path) -> None:
    queries, folder = hosted_of(), LocalFolder(tmp_path)
    of = answered(tmp_path, queries)
    whole = found_rows(queries, of, opened(folder, [of])).rows
    held = whole["_time"][whole.num_rows // 2].as_py()
    before = [row for row in whole.to_pylist() if row["_time"] < held]
    target = ParquetSink(tmp_path / "parquet").target("follows")
    own = QueryParts(of.label, of.unit, of.files, of.count, held, RowTargets([target]))
    report = row_part(queries, RowWork((own,)), folder, "0-rows-1.parts")
    assert report.waiting == ("follows",)
    (path,) = report.written(folder)["follows"].files
    assert pq.read_table(path)["_id"].to_pylist() == [row["_id"] for row in before]
    with PartFile(folder, report.file) as file:
        (part,) = file
    later = QueryParts(of.label, of.unit, ((report.file, (part,)),), 0, None)
    rest = found_rows(queries, later, opened(folder, [later])).rows
    assert [*before, *rest.to_pylist()] == whole.to_pylist()


def test_rows_are_written_to_paths_only() -> None:
    with pytest.raises(TypeError, match="rows are written to paths"):
        row_part(hosted_of(), RowWork(()), object(), "0-rows-1.parts")  # type: ignore[arg-type]
