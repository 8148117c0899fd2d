"""Recorded events in files, read without Spark."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.config import SourceSettings, StreamSettings, TimeSettings
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.recorded_files import read_file, read_recording
from kaicep.storage import BucketFile
from support.buckets import ObjectStorage

ROWS = [{"t": "2026-01-01", "a": 1}, {"t": "2026-01-02", "a": 2}]
LINES = b'{"t":"2026-01-01","a":1}\r\n\r\n{"t":"2026-01-02","a":2}'
ARRAY = b'\n [{"t":"2026-01-01","a":1},\n {"t":"2026-01-02","a":2}]'


def stream(**source: Any) -> StreamSettings:
    return StreamSettings(
        event_type="e", time=TimeSettings(attribute="t"), source=SourceSettings(**{"format": "json"} | source)
    )


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("in.jsonl", LINES, ":3"),
        ("in.ndjson", LINES + b"\n", ":3"),
        ("in.json", ARRAY, ", item 2"),
        ("in.json.gz", gzip.compress(ARRAY, mtime=0), ", item 2"),
        ("in.jsonl.gz", gzip.compress(LINES, mtime=0), ":3"),
        ("in.jsonl.bz2", bz2.compress(LINES), ":3"),
        ("in", LINES, ":3"),
    ],
)
def test_json_is_read_in_either_form(tmp_path: Path, name: str, content: bytes, place: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    batch = read_file(path, stream())
    assert batch.table.to_pylist() == ROWS
    assert batch.malformed == ()
    assert batch.place(1) == f"{path}{place}"


def test_csv_is_read_with_the_source_s_options(tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(b"t;a\n2026-01-01;1\n", mtime=0))
    assert read_file(path, stream(sep=";")).table.to_pylist() == [{"t": "2026-01-01", "a": "1"}]


def test_other_encodings_are_read_where_lines_can_be_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes("t\nü\n".encode("latin-1"))
    assert read_file(path, stream(encoding="ISO-8859-1")).table.to_pylist() == [{"t": "ü"}]
    with pytest.raises(PipelineError) as caught:
        read_file(path, stream(encoding="UTF-16"))
    assert str(caught.value).startswith("files in the encoding 'UTF-16' cannot be read: these can: utf-8, windows-1252")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("t,a\n".encode("utf-16"), "UTF-16"),
        (b"\xfe\xff" + "t,a\n".encode("utf-16-be"), "UTF-16"),
        ("t,a\n".encode("utf-16-le"), "UTF-16LE"),
        ("t,a\n".encode("utf-16-be"), "UTF-16BE"),
    ],
)
def test_text_in_utf_16_is_told_how_to_convert(tmp_path: Path, content: bytes, encoding: str) -> None:
    path = tmp_path / "an export.csv"
    path.write_bytes(content)
    with pytest.raises(PipelineError) as caught:
        read_file(path, stream())
    assert str(caught.value) == (
        f"cannot read {path}: it is text in {encoding}: save it as UTF-8, as by "
        f"iconv -f {encoding} -t UTF-8 '{path}' > utf8.txt"
    )


def test_parquet_is_read_and_its_rows_have_places(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"a": [1, None]}), path)
    batch = read_file(path, stream())
    assert batch.table.to_pylist() == [{"a": 1}, {"a": None}]
    assert (batch.place(0), batch.text(0), batch.text(1)) == (f"{path}, row 1", '{"a": 1}', "{}")


def test_items_of_an_array_that_are_no_objects_are_malformed(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_bytes(b'[{"a":1}, 5, {"a":"x"}]')
    batch = read_file(path, stream())
    assert batch.table.to_pylist() == [{"a": "1"}, {"a": "x"}]
    assert [(m.text, m.reason, m.place) for m in batch.malformed] == [("5", "no JSON object", f"{path}, item 2")]
    assert (batch.place(1), batch.text(1)) == (f"{path}, item 3", '{"a": "x"}')


def test_an_array_that_is_no_json_is_malformed_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_bytes(b'[{"a":1}')
    (malformed,) = read_file(path, stream()).malformed
    assert malformed.reason == "no JSON: Expecting ',' delimiter: line 1 column 9 (char 8)"
    assert (malformed.text, malformed.place) == ('[{"a":1}', str(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.json", None, "cannot read {path}: No such file or directory: name a JSON, CSV or Parquet file"),
        ("x.json.gz", b"{}", "cannot read {path}: Not a gzipped file (b'{{}}'): name a JSON, CSV or Parquet file"),
        ("x", b"", "cannot read {path}: files of the format 'avro' need Spark: name a JSON, CSV or Parquet file"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PipelineError) as caught:
        read_file(path, stream(format="avro"))
    assert str(caught.value) == message.format(path=path)


def test_a_program_names_a_file_or_several_or_gives_what_it_has(tmp_path: Path) -> None:
    """The files of a list follow one another; each is a batch with the places of its own records."""
    lines, parquet = tmp_path / "a.jsonl", tmp_path / "b.parquet"
    lines.write_bytes(LINES)
    pq.write_table(pa.Table.from_pylist(ROWS), parquet)
    for recording in (str(lines), lines, parquet, [lines], ROWS, pa.Table.from_pylist(ROWS)):
        (batch,) = read_recording(recording, stream())
        assert batch.table.to_pylist() == ROWS
    one, other = read_recording([lines, str(parquet)], stream())
    assert (one.place(1), other.place(1)) == (f"{lines}:3", f"{parquet}, row 2")


def test_nothing_is_an_empty_recording() -> None:
    (batch,) = read_recording([], stream())
    assert batch.table.num_rows == 0


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as caught:
        read_recording(str(tmp_path / "no.csv"), stream())
    assert str(caught.value) == (
        f"cannot read {tmp_path / 'no.csv'}: No such file or directory: name a JSON, CSV or Parquet file"
    )


def workbook(name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), "<x/>")  # at one time, since the bytes name the test
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("in.xlsx", workbook("xl/workbook.xml"), "it is an Excel workbook: save its sheet as CSV"),
        ("in.csv", workbook("xl/workbook.xml"), "it is an Excel workbook: save its sheet as CSV"),
        ("in.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "it is an Excel workbook: save its sheet as CSV"),
        ("in.ods", workbook("content.xml"), "it is an OpenDocument spreadsheet: save its sheet as CSV"),
        ("in.zip", workbook("in.csv"), "it is a ZIP archive: unpack it"),
        ("in.zip", b"PK\x03\x04", "it is a ZIP archive: unpack it"),
        ("in.csv", gzip.compress(b"t\n", mtime=0), "it is compressed by gzip: rename it to in.csv.gz"),
        ("in.csv", bz2.compress(b"t\n"), "it is compressed by bzip2: rename it to in.csv.bz2"),
        ("in.db", b"SQLite format 3\x00", "it is an SQLite database: export its table as CSV"),
        ("in.parquet", b"t,a\n", "it is no Parquet file: give it the ending of what it is: .csv, .jsonl"),
        ("in.parquet", b"", "it is empty: give it the ending of what it is: .csv, .jsonl"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(PipelineError) as caught:
        read_file(path, stream())
    assert str(caught.value) == f"cannot read {path}: {message}"


def test_parquet_is_known_by_its_content_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    pq.write_table(pa.table({"a": [1]}), path)
    assert read_file(path, stream()).table.to_pylist() == [{"a": 1}]
    path.write_text("PAR1,t\n5,2026-01-01\n")
    assert read_file(path, stream()).table.to_pylist() == [{"PAR1": "5", "t": "2026-01-01"}]


def test_objects_are_read_as_files_are(object_storage: ObjectStorage, tmp_path: Path) -> None:
    """In every format; what is no recording is told by its URL, and of each object nothing stays in memory."""
    lake = object_storage.folder("in")
    pq.write_table(pa.table({"t": ["2026-01-01", "2026-01-02"], "a": [1, 2]}), tmp_path / "in.parquet")
    lake.write("a.parquet", [(tmp_path / "in.parquet").read_bytes()])
    lake.write("b.json.gz", [gzip.compress(ARRAY, mtime=0)])
    lake.write("c.csv", [b"t,a\n2026-01-01,1\n"])
    files = [BucketFile(lake, name) for name in ("a.parquet", "b.json.gz", "c.csv")]
    first, second, third = read_recording(files, stream())
    assert first.table.to_pylist() == second.table.to_pylist() == ROWS
    assert third.table.to_pylist() == [{"t": "2026-01-01", "a": "1"}]
    assert second.place(1) == f"{lake}/b.json.gz, item 2"
    assert all("_content" not in vars(file) for file in files)
    lake.write("d.parquet", [b"PK\x03\x04"])
    for name, message in (("d.parquet", "it is a ZIP archive: unpack it"), ("e.json", "there is no object")):
        with pytest.raises(PipelineError, match=rf"cannot read {lake}/{name}: {message}"):
            read_file(BucketFile(lake, name), stream())
