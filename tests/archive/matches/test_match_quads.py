"""Matches as RDF: entities that name their events and what made them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.archive import Archive
from kaicep.archive.matches import MatchLog, Provenance, match_encoder
from kaicep.language.nodes.types import ValueType
from support.archives import NINE, SECOND, STREAM, TIME, opened, readings
from support.found import (
    EVENTS_OF_A_MATCH,
    ORIGIN,
    QUERY,
    event,
    fill_with_matches,
    flushed_rows,
    matches,
)

MINUTE = timedelta(minutes=1)
OF_SENSOR = """
SELECT ?time { ?match prov:wasDerivedFrom/e:sensor "s1" ; prov:generatedAtTime ?time } ORDER BY ?time
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def quads_of(table: pa.Table, origin: Provenance, folder: Path) -> ox.Store:
    """What the rows are as RDF."""
    log = MatchLog(folder)
    assert log.append(0, [(origin, table)])
    store = ox.Store()
    store.load(
        match_encoder(log.provenance, MINUTE)(origin.query, log.log.read(origin.query)), format=ox.RdfFormat.N_QUADS
    )
    log.close()
    return store


def test_the_rdf_of_a_match(archive: Archive) -> None:
    archive.append(0, {STREAM: readings(4)})
    archive.append_matches(0, [(ORIGIN, matches([3]))])
    match = f"urn:kaicep:event:{QUERY}/{3:032x}"
    found = flushed_rows(archive, f"SELECT ?p ?o {{ <{match}> ?p ?o }} ORDER BY ?p ?o")
    evaluation = f"urn:kaicep:evaluation:{QUERY}/{ORIGIN.digest}"
    own = f"urn:kaicep:attribute:{QUERY}:"
    prov = "http://www.w3.org/ns/prov#"
    a = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    assert found == [
        (a, f"{prov}Entity"),
        (a, "urn:kaicep:Match"),
        (f"{prov}generatedAtTime", NINE + 3 * SECOND),
        (f"{prov}wasDerivedFrom", event(2)),
        (f"{prov}wasDerivedFrom", event(3)),
        (f"{prov}wasGeneratedBy", evaluation),
        (f"{own}flow", 1.5),
        (f"{own}lasts", "-PT4.5S"),
        (f"{own}note", '"3" \\ \n'),
        (f"{own}room", "http://e/Room1"),
        (f"urn:kaicep:variable:{QUERY}:a", event(2)),
        (f"urn:kaicep:variable:{QUERY}:b", event(3)),
    ]
    assert archive.query(f"ASK {{ <{match}> kaicep:attribute:pairs:room e:Room1 }}") is True
    of_evaluation = f"""SELECT ?name ?text ?version {{
        <{evaluation}> a prov:Activity ; prov:used ?query , ?version .
        ?query a kaicep:Query , prov:Entity ; rdfs:label ?name ; kaicep:text ?text . ?version a prov:Entity
        FILTER (?version != ?query) }}"""
    assert flushed_rows(archive, of_evaluation) == [(QUERY, ORIGIN.text, "urn:kaicep:knowledge:v1")]


def test_from_matches_to_events_and_back(archive: Archive) -> None:
    fill_with_matches(archive, range(1), each=8)
    assert flushed_rows(archive, EVENTS_OF_A_MATCH) == [(event(2), 1.0), (event(3), 1.5)]
    assert flushed_rows(archive, OF_SENSOR) == [(NINE + n * SECOND,) for n in (1, 2, 5, 6)]


def test_windows_contexts_lists_and_what_is_unbound(tmp_path: Path) -> None:
    moments, events = pa.struct([("start", TIME), ("end", TIME)]), pa.struct([("e", pa.list_(pa.string()))])
    table = pa.table(
        {
            "levels": pa.array([[1, 2, 2], [], None], pa.list_(pa.int64())),
            "waits": pa.array([[timedelta(seconds=1)], None, None], pa.list_(pa.duration("us"))),
            "_time": pa.array([NINE] * 3, TIME),
            "_events": pa.array([{"e": ["urn:x:1"]}, {"e": None}, {"e": []}], events),
            "_window": pa.array([{"start": NINE, "end": NINE + MINUTE}, None, None], moments),
            "_context": pa.array([["bad", "stale"], None, []], pa.list_(pa.string())),
            "_sampled": [0.1, None, None],
            "_id": ["1", "2", "3"],
        }
    )
    origin = Provenance("w", "", "", {"levels": ValueType.INTEGER, "waits": ValueType.DURATION})
    store = quads_of(table, origin, tmp_path)
    subject = ox.NamedNode("urn:kaicep:event:w/1")
    found = {(q.predicate.value, str(q.object)) for q in store.quads_for_pattern(subject, None, None)}
    whole = "http://www.w3.org/2001/XMLSchema#"
    assert found >= {
        ("urn:kaicep:attribute:w:levels", f'"1"^^<{whole}integer>'),
        ("urn:kaicep:attribute:w:levels", f'"2"^^<{whole}integer>'),
        ("urn:kaicep:attribute:w:waits", f'"PT1S"^^<{whole}dayTimeDuration>'),
        ("urn:kaicep:windowStart", f'"2012-05-07T09:00:00Z"^^<{whole}dateTime>'),
        ("urn:kaicep:windowEnd", f'"2012-05-07T09:01:00Z"^^<{whole}dateTime>'),
        ("urn:kaicep:context", '"bad"'),
        ("urn:kaicep:context", '"stale"'),
        ("urn:kaicep:sampled", f'"0.1"^^<{whole}double>'),
        ("urn:kaicep:variable:w:e", "<urn:x:1>"),
    }
    for other in "23":
        subject = ox.NamedNode(f"urn:kaicep:event:w/{other}")
        assert len(list(store.quads_for_pattern(subject, None, None))) == 4


@pytest.mark.parametrize("text", ["a b", 'x> <y> "z', "a\nb", "back\\slash", "{}"])
def test_what_is_no_iri_becomes_text_and_ends_no_quad(tmp_path: Path, text: str) -> None:
    table = matches([1]).set_column(2, "room", pa.array([text]))
    store = quads_of(table, ORIGIN, tmp_path)
    (found,) = store.quads_for_pattern(None, ox.NamedNode("urn:kaicep:attribute:pairs:room"), None)
    assert found.object == ox.Literal(text)
