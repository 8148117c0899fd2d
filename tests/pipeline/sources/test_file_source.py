"""Files that Spark reads as tables, and what their columns are before there is one."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sources import source_union
from kaicep.pipeline.sources.file_source import FileSource
from kaicep.pipeline.sources.layouts import reshape
from kaicep.pipeline.sources.source import SourceSpec
from kaicep.pipeline.sources.source_table import source_streams
from pyarrow import orc
from pyspark.sql import SparkSession
from support.streams import project_of


def source_of(root: Path, **source: Any) -> FileSource:
    settings = project_of(root, air=source)
    stream = settings.streams["air"]
    assert stream.source is not None
    return FileSource(SourceSpec("air", stream, stream.source, settings))


def test_files_need_a_path(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as refused:
        source_of(tmp_path, format="orc").path()
    assert str(refused.value) == (
        'streams.air: a source of the format \'orc\' needs a path: write source = { format = "…", path = "folder/" }'
    )


@pytest.mark.spark
def test_an_empty_folder_has_the_columns_that_the_annotation_declares(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    schema = source_of(tmp_path, format="orc", path="in").open(spark).schema
    assert {field.name: field.dataType.simpleString() for field in schema} == {
        "sensorID": "string",
        "timestamp": "timestamp",
        "flowrate": "double",
    }


@pytest.mark.spark
def test_a_folder_with_files_has_theirs(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    orc.write_table(pa.table({"sensorID": ["a"], "level": [5]}), tmp_path / "in" / "a.orc")
    schema = source_of(tmp_path, format="orc", path="in").open(spark).schema
    assert {field.name: field.dataType.simpleString() for field in schema} == {"sensorID": "string", "level": "bigint"}


TEXT = (
    b"\xef\xbb\xbf" + b'{"sensorID": "a", "timestamp": "2026-01-01T00:00:00Z", "flowrate": 1.5}\r\n\n'
    b'{"sensorID": "b", "timestamp": "2026-01-01T00:00:01Z"}\rno JSON\n   \n'
    b'{"sensorID": "\xff"}\n["x"]\n{"sensorID": "c", "timestamp": "2026-01-01T00:00:02Z", "more": [1, {"x": null}]}'
)
CSV = (
    b"sensorID,timestamp,flowrate\r\na,2026-01-01T00:00:00Z,1.5\n\nb,2026-01-01T00:00:01Z\n'c,2026-01-01T00:00:02Z,2\n"
)
LATIN = '{"sensorID": "\u00fc\u20ac", "timestamp": "2026-01-01T00:00:00Z"}\n'.encode("windows-1252")
FILES: dict[str, tuple[bytes, dict[str, Any]]] = {
    "plain.json": (TEXT, {"format": "json"}),
    "empty.json": (b"", {"format": "json"}),
    "packed.json.gz": (gzip.compress(TEXT, mtime=0), {"format": "json"}),
    "packed.json.bz2": (bz2.compress(TEXT), {"format": "json"}),
    "array.json": (
        b'[{"sensorID": "a",\n "timestamp": "2026-01-01T00:00:00Z"}]',
        {"format": "json", "multiLine": True},
    ),
    "latin.json": (LATIN, {"format": "json", "encoding": "windows-1252"}),
    "plain.csv": (CSV, {"format": "csv"}),
    "named.json": (TEXT, {"format": "json", "file_name": "flowrate"}),
}


@pytest.mark.spark
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_read_by_itself_is_what_spark_makes_of_it(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    """Its records, what is none of them, where that stands, and that it cannot be read."""
    content, source = FILES[name]
    path = tmp_path / "in" / name
    path.parent.mkdir()
    path.write_bytes(content)
    settings = project_of(tmp_path, air={**source, "path": "in"})
    of = source_streams(settings)["air"]
    batch = source_union._opened(spark, 0, of, [str(path)])
    by_spark = source_union._delivered(batch, settings, ["air"], {}, {"air": [path.as_uri()]}).get("air")
    found = reshape(of.files([str(path)]), settings.streams["air"])
    if by_spark is None:
        assert not content
        assert (found.table.num_rows, found.malformed, found.unreadable) == (0, (), ())
        return
    assert found.table.to_pylist() == by_spark.table.to_pylist()
    assert found.malformed == by_spark.malformed
    rows = range(found.table.num_rows)
    assert [found.place(row) for row in rows] == [by_spark.place(row) for row in rows]
    assert [found.text(row) for row in rows] == [by_spark.text(row) for row in rows]


_TORN = "Compressed file ended before the end-of-stream marker was reached"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("torn.json.gz", gzip.compress(TEXT, mtime=0)[:60], _TORN),
        ("short.json.gz", gzip.compress(TEXT, mtime=0)[:5], "it breaks off at its beginning"),
        ("x.json.zst", b"(\xb5/\xfd", "only Spark unpacks it: compress it by gzip"),
        ("gone.json", None, "it was gone before it was read"),
    ],
)
def test_what_cannot_be_read_is_noted(name: str, content: bytes | None, why: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    found = source_streams(project_of(tmp_path, air={"format": "json", "path": "in"}))["air"].files([str(path)])
    assert [(file.path, file.reason) for file in found.unreadable] == [(str(path), why)]
    assert [letter.text for letter in found.malformed] == [str(path)]


def test_a_table_of_spark_is_read_by_no_other(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r'only Spark reads x\.orc: set hosting = "driver"'):
        source_of(tmp_path, format="orc", path="in").files(["x.orc"])
