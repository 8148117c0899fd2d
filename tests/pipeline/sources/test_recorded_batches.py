"""A recorded file in batches holds what it holds as a whole."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.config import SourceSettings, StreamSettings, TimeSettings
from kaicep.errors import PipelineError
from kaicep.pipeline.sources import recorded_batches
from kaicep.pipeline.sources.recorded_batches import read_batches
from kaicep.pipeline.sources.recorded_files import read_file

RECORDS = [{"t": f"2026-01-01T00:00:{i:02d}Z", "a": i} for i in range(40)]
CSV = "t,a\n" + "".join(f"{r['t']},{r['a']}\n" for r in RECORDS)
LINES = "".join(f'{{"t":"{r["t"]}","a":{r["a"]}}}\n' for r in RECORDS)


def stream(**source: Any) -> StreamSettings:
    return StreamSettings(
        event_type="e", time=TimeSettings(attribute="t"), source=SourceSettings(**{"format": "json"} | source)
    )


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few records in each."""
    monkeypatch.setattr(recorded_batches, "_BYTES", 100)
    monkeypatch.setattr(recorded_batches, "_ROWS", 7)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("in.csv", CSV.encode()),
        ("in.csv", CSV.removesuffix("\n").replace("\n", "\r\n").encode()),
        ("in.csv.gz", gzip.compress(("\ufeff" + CSV).encode(), mtime=0)),
        ("in.jsonl", LINES.encode()),
        ("in.jsonl.gz", gzip.compress(("\n" + LINES).encode(), mtime=0)),
    ],
)
def test_text_is_read_piece_by_piece(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    batches = list(read_batches(path, stream()))
    assert len(batches) > 5
    assert [row for batch in batches for row in batch.table.to_pylist()] == read_file(path, stream()).table.to_pylist()
    whole = read_file(path, stream())
    places = [batch.place(row) for batch in batches for row in range(batch.table.num_rows)]
    assert places == [whole.place(row) for row in range(40)]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_wide_tables_become_readings_in_every_batch(tmp_path: Path, form: str) -> None:
    """The separator and the names of a CSV are those of its first lines."""
    path = tmp_path / f"north.{form}"
    if form == "csv":
        path.write_text("t;co2;temp\n" + "".join(f"{r['t']};{r['a']};0,5\n" for r in RECORDS))
    elif form == "jsonl":
        path.write_text("".join(f'{{"t":"{r["t"]}","co2":{r["a"]},"temp":0.5}}\n' for r in RECORDS))
    else:
        columns = {"t": [r["t"] for r in RECORDS], "co2": [float(str(r["a"])) for r in RECORDS], "temp": [0.5] * 40}
        pq.write_table(pa.table(columns), path)
    settings = StreamSettings.model_validate(
        {
            "event_type": "e",
            "time": {"attribute": "t"},
            "attributes": {"site": {}, "point": {}, "value": {"datatype": "xsd:double"}},
            "source": {"format": "csv", "file_name": "site", "unpivot": {"name": "point", "value": "value"}},
        }
    )
    batches = list(read_batches(path, settings))
    assert len(batches) > 3
    rows = [row for batch in batches for row in batch.table.to_pylist()]
    expected = [("co2", float(i // 2)) if i % 2 == 0 else ("temp", 0.5) for i in range(80)]
    assert [(row["point"], float(row["value"])) for row in rows] == expected
    assert {row["site"] for row in rows} == {"north"}
    assert ", column 'temp'" in batches[1].place(1)


def test_a_csv_without_a_header_has_the_declared_columns_in_every_batch(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(CSV.split("\n", 1)[1])
    found = [row for batch in read_batches(path, stream(format="csv", header=False)) for row in batch.table.to_pylist()]
    assert found == read_file(path, stream(format="csv", header=False)).table.to_pylist()


def test_how_far_the_file_is_read_is_told(tmp_path: Path) -> None:
    text, packed, columns = (tmp_path / name for name in ("in.csv", "in.csv.gz", "in.parquet"))
    text.write_text(CSV)
    packed.write_bytes(gzip.compress(CSV.encode(), mtime=0))
    pq.write_table(pa.Table.from_pylist(RECORDS), columns)
    for path in (text, packed, columns):
        told: list[int] = []
        count = sum(1 for _ in read_batches(path, stream(), told.append))
        assert len(told) == count
        assert told == sorted(told)
        assert told[-1] <= path.stat().st_size
    assert told[1] == columns.stat().st_size * 7 // 40


def test_malformed_records_keep_their_places(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(CSV + "1\n")
    *_, last = read_batches(path, stream())
    assert [(m.place, m.reason) for m in last.malformed] == [(f"{path}:42", "1 values for 2 columns")]


def test_a_header_that_names_a_column_twice_spoils_all_batches(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(CSV.replace("t,a", "t,t"))
    assert sum(len(batch.malformed) for batch in read_batches(path, stream())) == 40


ITEMS = LINES.strip().split("\n")


def bound(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


@pytest.mark.parametrize("size", [7, 13, 100, 1 << 20])
@pytest.mark.parametrize("indent", [None, 2])
def test_the_items_of_an_array_are_read_block_by_block(
    tmp_path: Path, size: int, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is written, and wherever a block ends: in a word, in a letter, in an escape."""
    monkeypatch.setattr(recorded_batches, "_BYTES", size)
    path = tmp_path / "in.json"
    records: list[dict[str, Any]] = [*RECORDS, {"t": 'ü "€" ]},[{\\', "a": 7}, {"t": "", "a": None}]
    for ascii_only in (False, True):
        text = json.dumps(records, ensure_ascii=ascii_only, indent=indent)
        path.write_bytes(b"\xef\xbb\xbf \n" + text.encode())
        batches = list(read_batches(path, stream()))
        assert bound([row for batch in batches for row in batch.table.to_pylist()]) == bound(records)
        assert (len(batches) > 8) == (size <= 100)
        before = 0
        for batch in batches:
            assert batch.place(0) == f"{path}, item {before + 1}"
            before += batch.table.num_rows


@pytest.mark.parametrize(
    ("text", "rows", "complaints"),
    [
        ("[]", 0, []),
        ("[" + ",".join(ITEMS) + ', {"t": ', 40, [("no JSON: the file breaks off before its array ends", 41)]),
        ("[" + ",".join(ITEMS) + "] [1]", 40, [("no JSON: there is more behind the end of the array", 41)]),
        ("[" + ITEMS[0] + ",7," + ITEMS[1] + "]", 2, [("a number instead of an object", 2)]),
        ("[" + ITEMS[0] + " " + ITEMS[1] + "]", 0, [("no JSON: Extra data at character 36", 1)]),
    ],
)
def test_an_array_that_is_damaged_has_the_records_before(
    tmp_path: Path, text: str, rows: int, complaints: list[tuple[str, int]]
) -> None:
    path = tmp_path / "in.json"
    path.write_text(text)
    batches = list(read_batches(path, stream()))
    assert sum(batch.table.num_rows for batch in batches) == rows
    assert [(m.reason, m.place) for batch in batches for m in batch.malformed] == [
        (reason, f"{path}, item {number}") for reason, number in complaints
    ]


def test_an_object_over_several_lines_is_one_record(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text('{\n"t": "2026-01-01"}')
    (batch,) = read_batches(path, stream(multiLine=True))
    assert batch.table.to_pylist() == [{"t": "2026-01-01"}]


def test_parquet_is_read_by_rows_from_files_and_folders(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(RECORDS), tmp_path / "in.parquet")
    folder = tmp_path / "day=1"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(RECORDS), folder / "in.parquet")
    batches = list(read_batches(tmp_path / "in.parquet", stream()))
    assert [row for batch in batches for row in batch.table.to_pylist()] == RECORDS
    assert batches[1].place(0) == f"{tmp_path / 'in.parquet'}, row 8"
    (tmp_path / "in.parquet").unlink()
    found = [row for batch in read_batches(tmp_path, stream(format="parquet")) for row in batch.table.to_pylist()]
    assert found == [{**record, "day": 1} for record in RECORDS]


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode(), mtime=0)[:-20])
    with pytest.raises(PipelineError, match="it breaks off before its end: copy or pack it once more"):
        list(read_batches(path, stream()))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed it may be small."""
    monkeypatch.setattr(recorded_batches, "_LONGEST", 5_000)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"x" * 20_000, mtime=0))
    with pytest.raises(PipelineError, match="a line is longer than 5,000 bytes"):
        list(read_batches(path, stream(format="csv")))


def test_parquet_whose_texts_are_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"t": pa.array([b"a", b"\xff"], pa.binary()).view(pa.string())}), path)
    with pytest.raises(PipelineError, match="Invalid UTF8 sequence at string index 1"):
        list(read_batches(path, stream()))
    with pytest.raises(PipelineError, match="Invalid UTF8 sequence at string index 1"):
        read_file(path, stream())
