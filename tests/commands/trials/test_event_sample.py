"""The first records of files that nobody has declared."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.commands.trials import EventSample, roles_of
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


def test_day_and_time_of_day_apart_are_refused(tmp_path: Path) -> None:
    """Else all readings of a day would be of midnight, and nobody would know."""
    path = tmp_path / "a.csv"
    path.write_text("Date,Time,v\n2021-03-04,10:00,1\n")
    with pytest.raises(PipelineError) as found:
        roles_of(EventSample.of(path), hint="")
    assert str(found.value) == (
        f"{path} has the day in 'Date' and the time of day in 'Time': put both into one column, such as "
        "2026-03-02 08:15: a time stamp is one value"
    )
    path.write_text(",".join(f"c{i}" for i in range(14)) + "\n" + ",".join("x" * 14) + "\n")
    with pytest.raises(PipelineError) as found:
        roles_of(EventSample.of(path), hint="state it")
    assert str(found.value).endswith("'c10', 'c11' and 2 more: state it")


DANISH = "Tidspunkt;Værdi\n2026-01-01;1,5\n2026-01-02;2,5\n"


def test_texts_that_are_not_utf8_are_read_as_windows_1252(tmp_path: Path) -> None:
    """Also packed, and where only a later file of a folder shows it."""
    (tmp_path / "a.csv").write_text("Tidspunkt;x\n2026-01-01;1,5\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(DANISH.encode("iso-8859-1")))
    alone, folder = EventSample.of(tmp_path / "b.csv.gz"), EventSample.of(tmp_path)
    assert (alone.encoding, folder.encoding) == ("windows-1252", "windows-1252")
    assert alone.table.to_pylist()[0] == {"Tidspunkt": "2026-01-01", "Værdi": "1.5"}


def test_a_damaged_letter_does_not_make_utf8_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((DANISH + "2026-01-03;Ærø\n").encode() + b"2026-01-04;\xff\n")
    sample = EventSample.of(path)
    assert (sample.encoding, sample.table.column_names) == (None, ["Tidspunkt", "Værdi"])


def test_files_of_several_encodings_are_refused(tmp_path: Path) -> None:
    for name, encoding in (("a", "utf-8"), ("b", "iso-8859-1")):
        (tmp_path / f"{name}.csv").write_text(DANISH, encoding=encoding)
    with pytest.raises(PipelineError) as found:
        EventSample.of(tmp_path)
    assert str(found.value) == (
        f"{tmp_path / 'a.csv'} is UTF-8, and {tmp_path / 'b.csv'} is not: save them in one encoding, at best UTF-8"
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (DANISH.encode("utf-16"), "it is text in UTF-16: save it as UTF-8, as by iconv -f UTF-16 -t UTF-8"),
        (bytes(range(256)) * 4, "it is no text: name a file of events: JSON, CSV or Parquet"),
    ],
)
def test_what_is_no_text_that_can_be_read_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(PipelineError) as found:
        EventSample.of(path)
    assert str(found.value).startswith(f"cannot read {path}: {told}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_packed_text_in_utf_16_is_no_text_either(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(DANISH.encode(encoding)))
    with pytest.raises(PipelineError) as found:
        EventSample.of(path)
    way_out = "if it is UTF-16, save it as UTF-8, as by iconv -f UTF-16 -t UTF-8 a.csv > utf8.txt"
    assert str(found.value) == f"cannot read {path}: it is no text: {way_out}"


def test_where_there_is_no_file_it_is_told_what_there_is(tmp_path: Path) -> None:
    """An empty folder, a folder that is missing, a name that is mistaken, a file that was not copied to its end."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "readings.csv").write_text("a")
    packed = gzip.compress(bytes(range(256)) * 9)
    (tmp_path / "x.csv.gz").write_bytes(packed[:-20])
    told = {
        "empty": "the folder holds no file of events: name one that holds JSON, CSV or Parquet files itself",
        "nothing": "No such file or directory: name a JSON, CSV or Parquet file, or a folder of them",
        "none/a.csv": f"No such file or directory: there is no folder {tmp_path / 'none'}",
        "reading.csv": "No such file or directory: did you mean 'readings.csv'?",
        "x.csv.gz": "it breaks off before its end: copy or pack it once more",
    }
    for name, reason in told.items():
        with pytest.raises(PipelineError) as found:
            EventSample.of(tmp_path / name)
        assert str(found.value) == f"cannot read {tmp_path / name}: {reason}"
