"""The first records of files that nobody has declared."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.commands.trials import EventSample
from kaicep.errors import PipelineError


def test_a_csv_of_any_dialect(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\ufefft;x;note\n2026-01-01;1,5;a,b\n2026-01-02;-2,25;\n")
    sample = EventSample.of(path)
    assert (sample.form, sample.separator, sample.whole, sample.files) == ("csv", ";", True, (path,))
    assert sample.table.to_pylist() == [
        {"t": "2026-01-01", "x": "1.5", "note": "a,b"},
        {"t": "2026-01-02", "x": "-2.25", "note": None},
    ]


def test_a_folder_shows_its_first_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        pq.write_table(pa.table({"t": [name]}), tmp_path / f"{name}.parquet")
    sample = EventSample.of(tmp_path)
    assert (sample.form, sample.separator) == ("parquet", None)
    assert sample.table.to_pylist() == [{"t": "a"}]
    assert [file.name for file in sample.files] == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize("content", ["", "a,b\n"])
def test_a_file_without_records(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(PipelineError) as found:
        EventSample.of(path)
    assert str(found.value) == f"{path} has no records: name a file of events: JSON, CSV or Parquet"
