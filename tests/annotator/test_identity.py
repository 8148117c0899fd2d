"""Event ids are made of the identity attributes, else of a digest of the whole tuple."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any
from urllib.parse import quote

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.identity import exclude_ids
from kaicep.annotator.linking.iri_template import quote_distinct
from support.annotators import annotator_of

_VALUES = {
    "s": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "i": st.none() | st.integers(-(2**63), 2**63 - 1),
    "d": st.none() | st.floats() | st.floats(1e-6, 1e-3) | st.floats(1e14, 1e18),
    "b": st.none() | st.booleans(),
    "at": st.datetimes(),
    "x": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
}


_TYPES = {
    "s": pa.string(),
    "i": pa.int64(),
    "d": pa.float64(),
    "b": pa.bool_(),
    "at": pa.timestamp("us"),
    "x": pa.string(),
}


_DATATYPES = {"s": "xsd:string", "i": "xsd:integer", "d": "xsd:double", "b": "xsd:boolean"}


def _segment(value: object) -> str:
    match value:
        case None:
            return "!"
        case bool():
            return "true" if value else "false"
        case datetime():
            micros = (value - datetime(1970, 1, 1)) // (datetime.resolution)  # noqa: DTZ001 - naive means UTC here
            return quote(str(micros), safe="")
        case float():
            return quote(repr(value), safe="")
        case _:
            return quote(str(value), safe="")


@pytest.mark.slow
@given(st.lists(st.fixed_dictionaries(_VALUES), min_size=1, max_size=6))
def test_ids(rows: list[dict[str, Any]]) -> None:
    """Ids are made of the identity attributes' canonical texts, else of the digest of the whole tuple."""
    raw = pa.Table.from_pylist(rows, schema=pa.schema(list(_TYPES.items())))
    attributes = {name: {"datatype": datatype} for name, datatype in _DATATYPES.items()}
    named = annotator_of(attributes, ("d", "s", "at", "b", "i"), name="my stream").annotate(raw).events
    assert named.column("_id").to_pylist() == [
        "urn:kaicep:event:my%20stream/" + "/".join(_segment(row[k]) for k in ("d", "s", "at", "b", "i")) for row in rows
    ]
    digested = annotator_of(attributes).annotate(raw).events
    for row, event in zip(rows, digested.to_pylist(), strict=True):
        extra = None if row["x"] is None else json.dumps({"x": row["x"]}, ensure_ascii=False, separators=(",", ":"))
        assert event["_extra"] == extra
        text = "/".join([*(_segment(row[k]) for k in ("at", "s", "i", "d", "b")), _segment(extra)])
        assert event["_id"] == "urn:kaicep:event:report/" + hashlib.md5(text.encode()).hexdigest()  # noqa: S324 - as specified


def test_events_of_known_ids_are_excluded() -> None:
    """Also where ids are dictionaries; without such an event the table itself comes back."""
    events = pa.table({"_id": pa.array(["a", "b", "c"]).dictionary_encode(), "x": [1, 2, 3]})
    assert exclude_ids(events, pl.Series(["c", "a", "z"]))["x"].to_pylist() == [2]
    assert exclude_ids(events, pl.Series(["z"])) is events
    assert exclude_ids(events, pl.Series([], dtype=pl.String)) is events


def test_only_unreserved_characters_stay() -> None:
    """RFC 3986: letters, digits and `-._~`."""
    found = quote_distinct(pl.Series(["a-Z_0.~", "x/y z", None, "ü%"]))
    assert found.to_list() == ["a-Z_0.~", "x%2Fy%20z", None, "%C3%BC%25"]
