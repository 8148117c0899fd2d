"""The file of a record names its sensor."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from kaicep.pipeline.sources import RawBatch
from kaicep.pipeline.sources.layouts import file_stem, with_file_names
from kaicep.pipeline.sources.records import RecordOrigin


@pytest.mark.parametrize(
    ("path", "stem"),
    [("a/ahu1.csv", "ahu1"), ("ahu.1.csv.gz", "ahu.1"), ("/x/plain", "plain"), ("x.parquet", "x")],
)
def test_the_stem_of_a_file(path: str, stem: str) -> None:
    assert file_stem(path) == stem


def test_each_record_has_the_name_of_its_file() -> None:
    """Also where malformed records have been taken out between them."""
    origin = RecordOrigin(lambda: ("in/a.csv", "in/b.csv", "in/c.csv"), (0, 3, 4))
    batch = RawBatch(pa.table({"v": [1, 2, 3, 4]}), origin=origin, numbers=np.array([0, 2, 3, 5]))
    assert with_file_names(batch, "point")["point"].to_pylist() == ["a", "a", "b", "c"]


def test_a_column_of_that_name_gives_way() -> None:
    batch = RawBatch(pa.table({"point": [1], "v": [2]}), origin=RecordOrigin.of("a.csv"))
    assert with_file_names(batch, "point").to_pylist() == [{"v": 2, "point": "a"}]
