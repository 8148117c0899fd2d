"""Lines before their parser: what is no text is set apart, blank ones are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep import PipelineError
from kaicep.config import SourceSettings
from kaicep.pipeline.sources.records import RecordOrigin
from kaicep.pipeline.sources.text_lines import (
    checked_text,
    join,
    split_off_invalid_text,
    text_as_utf8,
    text_encoding,
    without_blank_lines,
)

NO_TEXT = pa.array([b"a", b"\xff"], pa.binary()).view(pa.string())


@pytest.mark.parametrize(
    "column",
    [
        NO_TEXT,
        pa.StructArray.from_arrays([NO_TEXT], ["in"]),
        pa.ListArray.from_arrays([0, 2, 2], NO_TEXT),
        pa.DictionaryArray.from_arrays([0, 1], NO_TEXT),
    ],
    ids=["text", "struct", "list", "dictionary"],
)
def test_texts_that_are_no_utf8_are_refused_however_deep(column: pa.Array) -> None:
    with pytest.raises(pa.ArrowInvalid, match="Invalid UTF8"):
        checked_text(pa.table({"x": column}))


@pytest.mark.parametrize("kind", ["", "struct", "list", "map"])
def test_names_that_are_no_utf8_are_refused_however_deep(kind: str, tmp_path: Path) -> None:
    """As a Parquet file may have them, in which no Arrow schema says otherwise."""
    member = pa.struct([("unlikely", pa.int64())])
    nested = {"struct": member, "list": pa.list_(member), "map": pa.map_(pa.string(), member)}
    fields = {"x": nested[kind]} if kind else {"unlikely": pa.int64()}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({name: pa.array([None], of) for name, of in fields.items()}), path, store_schema=False)
    assert checked_text(pq.read_table(path)).num_rows == 1
    path.write_bytes(path.read_bytes().replace(b"unlikely", b"unl\xffkely"))
    with pytest.raises(pa.ArrowInvalid, match="the name of a column is no UTF-8: b'unl"):
        checked_text(pq.read_table(path))


def test_what_is_no_utf8_is_malformed_at_its_place() -> None:
    lines = pa.array([b"a", b"\xff", b"c"], pa.binary()).view(pa.string())
    kept, numbers, malformed = split_off_invalid_text(lines, RecordOrigin.of("in", "{name}:{number}"))
    assert (kept.to_pylist(), numbers.tolist()) == (["a", "c"], [0, 2])
    assert [(m.text, m.reason, m.place) for m in malformed] == [
        (
            "\\xff",
            """no UTF-8: if it is windows-1252 or ISO-8859-1, add encoding = "windows-1252" to the stream's source""",
            "in:2",
        )
    ]


def test_lines_of_utf_16_are_told_as_such() -> None:
    """Most of them are UTF-8 with a zero behind each letter; a record made of that would be silent nonsense."""
    lines = pa.array(["t,ü\n".encode("utf-16"), "1,2".encode("utf-16-le"), b"1,2"], pa.binary()).view(pa.string())
    kept, numbers, malformed = split_off_invalid_text(lines, RecordOrigin.of("in", "{name}:{number}"))
    assert (kept.to_pylist(), numbers.tolist()) == (["1,2"], [2])
    way_out = "zero bytes: if it is UTF-16, convert the file: iconv -f UTF-16 -t UTF-8 FILE > utf8.txt"
    assert [(m.reason, m.place) for m in malformed] == [(way_out, "in:1"), (way_out, "in:2")]


def test_blank_lines_and_a_byte_order_mark_go() -> None:
    kept, numbers = without_blank_lines(pa.array(["\ufeffa", "", " \t", "b"]), np.arange(4))
    assert (kept.to_pylist(), numbers.tolist()) == (["a", "b"], [0, 3])
    assert join(kept).to_pybytes() == b"a\nb"


def test_windows_1252_is_read_by_its_letters_and_iso_8859_1_is_part_of_it() -> None:
    """Its five bytes without a letter stay what they are, as the Encoding Standard of the WHATWG has it."""
    text = "„20 °C“ – 5 € … œ"
    for name in ("windows-1252", "cp1252", "ISO-8859-1", "latin1"):
        encoding = text_encoding(SourceSettings.model_validate({"format": "csv", "encoding": name}))
        assert text_as_utf8(text.encode("cp1252"), encoding).decode() == text
    assert text_as_utf8(b"\x81\xe9", "windows-1252").decode() == "\x81é"
    assert text_as_utf8("Ærø".encode("latin-1"), "windows-1252").decode() == "Ærø"
    assert text_as_utf8("Ærø".encode(), "utf-8").decode() == "Ærø"
    assert text_as_utf8(b"a\xff", "us-ascii") == rb"a\xff"


def test_an_encoding_in_which_lines_cannot_be_told_apart_is_refused() -> None:
    assert text_encoding(None) == "utf-8"
    assert text_encoding(SourceSettings.model_validate({"format": "csv", "charset": "ISO-8859-1"})) == "windows-1252"
    for name in ("utf-16", "martian"):
        with pytest.raises(PipelineError) as refused:
            text_encoding(SourceSettings.model_validate({"format": "csv", "encoding": name}))
        assert str(refused.value) == (
            f"files in the encoding '{name}' cannot be read: these can: utf-8, windows-1252, us-ascii; "
            f"to convert others: iconv -f {name} -t UTF-8 FILE > utf8.txt"
        )
