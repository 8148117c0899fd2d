"""Sources through Spark: order of arrival, places, several streams, every format, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.generations.spark_checkpoint import SparkCheckpoint
from kaicep.pipeline.sources.records import RawBatch
from kaicep.pipeline.sources.source_union import read_streams, unpack
from kaicep.pipeline.sources.unreadable import GONE
from pyarrow import orc
from pyspark.sql import DataFrame, SparkSession
from support.spark import run_batches
from support.streams import project_of

pytestmark = pytest.mark.spark


def read(spark: SparkSession, root: Path, settings: Settings) -> list[dict[str, RawBatch]]:
    """The batches, each with its places asked for while it is handled."""
    found: list[dict[str, RawBatch]] = []

    def keep(batch: dict[str, RawBatch]) -> None:
        for raw in batch.values():
            places.extend(raw.place(row) for row in range(raw.table.num_rows))
        found.append(batch)

    places: list[str] = []
    run_batches(spark, settings, root / "checkpoint", keep)
    read_places[:] = [place.removeprefix(f"{root}/") for place in places]
    return found


START = datetime(2026, 1, 1, tzinfo=UTC)
BY_SPARK = {"format": "json", "path": "in", "lineSep": "\n"}
"""A source whose lines Spark reads, since it alone knows what ends them."""
read_places: list[str] = []


def drop(path: Path, content: bytes, modified: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (modified, modified))


def values(batches: list[dict[str, RawBatch]], stream: str, column: str) -> list[Any]:
    return [value for batch in batches if stream in batch for value in batch[stream].table[column].to_pylist()]


def test_no_file_is_passed_over_for_its_age(spark: SparkSession, tmp_path: Path) -> None:
    """One from the future, one that was copied with its time of long ago: Spark by itself reads neither after it."""
    settings = project_of(tmp_path, air={"format": "json", "path": "in"})
    month = 30 * 86400.0
    now = START.timestamp()
    checkpointed: list[int] = []
    for number, modified in enumerate((now + month, now, now - 100 * month)):
        drop(tmp_path / f"in/{number}.jsonl", b'{"n":%d}\n' % number, modified)
        checkpointed += values(read(spark, tmp_path, settings), "air", "n")
    assert checkpointed == [0, 1, 2]


def test_files_may_be_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    """By their names as Spark notes them; of the streams that they are to be passed over in."""
    sources = {name: {"format": kind, "path": "in"} for name, kind in (("air", "json"), ("text", "text"))}
    settings = project_of(tmp_path, **sources, lines={"format": "text", "path": "in"})
    names = ("a ü%20.json", "b.json")
    for name in names:
        drop(tmp_path / "in" / name, b'{"n":1}\n', 1000)
    found: list[dict[str, RawBatch]] = []

    def keep(batch: DataFrame, number: int) -> None:
        listed = dict(zip(settings.streams, SparkCheckpoint(tmp_path / "c").files(number), strict=True))
        noted = listed["air"]
        passed_over = [path for path in noted if "/a" in path[-20:]]
        found.append(unpack(batch, settings, {"air": passed_over, "text": passed_over}, listed))
        assert sorted(unquote(urlsplit(path).path) for path in noted) == [str(tmp_path / "in" / name) for name in names]

    writer = read_streams(spark, settings).writeStream.foreachBatch(keep)
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    (batch,) = found
    rows = {stream: raw.table.num_rows + len(raw.malformed) for stream, raw in batch.items()}
    assert rows == {"air": 1, "text": 1, "lines": 2}


def test_of_files_that_others_read_spark_has_the_names_alone(spark: SparkSession, tmp_path: Path) -> None:
    """A batch is planned and noted as ever, also beside streams that Spark reads; it has no rows of theirs."""
    sources = {"air": {"format": "parquet", "path": "air"}, "all": {"format": "text", "path": "all"}}
    settings = project_of(tmp_path, **sources)
    drop(tmp_path / "all" / "a.txt", b"one\n", 1000)
    (tmp_path / "air").mkdir()
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "air" / "a.parquet")
    found: list[dict[str, RawBatch]] = []

    def keep(batch: DataFrame, number: int) -> None:
        noted = [unquote(urlsplit(path).path) for of in SparkCheckpoint(tmp_path / "c").files(number) for path in of]
        assert noted == [str(tmp_path / name) for name in ("air/a.parquet", "all/a.txt")]
        assert batch.count() == 1
        found.append(unpack(batch, settings, only=["all"]))

    writer = read_streams(spark, settings).writeStream.foreachBatch(keep)
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    assert [{name: raw.table.num_rows for name, raw in batch.items()} for batch in found] == [{"all": 1}]


def test_parquet_files_may_be_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    settings = project_of(tmp_path, air={"format": "parquet", "path": "in"})
    (tmp_path / "in").mkdir()
    for name, number in (("a ü%20.parquet", 1), ("b.parquet", 2)):
        pq.write_table(pa.table({"n": [number]}), tmp_path / "in" / name)
    found: list[dict[str, RawBatch]] = []

    def keep(batch: DataFrame, number: int) -> None:
        listed = SparkCheckpoint(tmp_path / "c").files(number)[0]
        passed_over = {url for url in listed if unquote(urlsplit(url).path) == str(tmp_path / "in" / "a ü%20.parquet")}
        found.append(unpack(batch, settings, {"air": passed_over}, {"air": listed}))

    writer = read_streams(spark, settings).writeStream.foreachBatch(keep)
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    assert values(found, "air", "n") == [2]


def test_records_arrive_by_modification_time_then_path_then_line(spark: SparkSession, tmp_path: Path) -> None:
    """Spark packs bigger files first; names with spaces and percent signs are named as they are."""
    big = b"".join(b'{"n":%d}\n' % i for i in range(2, 400))
    drop(tmp_path / "in" / "c d%20.jsonl", big, 2000)
    drop(tmp_path / "in" / "b.jsonl", b'{"n":400}\n{"n":401}\n', 3000)
    drop(tmp_path / "in" / "a.jsonl.gz", gzip.compress(b'{"n":402}\n', mtime=0), 3000.5)
    drop(tmp_path / "in" / "z.jsonl", b'{"n":0}\n\n{"n":1}\n', 1000)
    batches = read(spark, tmp_path, project_of(tmp_path, air={"format": "json", "path": "in"}))
    assert len(batches) == 1
    assert values(batches, "air", "n") == list(range(403))
    assert read_places[:3] == ["in/z.jsonl:1", "in/z.jsonl:3", "in/c d%20.jsonl:1"]
    assert read_places[-2:] == ["in/b.jsonl:2", "in/a.jsonl.gz:1"]


def test_files_of_the_same_time_arrive_by_path_and_splits_by_offset(spark: SparkSession, tmp_path: Path) -> None:
    lines = [b'{"n":%d}\n' % i for i in range(3000)]
    drop(tmp_path / "in" / "b.jsonl", b"".join(lines[1000:]), 1000)
    drop(tmp_path / "in" / "a.jsonl", b"".join(lines[:1000]), 1000)
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "4096")
    try:
        batches = read(spark, tmp_path, project_of(tmp_path, air=BY_SPARK))
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before or "128MB")
    assert values(batches, "air", "n") == list(range(3000))
    assert read_places[1000] == "in/b.jsonl:1"


def test_streams_of_several_formats_come_in_one_batch(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"timestamp": pa.array([START], pa.timestamp("ns", "UTC")), "Flow": [1.5], "flow": ["x"]})
    (tmp_path / "p").mkdir()
    pq.write_table(table, tmp_path / "p" / "1.parquet")
    drop(tmp_path / "c" / "1.csv", b"n,text\n1,'a,b'\n2\n", 1000)
    drop(tmp_path / "j" / "1.jsonl", b'{"n":1}\n{\n', 1000)
    settings = project_of(
        tmp_path,
        parquet={"format": "parquet", "path": "p", "maxFilesPerTrigger": 1},
        csv={"format": "csv", "path": "c", "maxFilesPerTrigger": 1, "quote": "'"},
        quiet={"format": "json", "path": "made/here"},
        json={"format": "json", "path": "j", "maxFilesPerTrigger": 1},
    )
    (batch,) = read(spark, tmp_path, settings)
    assert {name: raw.table.to_pylist() for name, raw in batch.items()} == {
        "parquet": [{"timestamp": START, "Flow": 1.5, "flow": "x"}],
        "csv": [{"n": "1", "text": "a,b"}],
        "json": [{"n": 1}],
    }
    assert read_places == ["p/1.parquet, row 1", "c/1.csv:2", "j/1.jsonl:1"]
    assert [m.reason for m in batch["csv"].malformed] == ["1 values for 2 columns"]
    assert (tmp_path / "made" / "here").is_dir()


def test_one_file_per_trigger_is_one_batch_each(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3):
        drop(tmp_path / "in" / f"{number}.csv", b"7\n%d\n" % number, 1000 + number)
    source = {"format": "csv", "path": "in", "header": False, "maxFilesPerTrigger": 1}
    stream = {"event_type": "<urn:e>", "time": {"attribute": "t"}, "source": source}
    batches = read(spark, tmp_path, Settings.parse({"streams": {"air": stream}}, root=tmp_path))
    assert [batch["air"].table["t"].to_pylist() for batch in batches] == [["7", "0"], ["7", "1"], ["7", "2"]]


def test_files_that_an_interruption_put_into_one_batch_keep_their_order(spark: SparkSession, tmp_path: Path) -> None:
    """Spark notes a file before it notes the batch; killed between the two, it reads the next file with it."""
    settings = project_of(tmp_path, air={"format": "json", "path": "in", "maxFilesPerTrigger": 1})
    drop(tmp_path / "in" / "0.jsonl", b'{"n":0}\n', 1000)
    assert values(read(spark, tmp_path, settings), "air", "n") == [0]
    drop(tmp_path / "in" / "1.jsonl", b'{"n":1}\n', 2000)
    drop(tmp_path / "in" / "2.jsonl", b'{"n":2}\n{"n":3}\n{"n":4}\n', 3000)
    noted = {"path": (tmp_path / "in" / "1.jsonl").as_uri(), "timestamp": 2_000_000, "batchId": 1}
    (tmp_path / "checkpoint" / "sources" / "0" / "1").write_text(f"v1\n{json.dumps(noted)}", encoding="utf-8")
    batches = read(spark, tmp_path, settings)
    assert len(batches) == 1
    assert values(batches, "air", "n") == [1, 2, 3, 4]


def test_a_json_file_may_be_one_array(spark: SparkSession, tmp_path: Path) -> None:
    drop(tmp_path / "in" / "a.json", b'[\n{"n":1},\n{"n":2}\n]\n', 1000)
    drop(tmp_path / "in" / "b.json", b'[{"n":3}', 2000)
    (batch,) = read(spark, tmp_path, project_of(tmp_path, air={"format": "json", "path": "in", "multiLine": True}))
    assert batch["air"].table.to_pylist() == [{"n": 1}, {"n": 2}]
    assert read_places == ["in/a.json, item 1", "in/a.json, item 2"]
    (malformed,) = batch["air"].malformed
    assert malformed.place == f"{tmp_path}/in/b.json"


def zstandard(content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return bytes(packed.getvalue())


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard,
    ".deflate": zlib.compress,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_compressed_files_are_read_also_as_only_spark_unpacks_them(
    spark: SparkSession, tmp_path: Path, suffix: str
) -> None:
    """In the order of their arrival, with those beside them; what is broken is told."""
    lines = [b'{"n":%d}\n' % number for number in range(4)]
    drop(tmp_path / "in" / f"b.jsonl{suffix}", PACKED[suffix](b"".join(lines[1:3])), 2000)
    drop(tmp_path / "in" / "c.jsonl", lines[0], 1000)
    drop(tmp_path / "in" / "a.jsonl", lines[3] + b"{\n", 3000)
    drop(tmp_path / "in" / "d.jsonl.gz", b"no gzip, no gzip at all", 3000)
    (batch,) = read(spark, tmp_path, project_of(tmp_path, air={"format": "json", "path": "in"}))
    assert values([batch], "air", "n") == [0, 1, 2, 3]
    assert read_places == ["in/c.jsonl:1", f"in/b.jsonl{suffix}:1", f"in/b.jsonl{suffix}:2", "in/a.jsonl:1"]
    assert [Path(file.path).name for file in batch["air"].unreadable] == ["d.jsonl.gz"]
    assert [letter.place for letter in batch["air"].malformed] == [
        f"{tmp_path}/in/a.jsonl:2",
        f"{tmp_path}/in/d.jsonl.gz",
    ]


def test_text_in_another_encoding_is_read(spark: SparkSession, tmp_path: Path) -> None:
    drop(tmp_path / "in" / "a.csv", "t\nü €\n".encode("cp1252"), 1000)
    source = {"format": "csv", "path": "in", "encoding": "ISO-8859-1"}
    assert values(read(spark, tmp_path, project_of(tmp_path, air=source)), "air", "t") == ["ü €"]


def read_noted(spark: SparkSession, root: Path, settings: Settings, harm: Callable[[], object]) -> dict[str, RawBatch]:
    """The batch that has everything, with what Spark has noted of its files; harm comes after Spark has planned it."""
    found: list[dict[str, RawBatch]] = []

    def keep(batch: DataFrame, number: int) -> None:
        harm()
        noted = SparkCheckpoint(root / "c").files(number)
        found.append(unpack(batch, settings, {}, dict(zip(settings.streams, noted, strict=False))))

    writer = read_streams(spark, settings).writeStream.foreachBatch(keep)
    writer.option("checkpointLocation", str(root / "c")).trigger(availableNow=True).start().awaitTermination()
    (batch,) = found
    return batch


def test_files_that_cannot_be_read_are_left_out_and_told(spark: SparkSession, tmp_path: Path) -> None:
    """Of every format, some broken, one of them empty, one gone; the others are read, each once."""
    table = pa.table({"n": [1, 2]})
    lines = gzip.compress(b"".join(b'{"n":%d}\n' % i for i in range(1000)))
    for name in ("a[1] ü%20.jsonl.gz", "b.jsonl.gz", "c.jsonl.gz"):
        drop(tmp_path / "j" / name, lines, 1000)
    drop(tmp_path / "j" / "d.jsonl.gz", lines[: len(lines) // 2], 1000)
    drop(tmp_path / "j" / "e[1] ü%20.jsonl.gz", lines[:-8] + b"abcd" + lines[-4:], 1000)
    drop(tmp_path / "j" / "f.jsonl.gz", b"", 1000)
    for name in ("a.orc", "b.orc", "c.orc"):
        (tmp_path / "o").mkdir(exist_ok=True)
        orc.write_table(table, tmp_path / "o" / name)
    (tmp_path / "o" / "b.orc").write_bytes(b"no table, no table at all")
    for name in ("a.parquet", "b.parquet", "c.parquet"):
        (tmp_path / "p").mkdir(exist_ok=True)
        pq.write_table(table, tmp_path / "p" / name)
    (tmp_path / "p" / "b.parquet").write_bytes(b"no table, no table at all")
    sources = {"json": ("json", "j"), "orc": ("orc", "o"), "parquet": ("parquet", "p"), "again": ("json", "j")}
    files = {name: {"format": kind, "path": of} for name, (kind, of) in sources.items()}
    settings = project_of(tmp_path, **files, spark={**BY_SPARK, "path": "j"})

    def harm() -> None:
        for gone in ("j/c.jsonl.gz", "p/c.parquet"):
            (tmp_path / gone).unlink()

    batch = read_noted(spark, tmp_path, settings, harm)
    assert {name: raw.table.num_rows for name, raw in batch.items()} == {
        "json": 2000, "orc": 4, "parquet": 2, "again": 2000, "spark": 2000,
    }  # fmt: skip
    told = {
        name: {Path(file.path).name: (file.reason, file.state is None) for file in raw.unreadable}
        for name, raw in batch.items()
    }
    assert told["json"] == told["again"]
    assert told["json"] == {
        "c.jsonl.gz": (GONE, True),
        "d.jsonl.gz": ("Compressed file ended before the end-of-stream marker was reached", False),
        "e[1] ü%20.jsonl.gz": (told["json"]["e[1] ü%20.jsonl.gz"][0], False),
        "f.jsonl.gz": ("it breaks off at its beginning", False),
    }
    assert told["spark"].keys() == told["json"].keys()
    assert told["spark"]["d.jsonl.gz"] == ("Unexpected end of input stream", False)
    assert (told["parquet"]["c.parquet"], list(told["orc"])) == ((GONE, True), ["b.orc"])
    assert [letter.place for letter in batch["orc"].malformed] == [str(tmp_path / "o" / "b.orc")]
    assert sorted({Path(batch["json"].place(row)).name for row in (0, 1999)}) == [
        "a[1] ü%20.jsonl.gz:1", "b.jsonl.gz:1000",
    ]  # fmt: skip


@pytest.mark.parametrize("whole", [True, False], ids=["some are whole", "none is"])
def test_broken_files_cost_nothing_of_a_source_without_files(
    spark: SparkSession, tmp_path: Path, *, whole: bool
) -> None:
    """Its rows come once, in their order, from parts of the batch that have nothing to do with the files."""
    drop(tmp_path / "j" / "a.jsonl.gz", gzip.compress(b'{"n":1}\n', mtime=0) if whole else b"no gzip at all", 1000)
    drop(tmp_path / "j" / "b.jsonl.gz", b"no gzip, no gzip at all", 1000)
    sources: dict[str, dict[str, Any]] = {
        "json": {**BY_SPARK, "path": "j"},
        "rate": {"format": "rate-micro-batch", "rowsPerBatch": 5, "numPartitions": 2},
        "quiet": {"format": "csv", "path": "q"},
    }
    batch = read_noted(spark, tmp_path, project_of(tmp_path, **sources), lambda: None)
    assert [row["value"] for row in batch["rate"].table.sort_by("value").to_pylist()] == [0, 1, 2, 3, 4]
    assert batch["rate"].table["timestamp"].null_count == 0
    assert batch["rate"].place(0) == "batch, row 1"
    assert [row["n"] for row in batch["json"].table.to_pylist()] == [1] * whole
    assert len(batch["json"].unreadable) == 2 - whole


def test_of_files_that_are_all_broken_there_is_nothing(spark: SparkSession, tmp_path: Path) -> None:
    drop(tmp_path / "in" / "a.csv.gz", b"t,n\nno gzip", 1000)
    settings = project_of(tmp_path, air={"format": "csv", "path": "in"})
    batch = read_noted(spark, tmp_path, settings, lambda: None)
    assert (batch["air"].table.num_rows, len(batch["air"].malformed), len(batch["air"].unreadable)) == (0, 1, 1)


def test_what_spark_cannot_read_of_files_that_nobody_listed_is_told_in_one_line(
    spark: SparkSession, tmp_path: Path
) -> None:
    drop(tmp_path / "in" / "a.csv.gz", b"no gzip", 1000)
    settings = project_of(tmp_path, air={**BY_SPARK, "format": "csv"})
    told: list[str] = []

    def on_batch(batch: DataFrame, _: int) -> None:
        with pytest.raises(PipelineError) as error:
            unpack(batch, settings)
        told.append(str(error.value))

    writer = read_streams(spark, settings).writeStream.foreachBatch(on_batch)
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    (message,) = told
    assert message.startswith("Spark cannot read a batch: Encountered error while reading file file:///")
    assert message.endswith(": check the sources of the project; the batch is read again at the next start")


@pytest.mark.parametrize("options", [{}, {"mergeSchema": True}], ids=["by Arrow", "by Spark"])
def test_parquet_files_of_several_batches_and_types(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any]
) -> None:
    """A name with a space and a percent sign, an older file that comes first, one without a column."""
    source = {"format": "parquet", "path": "in", "maxFilesPerTrigger": 2, **options}
    for name, table, modified in (
        ("b %20.parquet", pa.table({"n": [1, 2], "t": pa.array([START] * 2, pa.timestamp("ns", "UTC"))}), 1000),
        ("a.parquet", pa.table({"n": [3], "t": pa.array([START], pa.timestamp("ns", "UTC"))}), 2000),
        ("c.parquet", pa.table({"n": [4]}), 3000),
    ):
        (tmp_path / "in").mkdir(exist_ok=True)
        pq.write_table(table, tmp_path / "in" / name)
        os.utime(tmp_path / "in" / name, (modified, modified))
    batches = read(spark, tmp_path, project_of(tmp_path, air=source))
    assert len(batches) == 2
    assert values(batches, "air", "n") == [1, 2, 3, 4]
    assert read_places == [
        "in/b %20.parquet, row 1",
        "in/b %20.parquet, row 2",
        "in/a.parquet, row 1",
        "in/c.parquet, row 1",
    ]
    assert batches[0]["air"].table["t"].to_pylist() == [START] * 3


def test_folders_of_parquet_files_may_be_partitions(spark: SparkSession, tmp_path: Path) -> None:
    for number, day in enumerate(("2026-01-01", "2026-01-02")):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        file = tmp_path / "in" / f"day={day}" / "x.parquet"
        pq.write_table(pa.table({"n": [number]}), file)
        os.utime(file, (1000 + number, 1000 + number))
    (batch,) = read(spark, tmp_path, project_of(tmp_path, air={"format": "parquet", "path": "in"}))
    assert [{k: str(v) for k, v in row.items()} for row in batch["air"].table.to_pylist()] == [
        {"n": "0", "day": "2026-01-01"},
        {"n": "1", "day": "2026-01-02"},
    ]


def test_an_empty_folder_of_tables_has_the_schema_of_the_annotation(spark: SparkSession, tmp_path: Path) -> None:
    frame = read_streams(spark, project_of(tmp_path, air={"format": "orc", "path": "in"}))
    types = {field.name: field.dataType.simpleString() for field in frame.schema if ":" in field.name}
    assert types == {"0:timestamp": "timestamp", "0:sensorID": "string", "0:flowrate": "double"}


def test_any_spark_format_is_read_by_name(spark: SparkSession, tmp_path: Path) -> None:
    source = {"format": "rate-micro-batch", "rowsPerBatch": 3, "numPartitions": 1}
    batches: list[dict[str, RawBatch]] = []
    run_batches(spark, project_of(tmp_path, air=source), tmp_path / "checkpoint", batches.append)
    assert values(batches, "air", "value")[:3] == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            {"format": "nope"},
            (
                "streams.air: Spark cannot read the source: Failed to find the data source: nope. Make sure the "
                "provider name is correct and the package is properly registered and compatible with your Spark "
                "version: check format, path and options of streams.air.source"
            ),
        ),
        (
            {"format": "json"},
            (
                "streams.air: a source of the format 'json' needs a path: "
                'write source = { format = "…", path = "folder/" }'
            ),
        ),
        (
            {"format": "json", "path": "file.jsonl/in/"},
            (
                "streams.air: cannot make the folder {root}/file.jsonl/in: Not a directory: "
                "name a folder in which files will be dropped"
            ),
        ),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(
    spark: SparkSession, tmp_path: Path, source: dict[str, Any], message: str
) -> None:
    (tmp_path / "file.jsonl").touch()
    with pytest.raises(PipelineError) as caught:
        read_streams(spark, project_of(tmp_path, air=source))
    assert str(caught.value) == message.replace("{root}", str(tmp_path))


@pytest.mark.parametrize("name", ["c.jsonl", "a[1]*{2}.jsonl", "d e%20.jsonl"])
def test_a_file_alone_is_a_source(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Whatever its name, and nothing beside it."""
    drop(tmp_path / "in" / name, b'{"n":1}\n', 1000)
    drop(tmp_path / "in" / "other.jsonl", b'{"n":2}\n', 1000)
    batches = read(spark, tmp_path, project_of(tmp_path, air={"format": "json", "path": f"in/{name}"}))
    assert values(batches, "air", "n") == [1]
    assert read_places == [f"in/{name}:1"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_wide_tables_with_a_file_for_each_site_become_readings(spark: SparkSession, tmp_path: Path, form: str) -> None:
    """Each reading with its file, its row and its column."""
    for site, co2 in (("north", 400), ("south", 500)):
        path = tmp_path / "in" / f"{site}.{form}"
        if form == "csv":
            drop(path, f"timestamp;co2;temp\n2026-01-01;{co2};20,5\n2026-01-02;;21,5\n".encode(), 1000)
        else:
            path.parent.mkdir(exist_ok=True)
            table = {"timestamp": ["2026-01-01", "2026-01-02"], "co2": [co2, None], "temp": [20.5, 21.5]}
            pq.write_table(pa.table(table), path)
            os.utime(path, (1000, 1000))
    wide = {"format": form, "path": "in/", "file_name": "site", "unpivot": {"name": "point", "value": "value"}}
    attributes = {name: {"datatype": "xsd:string"} for name in ("site", "point")} | {
        "value": {"datatype": "xsd:double"}
    }
    settings = Settings.parse(
        {
            "streams": {
                name: {"event_type": "<urn:E>", "time": {"attribute": "timestamp"}, "attributes": attributes, **source}
                for name, source in {"air": {"source": wide}}.items()
            }
        },
        root=tmp_path,
    )
    (batch,) = read(spark, tmp_path, settings)
    rows = [(r["site"], r["timestamp"], r["point"], float(r["value"])) for r in batch["air"].table.to_pylist()]
    assert rows == [
        (site, *reading)
        for site, co2 in (("north", 400.0), ("south", 500.0))
        for reading in (
            ("2026-01-01", "co2", co2), ("2026-01-01", "temp", 20.5), ("2026-01-02", "temp", 21.5),
        )
    ]  # fmt: skip
    second = "in/north.csv:3, column 'temp'" if form == "csv" else "in/north.parquet, row 2, column 'temp'"
    assert read_places[2] == second


def test_a_project_without_sources_cannot_run(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as caught:
        read_streams(spark, project_of(tmp_path))
    assert str(caught.value) == (
        "the project has no stream with a source: add source = { format = …, path = … } to a stream"
    )
