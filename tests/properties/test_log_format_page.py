"""docs/log-format.md: others read the log as the page says, and answer alike."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import kaicep
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.folder_layout import FORMAT
from kaicep.archive.log import EventLog, Position, segment_name
from kaicep.archive.log.segment import segment_batches
from kaicep.archive.sync.compaction import CompactionPolicy, compact
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin
from pyspark.sql import SparkSession
from support.living import archive_of

PAGE = (Path(kaicep.__file__).parent / "docs" / "log-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
INDEX, DUCKDB, POLARS, SPARK, DELTA = [text for kind, text in BLOCKS if kind == "python"]
PROJECT = next(text for kind, text in BLOCKS if kind == "toml")
*FILES, EXPECTED = [[json.loads(line) for line in text.splitlines()] for kind, text in BLOCKS if kind == "json"]
QUERY = "CREATE QUERY low AS SELECT ?e.flow AS flow FROM (?e, air) FILTER (?e.flow < 450)"
FIRST, SECOND, THIRD = (Position(0, batch) for batch in (1, 2, 3))


LAKE = re.search(r'^\[archive\]\ndelta = "(var/lake)"', PAGE, re.MULTILINE)


def answered(folder: Path, project: Project, files: Iterable[list[dict[str, Any]]] = FILES) -> Archive:
    """Batches archived, and the rows of a named query."""
    archive = archive_of(project)
    flow = CheckpointedFlow(project, folder / "var/state", (), archive)
    flow.queries.submit(project.registrations(QUERY, "low.chi"))
    for number, readings in enumerate(files, 1):
        flow.run(number, {"air": RawBatch(raw_table(readings), (), RecordOrigin.of("test"))})
    flow.close()
    return archive


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("campus")
    (folder / "kaicep.toml").write_text(PROJECT)
    return Project.load(folder)


@pytest.fixture
def campus(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's archive, as anybody may meet it: two batches are put together, and one of them is there still.

    A writer was killed in the middle of a file, and a segment that was broken lies in quarantine.
    """
    folder = project.settings.root
    shutil.rmtree(folder / "var", ignore_errors=True)
    with answered(folder, project) as archive:
        air = archive.path / "log" / "air"
        kept = (air / segment_name(FIRST)).read_bytes()
        assert compact(archive.log, CompactionPolicy(files=2)).before == 2
    (air / segment_name(FIRST)).write_bytes(kept)
    (air / ".tmp-1-000000-000000000004.parquet.part").write_bytes(kept[:100])
    quarantined = archive.path / "quarantine" / "log" / "air" / segment_name(Position(0, 4))
    quarantined.parent.mkdir(parents=True)
    quarantined.write_bytes(kept[:100])
    monkeypatch.chdir(folder)
    return air


def run(code: str, **given: object) -> dict[str, Any]:
    """The names that a snippet of the page leaves behind."""
    names: dict[str, Any] = dict(given)
    exec(compile(code, "docs/log-format.md", "exec"), names)  # noqa: S102 - the page's own text
    return names


def test_the_page_speaks_of_the_format_that_is_written() -> None:
    assert f"archives of format {FORMAT} " in PAGE
    assert f'{{"format": {FORMAT}}}' in PAGE


def test_files_are_called_as_the_page_says(campus: Path) -> None:
    names = {segment_name(FIRST), segment_name(FIRST, SECOND), segment_name(THIRD)}
    assert {path.name for path in campus.glob("*.parquet")} == names


def test_the_page_has_what_the_log_says(campus: Path) -> None:
    """The question's answer, from the log's own reader."""
    events = EventLog(campus.parent).read("air").to_pylist()
    assert [bool(event["_late"]) for event in events] == [False] * 5 + [True]
    in_time = [event for event in events if not event["_late"]]
    by_sensor = {sensor: [e for e in in_time if e["sensor"] == sensor] for sensor in ("d105", "d220")}
    assert [
        {
            "sensor": sensor,
            "readings": len(found),
            "flow": sum(e["flow"] for e in found) / len(found),
            "battery": min(json.loads(e["_extra"])["battery"] for e in found if e["_extra"]),
        }
        for sensor, found in by_sensor.items()
    ] == EXPECTED


def test_duckdb_answers(campus: Path) -> None:
    answer = run(DUCKDB)["answer"]
    assert [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()] == EXPECTED


