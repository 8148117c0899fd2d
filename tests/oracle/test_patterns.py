"""Putting an event into a pattern that was read before is the same as writing its id into the text."""

from __future__ import annotations

import pytest
from rdflib import Graph, URIRef
from rdflib.plugins.sparql.sparql import Query

from oracle.patterns import read_pattern, with_event

GRAPH = Graph().parse(
    format="turtle",
    data="""@prefix : <urn:x:> . :a :in :r ; :flow 5 . :b :in :s ; :flow 7 . :r a :Office ; :cap 6 . :s :cap 6 , 8 .""",
)
PATTERNS = [
    "?e :in ?r . ?r a :Office",
    "?e :in/:cap ?c",
    "?e :flow ?f . ?e :in ?r . ?r :cap ?c FILTER (?f > ?c)",
    "?e :in ?r OPTIONAL { ?r a ?t }",
    "{ ?e :flow 5 } UNION { ?e :in ?r . ?r :cap 8 }",
    "?e :in ?r FILTER NOT EXISTS { ?r a :Office . ?e :flow ?f }",
    "?e :in ?r MINUS { ?e :flow 5 }",
    "?r :cap ?c FILTER (STRENDS(STR($e), 'b'))",
    "BIND (STR(?e) AS ?c) ?e :in ?r",
    "?e :in ?r . VALUES ?c { 6 7 }",
    "{ SELECT ?r (MAX(?x) AS ?c) { ?e :in ?r . ?r :cap ?x } GROUP BY ?r }",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("event", ["urn:x:a", "urn:x:b"])
def test_an_event_in_its_place(pattern: str, event: str) -> None:
    text = pattern.replace(" :", " urn:x:").replace("/:", "/urn:x:")
    text = " ".join(f"<{w}>" if w.startswith("urn:x:") and "/" not in w else w for w in text.split(" "))
    text = text.replace("urn:x:in/urn:x:cap", "<urn:x:in>/<urn:x:cap>")
    written = text.replace("?e ", f"<{event}> ").replace("(?e)", f"(<{event}>)").replace("$e", f"<{event}>")
    expected = solutions(f"SELECT DISTINCT ?r ?c WHERE {{ {written} }}")
    assert solutions(with_event(read_pattern(text, "e", ("r", "c")), URIRef(event))) == expected
    holds = with_event(read_pattern(text, "e", ()), URIRef(event))
    assert GRAPH.query(holds).askAnswer is bool(expected)


def solutions(query: str | Query) -> list[dict[str, str]]:
    found = GRAPH.query(query).bindings
    return sorted(({str(k): str(v) for k, v in row.items()} for row in found), key=str)
