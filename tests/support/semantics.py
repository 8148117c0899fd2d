"""Random PATHs over one stream, with the knowledge and the events that they are asked of."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from kaicep.config import Settings
from kaicep.language.nodes import Subquery
from kaicep.ontology import KnowledgeBase

from .prefixes import turtle_head
from .subqueries import PREFIXES, subquery

__all__ = ["EVENTS", "SETTINGS", "flat_paths", "knowledge_bases", "nested_paths", "raw_table"]

SETTINGS = Settings.parse(
    {
        "prefixes": PREFIXES,
        "streams": {
            "airflowReport": {
                "event_type": "evt:AirflowReport",
                "time": {"attribute": "timestamp", "property": "evt:hasTime"},
                "identity": ["number"],
                "attributes": {
                    "number": {"datatype": "xsd:integer"},
                    "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"},
                    "zone": {"property": "evt:inZone", "key": "bd:code"},
                    "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
                    "count": {"property": "evt:count", "datatype": "xsd:integer"},
                    "note": {"property": "evt:note", "datatype": "xsd:string"},
                },
            }
        },
    }
)
_SCHEMA = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
hvc:airflow a owl:DatatypeProperty ; owl:equivalentProperty hvc:flowrate .
evt:hasSource rdfs:subPropertyOf evt:about . evt:AirflowReport rdfs:subClassOf evt:Event .
hvc:Limit hvc:hasValue 2 . bd:r0 bd:code "z0" . bd:r1 bd:code "z1" .
"""
_FACTS = tuple(
    f"{s} {p} {o} ."
    for s, p, o in [
        *((f"ee:s{i}", "bd:hasLocation", f"bd:r{j}") for i in range(3) for j in range(2)),
        *((f"bd:r{i}", "bd:belongsTo", f"org:d{j}") for i in range(2) for j in range(2)),
        *((f"bd:r{i}", "bd:near", f"bd:r{j}") for i in range(2) for j in range(2)),
        *((f"bd:r{i}", "bd:capacity", c) for i in range(2) for c in ("1", "2.5", "3.0e0", '"many"', "org:d0")),
        *((f"bd:r{i}", "a", "bd:Office") for i in range(2)),
        *((f"ee:s{i}", "a", "ee:AirflowSensor") for i in range(3)),
        ("bd:r0", "evt:note", '"hot"'), ("ee:s1", "evt:count", "2"), ("ee:s0", "evt:hasSource", "ee:s1"),
        ("ee:s2", "a", "evt:Event"), ("hvc:Limit", "hvc:hasValue", "3"),
    ]
)  # fmt: skip

_EVENT_TRIPLES = (
    "?e evt:hasSource ?a", "?e evt:about ?a", "?e evt:inZone ?b", "?e evt:inZone/bd:belongsTo ?c",
    "?e evt:hasSource/bd:hasLocation ?b", "?e hvc:airflow ?v", "?e hvc:flowrate ?v",
    "?e evt:count ?n", "?e evt:note ?t",
    "?e evt:count ?v", "?e evt:note ?a", "?e rdf:type evt:Event", "?e rdf:type evt:Other", "?e rdf:type ?k",
    "?e evt:hasSource ee:s1", "?e evt:count 2", '?e evt:note "hot"', "?e evt:hasSource|evt:inZone ?a",
    "?e evt:hasSource/bd:hasLocation/bd:near+ ?b", "?e ?p ?a", "?e evt:hasSource/bd:near* ?a", "?e evt:about ?b",
)  # fmt: skip
_OTHER_TRIPLES = (
    "?a rdf:type ee:AirflowSensor", "?a bd:hasLocation ?b", "?b rdf:type bd:Office", "?b bd:belongsTo org:d0",
    "?b bd:belongsTo ?c", "?b bd:capacity ?m", "hvc:Limit hvc:hasValue ?g", "?b bd:near ?c", "?b bd:near* ?c",
    "?x evt:hasSource ?a", "?x evt:count ?n", "bd:r0 evt:note ?t", "?a ^evt:hasSource ?x", "?a !bd:near ?c",
    "bd:r0 bd:capacity ?q", "org:d1 ^bd:belongsTo ?w", "ee:s1 evt:count ?n", "?c ^bd:belongsTo ?b", "?a rdf:type ?k",
    "?b bd:near? ?c", "?x rdf:type evt:Event", "?a (bd:hasLocation|evt:hasSource)+ ?c", "?b bd:code ?t",
    "bd:r1 bd:capacity/bd:near ?w",
)  # fmt: skip
_FILTERS = (
    "FILTER (?v > 2)", "FILTER (?v > ?m)", "FILTER (?v > ?g)",
    "FILTER (?v + 1 <= ?g * 2 || ?v = 3)", "FILTER (!(?v < ?m))",
    "FILTER (?n = 2)", "FILTER (?a != ?b)", "FILTER (?n != ?m)",
    'FILTER (?t = "hot")', 'FILTER (?t != "hot" && ?v >= 1.5)',
    "FILTER (?v > ?n)", "FILTER (?m * 2 > ?v)", "FILTER (?v * 2 > ?m - 1)", "FILTER (?q > 1)", "FILTER (-?v < -1.0)",
    "FILTER (STRLEN(?t) > 2)", "FILTER (?n / 2 > 0.5)", "FILTER (?v IN (1.0e0, 3.0e0))",
    "FILTER (?m = ?v)", "FILTER (?n > ?q)",
    "FILTER (?v > ?m + ?g)", "FILTER (1 < 2)", "FILTER (?z > 1)",
)  # fmt: skip
_GROUPS = (
    "OPTIONAL { ?b bd:capacity ?m }", "OPTIONAL { ?e evt:note ?t }", "FILTER NOT EXISTS { ?a bd:hasLocation ?b }",
    "FILTER EXISTS { ?e evt:note ?t }", "MINUS { ?a bd:hasLocation bd:r0 }",
    "MINUS { ?e evt:count 2 . ?a bd:hasLocation ?b }",
    "{ ?e evt:hasSource ?a } UNION { ?e evt:inZone ?a }", "BIND (?v * 2 AS ?h)", "VALUES ?a { ee:s0 ee:s1 }",
    "{ SELECT ?a (COUNT(?b) AS ?y) { ?a bd:hasLocation ?b } GROUP BY ?a }",
    "{ SELECT (COUNT(?i) AS ?r) { ?e ?i ?j } }", "{ OPTIONAL { ?e evt:note ?t } }", "OPTIONAL { ?x evt:hasSource ?a }",
    "{ ?a bd:hasLocation ?b OPTIONAL { ?e evt:count ?n } }", "FILTER NOT EXISTS { ?x evt:count ?n FILTER (?x != ?e) }",
    "{ ?e evt:count ?n } UNION { ?a bd:hasLocation ?b }", "FILTER NOT EXISTS { ?e evt:count ?n FILTER (?n > 1) }",
    "OPTIONAL { ?a bd:hasLocation ?b FILTER (?b != bd:r0) }", "FILTER (EXISTS { ?e evt:note ?t } || ?v > 2)",
    "BIND (STRLEN(STR(?e)) AS ?l)",
)  # fmt: skip
_NAMES = tuple("abcghklmnqrtvwy")