def test_polars_answers(campus: Path) -> None:
    assert run(POLARS)["answer"].to_dicts() == EXPECTED


def test_tables_of_delta_lake_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the key of the page; the tables are there when the archive is closed."""
    assert LAKE is not None
    (tmp_path / "kaicep.toml").write_text(f"{PROJECT}\n{LAKE[0]}\n")
    answered(tmp_path, Project.load(tmp_path)).close()
    monkeypatch.chdir(tmp_path)
    answer = run(DELTA)["answer"]
    assert [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()] == EXPECTED
    assert sorted(DeltaTable(f"{LAKE[1]}/matches/low").to_pyarrow_table()["flow"].to_pylist()) == [405.0, 410.0]
    table = DeltaTable(f"{LAKE[1]}/log/air")
    table.delete("_time < '2026-05-04T09:02:00Z'")
    assert table.to_pyarrow_table().num_rows == 2


@pytest.mark.spark
def test_spark_answers(campus: Path, spark: SparkSession) -> None:
    answer = run(SPARK.replace("var/", f"{campus.parents[2]}/"), spark=spark)["answer"]
    assert [row.asDict() for row in answer.collect()] == EXPECTED


def test_the_batches_of_a_segment_are_read_as_the_page_says(campus: Path) -> None:
    path = campus / segment_name(FIRST, SECOND)
    read = run(INDEX)["batches"](path)
    assert [(generation, batch, rows) for generation, batch, rows, _, _ in read] == [(0, 1, 2), (0, 2, 2)]
    own = [(b.first.timestamp() * 1e6, b.last.timestamp() * 1e6) for b in segment_batches(path)]
    assert [(first, last) for *_, first, last in read] == own


TABLES = re.findall(r"^## (?:Columns|Rows of named queries)\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
TYPES = {"BOOLEAN": pa.bool_(), "INT64": pa.int64(), "DOUBLE": pa.float64(), "STRING": pa.string()}
TYPES["TIMESTAMP(µs, UTC)"] = pa.timestamp("us", tz="UTC")
DATATYPES = re.findall(r"^\| ((?:`xsd:\w+`[^|]*))\| ([^|]+?) \|", TABLES[0], re.MULTILINE)


def test_columns_have_the_types_of_the_page(tmp_path: Path) -> None:
    """An attribute of each datatype that the page names."""
    declared = {name: kind for names, kind in DATATYPES for name in re.findall(r"`(xsd:\w+)`", names)}
    assert len(declared) >= 12
    value = {"xsd:boolean": True, "xsd:dateTime": "2026-01-01T00:00:00Z", "xsd:dateTimeStamp": "2026-01-01T00:00:00Z"}
    text = {"xsd:string", "xsd:anyURI"}
    columns = {f"a{number}": name for number, name in enumerate(declared)}
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "at"},
        "attributes": {name: {"datatype": kind} for name, kind in columns.items()}
        | {"flow": {"datatype": "xsd:double"}},
    }
    project = Project.parse({"streams": {"air": stream}, "knowledge": {"reasoner": "none"}}, root=tmp_path)
    event = {name: value.get(kind, "x" if kind in text else 1) for name, kind in columns.items()}
    with answered(tmp_path, project, [[{"at": "2026-01-01T00:00:00Z", "flow": 1.0, **event}]]) as archive:
        schema = pq.read_schema(archive.path / "log" / "air" / segment_name(FIRST))
    assert {columns[f.name]: f.type for f in schema if f.name in columns} == {n: TYPES[k] for n, k in declared.items()}
    assert (schema.field("_time").type, schema.field("_id").type) == (TYPES["TIMESTAMP(µs, UTC)"], pa.string())


def test_every_column_of_events_and_rows_is_on_the_page(campus: Path) -> None:
    events, rows = (
        duckdb.connect().sql(f"FROM read_parquet('{folder}/*.parquet', union_by_name = true)").columns
        for folder in (campus, campus.parents[1] / "matches" / "low")
    )
    own = [set(re.findall(r"`(_\w+)`", table)) for table in TABLES]
    assert set(events) - own[0] == {"sensor", "flow", "at", "urn:x:sensor"}
    assert set(rows) - own[1] == {"?e", "flow"}
