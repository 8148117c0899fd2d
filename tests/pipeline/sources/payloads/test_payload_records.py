"""Documents as raw records, from files, topics and messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep import Project
from kaicep.config import Settings
from kaicep.pipeline.sources import read_batches, read_file, source_streams
from kaicep.pipeline.sources.payloads import parse_payloads, payload_items
from kaicep.pipeline.sources.payloads.payload_table import PAYLOADS
from kaicep.pipeline.sources.records import RecordOrigin, table_of_dicts

PACK = [{"bn": "s1:", "bt": 1.6e9, "n": "t", "v": 1}, {"n": "t", "t": 60, "v": 2}]
ORIGIN = RecordOrigin.of("in/1.jsonl", "{name}:{number}")


def settings(**source: Any) -> Settings:
    stream = {
        "event_type": "<urn:R>",
        "time": {"attribute": "t", "format": "epoch_s"},
        "attributes": {"n": {"datatype": "xsd:string"}, "v": {"datatype": "xsd:double"}},
        "source": {"format": "json", "path": "in", "payload": "senml", **source},
    }
    return Settings.parse({"streams": {"air": stream}}, root=Path("/none"))


NAMES = (
    *("n", "v", "vs", "bn", "bt", "t", "u", "x_"),
    *(
        "@context",
        "@type",
        "@id",
        "@graph",
        "@value",
        "@reverse",
        "resultTime",
        "hasResult",
        "hasMember",
        "hasSimpleResult",
    ),
    *("id", "type", "value", "object", "observedAt", "unitCode", "datasetId", "data", "temperature"),
)
TEXTS = (
    "",
    "a",
    "\ud800",
    "\0",
    "urn:a",
    "_:b",
    "Property",
    "Notification",
    "sosa:Observation",
    "2026-01-01T00:00:00Z",
)
SCALARS = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.sampled_from(TEXTS)
VALUES = st.recursive(SCALARS, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.sampled_from(NAMES), of))
HEADS: tuple[dict[str, Any], ...] = (
    {"n": "a", "bt": 1.8e9, "bv": 0.5, "v": 10**400},
    {"n": "a", "bt": 1.8e9},
    {"@type": "sosa:Observation"},
    {"id": "urn:a", "type": "T"},
)


@given(VALUES, st.sampled_from(sorted(PAYLOADS)), st.sampled_from(HEADS), st.booleans(), st.none() | st.just(1.8e9))
def test_any_json_is_records_or_a_reason(
    value: object, payload: str, head: dict[str, Any], array: bool, received: float | None
) -> None:
    """Whatever else it raised would end the batch, and each one that delivers it again."""
    document = head | value if isinstance(value, dict) else {**head, "temperature": value, "hasResult": value}
    found = payload_items(json.dumps([document] if array else document), payload, received)
    assert isinstance(found, str) or table_of_dicts(found).num_rows == len(found)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ("senml", r'[{"n": "a", "bt": 1.8e9, "vs": "\ud800"}]'),
        ("sosa", r'{"@type": "sosa:Observation", "hasSimpleResult": "\ud800"}'),
        ("ngsi-ld", r'{"id": "urn:a", "type": "T", "x": {"value": {"y": "\ud800"}}}'),
    ],
)
def test_halves_of_surrogate_pairs_are_told(payload: str, text: str) -> None:
    assert payload_items(text, payload, None) == "no text: half of a surrogate pair"


def test_a_document_has_as_many_records_as_measurements() -> None:
    texts = pa.array([json.dumps(PACK), "", "oops", "{}", "[" * 2000])
    batch = parse_payloads(texts, ORIGIN, "senml")
    assert batch.table.select(["n", "t", "v"]).to_pylist() == [
        {"n": "s1:t", "t": 1.6e9, "v": 1},
        {"n": "s1:t", "t": 1.6e9 + 60, "v": 2},
    ]
    assert [batch.place(row) for row in (0, 1)] == ["in/1.jsonl:1", "in/1.jsonl:1"]
    assert batch.text(1) == json.dumps(PACK)
    wrong = {each.place: each.reason for each in batch.malformed}
    assert wrong["in/1.jsonl:3"].startswith("no JSON: ")
    assert wrong["in/1.jsonl:4"] == "no senml: a pack is an array of records"
    assert "deep" in wrong["in/1.jsonl:5"]


@pytest.mark.parametrize("multi", [False, True])
def test_a_file_has_a_document_a_line_or_is_one(tmp_path: Path, *, multi: bool) -> None:
    file = tmp_path / "1.json"
    file.write_text(json.dumps(PACK, indent=1) if multi else f"{json.dumps(PACK)}\n{json.dumps(PACK)}\n")
    own = settings(multiLine=multi)
    expected = [1, 2] if multi else [1, 2, 1, 2]
    assert source_streams(own)["air"].files([str(file)]).table["v"].to_pylist() == expected
    assert read_file(file, own.streams["air"]).table["v"].to_pylist() == expected
    (batch,) = read_batches(file, own.streams["air"], lambda _: None)
    assert batch.table["v"].to_pylist() == expected


def test_what_a_document_says_is_an_event(tmp_path: Path) -> None:
    """From a file to a row."""
    file = tmp_path / "pack.json"
    file.write_text(json.dumps(PACK))
    project = Project.of(settings())
    rows = project.evaluate("SELECT ?e.n AS n, ?e.v AS v FROM (?e, air) FILTER (?e.v > 1)", {"air": file})
    assert [(row["n"], row["v"]) for row in rows] == [("s1:t", 2.0)]


def test_other_formats_have_no_documents() -> None:
    with pytest.raises(Exception, match="documents of senml are JSON, and not 'csv'"):
        settings(format="csv")