@st.composite
def flat_paths(draw: st.DrawFn) -> Subquery:
    """Triples and FILTERs."""
    triples = draw(st.lists(st.sampled_from(_EVENT_TRIPLES), min_size=1, max_size=3, unique=True))
    triples += draw(st.lists(st.sampled_from(_OTHER_TRIPLES), max_size=3, unique=True))
    filters = draw(st.lists(st.sampled_from(_FILTERS), max_size=2, unique=True))
    return _subquery(draw, [f"{t} ." for t in triples] + filters)


@st.composite
def nested_paths(draw: st.DrawFn) -> Subquery:
    """Triples, other groups, FILTERs."""
    parts = [
        f"{t} ." for t in draw(st.lists(st.sampled_from(_EVENT_TRIPLES[:11]), min_size=1, max_size=2, unique=True))
    ]
    parts += [f"{t} ." for t in draw(st.lists(st.sampled_from(_OTHER_TRIPLES[:10]), max_size=1))]
    parts += draw(st.lists(st.sampled_from(_GROUPS), min_size=1, max_size=2, unique=True))
    parts += draw(st.lists(st.sampled_from(_FILTERS[:9]), max_size=1))
    return _subquery(draw, parts)


def _subquery(draw: st.DrawFn, parts: list[str]) -> Subquery:
    text = " ".join(parts)
    free = [n for n in _NAMES if f"?{n}" in text]
    return subquery(text, draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else ())


_ROWS = st.fixed_dictionaries(
    {
        "sensorID": st.sampled_from(["s0", "s1", "s2", "s 9", '"> . ?x ?y ?z', None]),
        "zone": st.sampled_from(["z0", "z1", "nowhere", None]),
        "flowrate": st.sampled_from([0.5, 1.0, 2.0, 2.5, 3.0, None]),
        "count": st.sampled_from([1, 2, 3, None]),
        "note": st.sampled_from(["hot", "z0", 'a\n"b\\', None]),
    }
)
EVENTS = st.lists(_ROWS, min_size=1, max_size=8)


@st.composite
def knowledge_bases(draw: st.DrawFn) -> KnowledgeBase:
    """Some facts about sensors and rooms; some of them about events."""
    facts = draw(st.lists(st.sampled_from(_FACTS), max_size=14, unique=True))
    prefixes = turtle_head(PREFIXES)
    return KnowledgeBase.of_turtle(prefixes + _SCHEMA + "\n".join(facts))


def raw_table(rows: list[dict[str, Any]]) -> pa.Table:
    """The tuples of `EVENTS` as a table; `number` is the row."""
    stamped = [{"timestamp": "2012-05-07T00:00:00Z", "number": i, **row} for i, row in enumerate(rows)]
    schema = pa.schema(
        [(n, pa.string()) for n in ("timestamp", "sensorID", "zone", "note")]
        + [("number", pa.int64()), ("flowrate", pa.float64()), ("count", pa.int64())]
    )
    return pa.Table.from_pylist(stamped, schema=schema)
