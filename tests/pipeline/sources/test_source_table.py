"""The kind of a source is found by the name of its format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.pipeline.sources.delimited import CsvSource
from kaicep.pipeline.sources.file_source import FileSource
from kaicep.pipeline.sources.json_source import JsonSource
from kaicep.pipeline.sources.parquet_source import ParquetListing, ParquetSource
from kaicep.pipeline.sources.source_table import (
    delivered_streams,
    fleeting_streams,
    named_streams,
    source_streams,
    written_streams,
)
from kaicep.pipeline.sources.spark_source import SparkSource

STREAM: dict[str, Any] = {"event_type": "<urn:R>", "time": {"attribute": "at"}}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"format": "json", "path": "in"}, JsonSource),
        ({"format": "csv", "path": "in"}, CsvSource),
        ({"format": "orc", "path": "in"}, FileSource),
        ({"format": "text", "path": "in"}, FileSource),
        ({"format": "parquet", "path": "in"}, ParquetListing),
        ({"format": "parquet", "path": "in", "maxFilesPerTrigger": 1}, ParquetListing),
        ({"format": "parquet", "path": "in", "mergeSchema": True}, ParquetSource),
        ({"format": "parquet", "path": "s3a://bucket/in"}, ParquetSource),
        ({"format": "rate"}, SparkSource),
        ({"format": "kafka", "subscribe": "air"}, SparkSource),
    ],
)
def test_a_format_has_its_kind(source: dict[str, Any], kind: type, tmp_path: Path) -> None:
    settings = Settings.parse({"streams": {"air": {**STREAM, "source": source}, "memory": STREAM}}, root=tmp_path)
    (found,) = source_streams(settings).values()
    assert type(found) is kind


@pytest.mark.parametrize(
    ("source", "named", "delivered", "written"),
    [
        ({"format": "json", "path": "in"}, True, False, False),
        ({"format": "csv", "path": "file:///in"}, True, False, False),
        ({"format": "parquet", "path": "in"}, True, False, False),
        ({"mqtt": {"server": "mqtt://broker", "topics": "air"}}, True, False, False),
        ({"format": "json", "path": "s3a://bucket/in"}, False, True, False),
        ({"format": "json", "path": "in", "order": "time"}, True, True, False),
        ({"format": "csv", "path": "in", "lineSep": ";"}, False, True, False),
        ({"format": "orc", "path": "in"}, False, True, False),
        ({"format": "rate"}, False, True, True),
        ({"format": "rate", "order": "time"}, False, True, False),
        ({"kafka": {"servers": "broker:9092", "topics": ["air"]}}, False, True, True),
    ],
)
def test_what_no_process_reads_by_itself_spark_delivers(
    source: dict[str, Any], named: bool, delivered: bool, written: bool, tmp_path: Path
) -> None:
    """Of that, rows without files come in its order, which need not be found first."""
    settings = Settings.parse({"streams": {"air": {**STREAM, "source": source}, "memory": STREAM}}, root=tmp_path)
    assert named_streams(settings) == ({"air"} if named else set())
    assert delivered_streams(settings) == ({"air"} if delivered else set())
    assert written_streams(settings) == ({"air"} if written else set())


@pytest.mark.parametrize(
    ("source", "fleeting"),
    [
        ({"format": "json", "path": "in"}, False),
        ({"format": "orc", "path": "in"}, False),
        ({"format": "rate", "order": "time"}, True),
        ({"kafka": {"servers": "broker:9092", "topics": ["air"]}}, True),
    ],
)
def test_what_has_no_files_may_not_come_twice(source: dict[str, Any], fleeting: bool, tmp_path: Path) -> None:
    settings = Settings.parse({"streams": {"air": {**STREAM, "source": source}, "memory": STREAM}}, root=tmp_path)
    assert fleeting_streams(settings) == ({"air"} if fleeting else set())
