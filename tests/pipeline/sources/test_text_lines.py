"""Lines before their parser: what is no text is set apart, blank ones are none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from kaicep import PipelineError
from kaicep.config import SourceSettings
from kaicep.pipeline.sources.records import RecordOrigin
from kaicep.pipeline.sources.text_lines import join, split_off_invalid_text, text_encoding, without_blank_lines


def test_what_is_no_utf8_is_malformed_at_its_place() -> None:
    lines = pa.array([b"a", b"\xff", b"c"], pa.binary()).view(pa.string())
    kept, numbers, malformed = split_off_invalid_text(lines, RecordOrigin.of("in", "{name}:{number}"))
    assert (kept.to_pylist(), numbers.tolist()) == (["a", "c"], [0, 2])
    assert [(m.text, m.reason, m.place) for m in malformed] == [
        ("\\xff", """no UTF-8: if it is ISO-8859-1, add encoding = "ISO-8859-1" to the stream's source""", "in:2")
    ]


def test_blank_lines_and_a_byte_order_mark_go() -> None:
    kept, numbers = without_blank_lines(pa.array(["\ufeffa", "", " \t", "b"]), np.arange(4))
    assert (kept.to_pylist(), numbers.tolist()) == (["a", "b"], [0, 3])
    assert join(kept).to_pybytes() == b"a\nb"


def test_an_encoding_in_which_lines_cannot_be_told_apart_is_refused() -> None:
    assert text_encoding(None) == "utf-8"
    assert text_encoding(SourceSettings.model_validate({"format": "csv", "charset": "ISO-8859-1"})) == "iso-8859-1"
    with pytest.raises(PipelineError) as refused:
        text_encoding(SourceSettings.model_validate({"format": "csv", "encoding": "utf-16"}))
    assert str(refused.value) == ("files in the encoding 'utf-16' cannot be read: use utf-8 or iso-8859-1 or us-ascii")
