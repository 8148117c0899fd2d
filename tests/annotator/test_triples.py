"""Semantic events ↔ triples: whatever the values, they come back as they were."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotator, attribute_iri
from kaicep.annotator.triples import event_quads
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase
from support.event_triples import events_from_quads

_EX = "http://example.org/"
_KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ex:Report rdfs:subClassOf ex:Event . ex:flow owl:equivalentProperty ex:flowrate .
    ex:exact rdfs:subPropertyOf ex:about . ex:r1 ex:code "one" . ex:r2 ex:code "two" ."""
)
_SETTINGS = Settings.parse(
    {
        "prefixes": {"ex": _EX},
        "streams": {
            "report": {
                "event_type": "ex:Report",
                "time": {"attribute": "at"},
                "identity": ["n"],
                "attributes": {
                    "n": {"datatype": "xsd:long"},
                    "sensor": {"property": "ex:source", "individual": "<http://example.org/s/{}/x>"},
                    "number": {"property": "ex:number", "datatype": "xsd:integer", "individual": "ex:{}"},
                    "room": {"property": "ex:room", "key": "ex:code"},
                    "exact": {"property": "ex:exact", "datatype": "xsd:string"},
                    "about": {"property": "ex:about", "key": "ex:code"},
                    "flow": {"property": "ex:flow", "datatype": "xsd:double"},
                    "price": {"property": "ex:price", "datatype": "xsd:decimal"},
                    "open": {"property": "ex:open", "datatype": "xsd:boolean"},
                    "seen": {"property": "ex:seen", "datatype": "xsd:dateTime"},
                    "my note": {"datatype": "xsd:string"},
                },
            }
        },
    }
)
_ANNOTATOR = Annotator("report", _SETTINGS, _KNOWLEDGE)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_MOMENTS = st.datetimes().map(lambda d: d.isoformat())
_ROW = st.fixed_dictionaries(
    {
        "at": _MOMENTS,
        "sensor": st.none() | _TEXT,
        "number": st.none() | st.integers(-(2**63), 2**63 - 1),
        "room": st.sampled_from(["one", "two", "three", "", None]),
        "exact": st.sampled_from(["one", "two", None]),
        "about": st.sampled_from(["one", "two", "three", None]),
        "flow": st.none() | st.floats(),
        "price": st.none() | st.floats(-1e6, 1e6),
        "open": st.none() | st.booleans(),
        "seen": st.none() | _MOMENTS,
        "my note": st.none() | _TEXT,
        "extra": st.none() | _TEXT,
    }
)


def _events(rows: list[dict[str, Any]]) -> pa.Table:
    text = ("at", "sensor", "room", "exact", "about", "seen", "my note", "extra")
    kinds = {"n": pa.int64(), "number": pa.int64(), "flow": pa.float64(), "price": pa.float64(), "open": pa.bool_()}
    schema = pa.schema([*((name, pa.string()) for name in text), *kinds.items()])
    annotated = _ANNOTATOR.annotate(
        pa.Table.from_pylist([{"n": i, **row} for i, row in enumerate(rows)], schema=schema)
    )
    assert annotated.rejected.num_rows == 0
    return annotated.events


def _comparable(events: pa.Table) -> list[dict[str, Any]]:
    rows = [
        {k: repr(v) if isinstance(v, float) else v for k, v in row.items() if k != "_row"} for row in events.to_pylist()
    ]
    return sorted(rows, key=lambda row: (row["_time"], row["_id"]))


@pytest.mark.slow
@given(st.lists(_ROW, max_size=5))
def test_what_is_written_is_read_back(rows: list[dict[str, Any]]) -> None:
    """Parsing the N-Quads gives the event table, in total order; no value, null or extra attribute is lost."""
    events = _events(rows)
    back = events_from_quads(_ANNOTATOR.shape, event_quads(_ANNOTATOR.shape, events))
    assert set(back.column_names) == set(events.column_names) - {"_row"}
    assert [{k: repr(v) if isinstance(v, float) else v for k, v in row.items()} for row in back.to_pylist()] == [
        {name: row[name] for name in back.column_names} for row in _comparable(events)
    ]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.lists(_ROW, min_size=1, max_size=3))
def test_a_store_gives_the_same_events_back(rows: list[dict[str, Any]]) -> None:
    """Oxigraph spells numbers and moments in its own way; the values stay."""
    events = _events(rows)
    store = ox.Store()
    store.load(
        event_quads(_ANNOTATOR.shape, events, pl.repeat("urn:g", events.num_rows, eager=True)), ox.RdfFormat.N_QUADS
    )
    back = events_from_quads(_ANNOTATOR.shape, store.dump(format=ox.RdfFormat.N_QUADS) or b"")
    for row, wanted in zip(
        back.to_pylist(), sorted(events.to_pylist(), key=lambda r: (r["_time"], r["_id"])), strict=True
    ):
        for name in back.column_names:
            same = row[name] == wanted[name]
            assert same or (isinstance(row[name], float) and math.isnan(row[name]) and math.isnan(wanted[name])), name


def test_triples_are_those_of_the_event() -> None:
    """Types and superclasses, equivalents and superproperties, individuals or literals, and what has no property."""
    events = _events(
        [{"at": "2012-05-07T09:30:00.5", "sensor": "a b", "room": "one", "about": "x", "flow": 2.5, "z": 1}]
    )
    lines = event_quads(_ANNOTATOR.shape, events, pl.Series(["urn:g"])).decode().splitlines()
    event = "<urn:kaicep:event:report/0>"
    own = {name: f"<{attribute_iri('report', name)}>" for name in ("n", "at", "room", "about", "_extra")}
    double = "<http://www.w3.org/2001/XMLSchema#double>"
    long = "<http://www.w3.org/2001/XMLSchema#long>"
    moment = "<http://www.w3.org/2001/XMLSchema#dateTime>"
    rdf_type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert sorted(lines) == sorted(
        f"{event} {rest} <urn:g> ."
        for rest in (
            f"{rdf_type} <{_EX}Report>",
            f"{rdf_type} <{_EX}Event>",
            f'{own["at"]} "2012-05-07T09:30:00.500Z"^^{moment}',
            f'{own["n"]} "0"^^{long}',
            f"<{_EX}source> <{_EX}s/a%20b/x>",
            f"<{_EX}room> <{_EX}r1>",
            f'{own["room"]} "one"',
            f'<{_EX}about> "x"',
            f'{own["about"]} "x"',
            f'<{_EX}flow> "2.5"^^{double}',
            f'<{_EX}flowrate> "2.5"^^{double}',
        )
    )
