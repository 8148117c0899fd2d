"""Files that Spark reads as tables, and what their columns are before there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.file_source import FileSource
from kaicep.pipeline.sources.source import SourceSpec
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
