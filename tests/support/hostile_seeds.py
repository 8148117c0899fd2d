"""What hostile input is made of: well-formed files of every kind, the words of their languages, what nests in them."""

# ruff: noqa: E501 - tables of words

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from .hostile_input import VALUES, hostile, respelled
from .hostile_targets import ANNOTATION, EVENTS, MODEL, PROJECT
from .manual import PAGE, examples

__all__ = ["SEEDS", "STRATEGIES", "WELL_FORMED"]

_NESTED = [event | {"x": {"a": [1, {"b": None}]}} for event in EVENTS[:3]]
_LINES = "\n".join(map(json.dumps, _NESTED)).encode()
_ARRAY = json.dumps(_NESTED, indent=1).encode()
_IN_JSON = ((b"[", b"]"), (b'{"a":', b"}"), (b'[{"b":[', b"]}]"), (b'"', b'"'))
_JSON_WORDS = (
    b'{"sensor":"s1","at":"2026-01-01T00:00:05Z","flow":1}', b'"flow":', b'"at":', b'"sensor":', b"[]", b"{}", b"null",
    b'""', b":", b"}{", b"\n", b'{"a":1,"a":2}',
)  # fmt: skip

_ROWS = "".join(f'{e["sensor"]},{e["at"]},{e["flow"]},"{e["count"]}",true\n' for e in EVENTS[:4])
_CSV = f"sensor,at,flow,count,on\n{_ROWS}".encode()
_TSV = _CSV.replace(b",", b"\t") + "s1\t2026-01-01T00:00:09Z\t1\tä\t\u20ac\n".encode("windows-1252")
_WIDE = b"at;s1;s2\n2026-01-01 00:00;1,5;2\n2026-01-01 00:01;2,5;\n"
_IN_CSV = ((b'"', b'"'), (b"a,", b",a"))
_CSV_WORDS = (
    b"sensor", b"at", b"flow", b"\n", b",,,", b'""', b";", b"|", b'"a\n"', b"s1,2026-01-01T00:00:09Z,1,1,true\n", b"1,5",
)  # fmt: skip


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([event | {"x": {"a": [1]}} for event in EVENTS[:4]]), buffer)
    return buffer.getvalue()


_QUERIES = [example.text.encode() for example in examples(PAGE.read_text(encoding="utf-8"))]
_FLOWS = (
    b"SELECT ?e.flow FILTER (?e.flow > 5 unit:L-PER-SEC AND ?e.count IN (1, 2, 3) OR NOT BOUND(?e.on))",
    b"SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n WINDOW (?e, sliding, 5s) GROUP BY ?e.sensor HAVING (COUNT(?e) > 1)",
    b"SELECT MAX(?e.flow) WITHIN [2026-01-01, 2026-01-02) WINDOW (?e, hopping, 10s, 5s)",
    b"SELECT ?a.flow, LIST(?b.flow) AS all FROM (?a, air), (?b, air), (?c, air) JOIN (?a.sensor = ?b.sensor) SEQ (?a -> ?b{1,3}~, NOT ?c) WINDOW (?a, ?b, 10s) AFTER MATCH SKIP PAST LAST EVENT LIMIT 5",
    b"SELECT ?e.sensor, ?r PATH { ?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Lab . FILTER (?r != ex:Room2) }",
    b"CREATE QUERY high AS SELECT ?e.flow AS f FILTER (?e.flow > 5)\nSELECT ?h.f FROM (?h, high)",
)
_IN_QUERIES = (
    (b"(", b")"), (b"NOT (", b")"), (b"-", b""), (b"NOT ", b""), (b"ABS(", b")"), (b"{", b"}"), (b"?a, (", b")"),
    (b"(?a AND ", b")"), (b"(?a OR ", b")"), (b"PATH { ", b" }"), (b"{ OPTIONAL ", b"}"), (b"IF(true, ", b", 1)"), (b"1 + ", b""),
    (b"?e.flow > 1 AND ", b""), (b"?e.flow > 1 OR ", b""), (b"FILTER (?e.flow > 1) ", b""), (b"/* ", b" */"),
    (b"SELECT ?e.flow ", b""), (b"CREATE QUERY q AS ", b""),
)  # fmt: skip
_QUERY_WORDS = (
    b"SELECT", b"DISTINCT", b"FILTER", b"JOIN", b"SEQ", b"WINDOW", b"WITHIN", b"PATH", b"GROUP BY", b"HAVING", b"PARTITION BY ?e.sensor",
    b"AFTER MATCH CONSUME", b"LIMIT 99999999999999999999", b"POLICY strict", b"OUTPUT LAST EVERY 0s", b"?e", b"?e.flow", b"?e.ex:flow",
    b"?e._time", b"?e.nothing", b"now", b"5s", b"0s", b"1e9 week", b"99999999999 week", b"1ms", b"5 events", b"0 events", b"1e300",
    b"{0}", b"{5,2}", b"{1000000}", b"{0,100}", b"+", b"*", b"~", b"->", b"=>", b"->>", b"AND", b"OR", b"NOT ?n FOR 5s", b"IN ()",
    b"UNTIL (?e.flow > 3)", b"RUNNING AVG(?b.flow)", b"PREV(?b.flow)", b"PERCENTILE(?e.flow, 101)", b"REGEX(STR(?e.sensor), '(a+)+$')",
    b"REGEX('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a|a)*$')", b"LOCAL(?e._time, 'Nowhere')", b"CONVERT(?e.flow, unit:K)",
    b"unit:NOTHING", b"<urn:ex:\\u0000>", b"'''", b"% 0", b"/ 0", b"9999-12-31T23:59:59Z + 1d", b"[,)", b"PREFIX : <>",
    b"FROM (?e, air), (?e, air)", b"FROM (?x, nothing)", b"sliding, 1000d, 1ms", b"hopping, 1d, 20ms", b"session, 0s",
)  # fmt: skip

_QUERY_CLASSES = {
    rb"\b\d+(?:\.\d+)?(?:e\d+)? ?(?:ms|sec|s|min|h|hour|d|day|week)\b": (
        b"0s", b"1ms", b"0.5ms", b"1s", b"36500d", b"999999999 week", b"1e3s", b"3652058d", b"1 min",
    ),
    rb"\b\d+ events\b": (b"0 events", b"1 events", b"99999999999999999999 events", b"5s"),
    rb"\{\d*,?\d*\}": (b"{0}", b"{0,0}", b"{2,1}", b"{1,}", b"{0,50}", b"{64}", b"{99999}", b"+", b"*?", b"*~", b"?", b"{2,4; =>}"),
    rb"\b\d[\d.e-]*\b": (b"0", b"-1", b"1e308", b"1e-320", b"9223372036854775807", b"9999999999999999999999", b"0.1", b"00", b"1e5"),
    rb"\?\w+\.[\w:]+": (b"?e.flow", b"?e.count", b"?e.sensor", b"?e.on", b"?e._time", b"?a.flow", b"?b.count", b"?a.sensor", b"?e.ex:flow", b"?b.x", b"?a.x"),
    rb"\b(?:AVG|MAX|MIN|SUM|COUNT|LIST|FIRST|LAST|STDDEV|MEDIAN|MODE)\b": (
        b"AVG", b"SUM", b"STDDEV", b"MEDIAN", b"MODE", b"LIST", b"FIRST", b"LAST", b"COUNT", b"ABS", b"YEAR", b"STR", b"RUNNING SUM", b"COUNT(DISTINCT",
    ),
    rb"->>|->|=>": (b"->", b"=>", b"->>", b",", b"AND", b"OR"),
    rb"<=|>=|!=|[<>=]": (b"<", b"=", b"!=", b">=", b"IN", b"+", b"%", b"/"),
    rb"\b(?:AND|OR)\b": (b"AND", b"OR", b", NOT ?n,", b"->"),
    rb"\b(?:sliding|hopping|batch|session|cumulate)\b": (b"sliding", b"hopping", b"batch", b"session", b"cumulate"),
    rb"\b(?:SKIP[A-Z ]+|CONSUME|KEEP ALL)\b": (b"CONSUME", b"SKIP TO NEXT EVENT", b"SKIP TO LAST ?b", b"KEEP ALL"),
    rb"'[^']*'": (b"''", b"'(a+)+$'", b"'\\\\'", b"'x'", b"'" + b"x" * 70_000 + b"'", "'\u202e\U0001f600'".encode()),
    rb"\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?": (b"9999-12-31", b"0001-01-01", b"2026-01-01T00:00:05Z", b"2026-02-30"),
    rb"\bunit:[\w-]+": (b"unit:K", b"unit:DEG_C", b"unit:FT3-PER-MIN", b"unit:NOTHING"),
}  # fmt: skip
"""Kinds of words of χ-CEP."""
_SPARQL_CLASSES = {
    rb"\b\d+\b": (b"0", b"1e308", b"99999999999999999999", b"'x'", b"ex:x"),
    rb"\?\w": (b"?s", b"?e", b"?a", b"?f", b"ex:Room1", b"_:b"),
    rb"ex:\w+": (b"ex:p*", b"ex:in/ex:has*", b"(ex:p|!ex:q)+", b"^ex:in", b"a", b"?p", b"<urn:x>"),
    rb"\b(?:OPTIONAL|MINUS|UNION|FILTER EXISTS|GRAPH \?g)\b": (b"OPTIONAL", b"MINUS", b"UNION", b"FILTER NOT EXISTS", b"GRAPH ?g", b"SERVICE ?g"),
    rb"\b(?:AVG|COUNT|REGEX|STR)\b": (b"SUM", b"MAX", b"SAMPLE", b"GROUP_CONCAT", b"STRLEN", b"YEAR", b"IRI", b"BNODE"),
    rb"'[^']*'": (b"'(a+)+$'", b"''", b"'\\u0000'", b"'" + b"x" * 70_000 + b"'"),
    rb"&&|\|\||[<>=+]": (b"&&", b"||", b"=", b"+", b"/", b"IN"),
}  # fmt: skip
"""Kinds of words of SPARQL."""
_VALUE_CLASSES = {
    rb'"[^"]*"': (*(b'"' + value + b'"' for value in VALUES if len(value) < 1_000), b'"sensor"', b'"at"', b'"s1"', b"1", b"{}", b"[[]]", b"null"),
    rb"-?\b\d[\d.eE+-]*\b": (b"0", b"-1", b"1e308", b"1e400", b"9223372036854775808", b"9" * 400, b'"9"', b"NaN", b"1.0", b"true", b"{}", b"[1]"),
    rb"\b(?:true|false|null)\b": (b"true", b"null", b"0", b'"true"', b"{}"),
}  # fmt: skip
"""Kinds of values of JSON."""
_CELL_CLASSES = {rb"[^,;\n\"]+": (*(value for value in VALUES if len(value) < 1_000), b"1,5", b"1.5", b'"1"', b"s1")}

_KEYS = (
    PROJECT % 'source = { format = "json", path = "in/" }\nlateness = "5s"\nmax_ahead = "1h"',
    '[queries]\nfiles = ["*.chi"]\n[engine]\ntrigger = "1s"\nidle_timeout = "never"\n' + PROJECT % "",
)
_IN_TOML = ((b"[", b"]"), (b"{ a = ", b" }"), (b"a.", b""), (b'"""', b'"""'), (b"[a", b"]\n"), (b"[[a", b"]]\n"))
_TOML_WORDS = (
    b'"never"', b'"99999999 week"', b'"1e9 s"', b'"1e99 TB"', b"{}", b"[]", b"1979-05-27T07:32:00Z", b"inf", b"nan", b"''", b'"*"',
    b'"**/*"', b'"/"', b'"/dev/zero"', b'"http://x/"', b'"ex:{}{}"', b'"unit:NOTHING"', b'"xsd:nothing"', b'"<a b>"', b'"%Q"', b'"iso"',
    b'"epoch_s"', b'"hermit"', b"[knowledge]\n", b'[streams."a/../b"]\n', b"[streams.'']\n", b'annotation = "kaicep.toml"\n',
    b'format = "kafka"', b'unpivot = { name = "sensor", value = "sensor" }', b'same_as = "ex:flow"', b'key = "ex:at"',
)  # fmt: skip

_TURTLE = (
    MODEL.encode()
    + b"""
:Lab rdfs:subClassOf :Room ; owl:equivalentClass [ a owl:Restriction ; owl:onProperty :in ; owl:someValuesFrom :Room ] .
:in a owl:TransitiveProperty ; owl:inverseOf :has ; rdfs:domain :Sensor . :list :of ( 1 2.5 "x"@en "2026-01-01"^^xsd:date ) .
""".replace(
        b":Lab rdfs",
        b"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n:Lab rdfs",
    )
)
_IN_TURTLE = ((b"( ", b" )"), (b"[ :p ", b" ]"), (b"<< ", b" >>"), (b'"""', b'"""'), (b"{ ", b" }"), (b"<", b">"))
_TURTLE_WORDS = (
    b"a", b".", b";", b",", b"[]", b"()", b"@prefix : <> .", b"@base <urn:x> .", b"<urn:a b>", b"<>", b"_:b", b'"x"@', b'"x"@en--ltr',
    b'"x"^^<nothing>', b'"NaN"^^xsd:integer', b'"9"^^xsd:dateTime', b"owl:imports <file:///dev/zero> .", b":a owl:sameAs :b .",
    b":m a owl:Ontology ; owl:imports <http://localhost:9/> .", b"owl:Nothing", b":in owl:inverseOf :in .",
    b":s1 a [ owl:complementOf :Lab ] .", b":Room1 owl:differentFrom :Room1 .", b"GRAPH", b'VERSION "1.2"', b"PREFIX",
)  # fmt: skip
_TRIPLES = (
    b'<urn:a> <urn:p> "x"@en .\n_:b <urn:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<urn:a> <urn:q> _:b .\n'
)
_JSON_LD = json.dumps(
    {
        "@context": {"@vocab": "urn:ex:", "in": {"@type": "@id"}, "all": {"@container": "@list"}},
        "@graph": [{"@id": "urn:ex:s1", "@type": "Sensor", "in": "urn:ex:Room1", "all": [1, [2]], "@reverse": {"has": {"@id": "urn:ex:x"}}}],
    }
).encode()  # fmt: skip
_LD_WORDS = (
    b'"@context":', b'"@id":', b'"@type":', b'"@reverse":', b'"@list":', b'"@graph":', b'"@index":', b'"@nest":', b'"@base":', b'"@import":',
    b'"http://localhost:9/context"', b'"a": {"@id": "a"},', b'"@propagate": false,', b'"@version": 1.1,', b"null,", b'"file:///dev/zero"',
)  # fmt: skip
_BOMB = b"<!DOCTYPE x [" + b'<!ENTITY a0 "aaaaaaaaaaaaaaaaaaaa">' + b"".join(
    f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">'.encode() for n in range(1, 9)
) + b"]>"  # fmt: skip
_RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:ex:" xml:base="urn:ex:">
<Lab rdf:about="Room1"><in rdf:resource="B"/><has rdf:parseType="Resource"><p xml:lang="en">x</p></has>
<of rdf:parseType="Collection"><Lab/></of><q rdf:parseType="Literal"><b>y</b></q></Lab></rdf:RDF>"""
_OWX = b"""<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="urn:ex:" ontologyIRI="urn:ex:">
<Prefix name="" IRI="urn:ex:"/><Declaration><Class IRI="#Lab"/></Declaration>
<SubClassOf><Class IRI="#Lab"/><ObjectSomeValuesFrom><ObjectProperty IRI="#in"/><Class IRI="#Room"/></ObjectSomeValuesFrom></SubClassOf>
<ClassAssertion><Class IRI="#Lab"/><NamedIndividual IRI="#Room1"/></ClassAssertion></Ontology>"""
_IN_XML = (
    (b"<Lab><in>", b"</in></Lab>"), (b"<a>", b"</a>"), (b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<ObjectComplementOf>", b"</ObjectComplementOf>"),
    (b'<q rdf:parseType="Literal"><b>', b"</b></q>"),
)  # fmt: skip
_XML_WORDS = (
    _BOMB, b"&a8;", b"&lt;", b"&#0;", b"&#x110000;", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', b"&e;", b"&a;",
    b'<!DOCTYPE x [<!ENTITY % p "<!ENTITY a \'x\'>"> %p;]>', b'<!DOCTYPE x SYSTEM "http://localhost:9/x.dtd">', b'<?xml version="1.1"?>',
    b'<?xml version="1.0" encoding="UTF-16"?>', b'rdf:ID="a"', b'rdf:nodeID="1"', b'xmlns:x=""', b'rdf:datatype="x"', b"<Import>urn:x</Import>",
    b"<Ontology>", b"</rdf:RDF>",
)  # fmt: skip

_SPARQL = (
    b"SELECT ?s ?f { ?e ex:sensor ?s ; ex:flow ?f . FILTER (?f > 3 && REGEX(STR(?s), 's')) } ORDER BY ?f LIMIT 5",
    b"SELECT (AVG(?f) AS ?m) (COUNT(*) AS ?n) { GRAPH ?g { ?e ex:flow ?f } OPTIONAL { ?e a ?c } } GROUP BY ?c HAVING (COUNT(*) > 1)",
    b"ASK { { ?a ?p ?b } UNION { VALUES ?a { 1 ex:x UNDEF } } MINUS { ?a ex:in/ex:has*|^ex:p ?b } BIND(1 + 2 AS ?z) }",
    b"CONSTRUCT { ?a ex:p ?b } WHERE { SELECT ?a ?b { ?a ?p ?b } LIMIT 3 }",
    b"DESCRIBE ex:Room1",
)
_IN_SPARQL = (
    (b"(", b")"), (b"{ ", b" }"), (b"!", b""), (b"-", b""), (b"{ SELECT * { ", b" } }"), (b"OPTIONAL { ", b" }"), (b"(ex:p/", b")"), (b"^", b""),
    (b"FILTER EXISTS { ", b" }"), (b"IF(", b", 1, 2)"), (b"<< ", b" >>"), (b"[ ex:p ", b" ]"), (b"1 + ", b""), (b"?a ex:p ?b . ", b""),
)  # fmt: skip
_SPARQL_WORDS = (
    b"SELECT", b"*", b"WHERE", b"SERVICE <http://localhost:9/> { }", b"SERVICE SILENT <http://localhost:9/> { ?s ?p ?o }", b"FROM <urn:g>",
    b"FROM NAMED <urn:g>", b"LOAD <file:///etc/passwd>", b"INSERT DATA { }", b"DROP ALL", b"?s ?p ?o .", b"?a ?b ?c . ?d ?e ?f .", b"ex:p*", b"ex:p+",
    b"(ex:p|!ex:q)*", b"REGEX('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+$')", b"REPLACE('aaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaaaaaa')", b"OFFSET -1",
    b"LIMIT 99999999999999999999", b"BNODE()", b"RAND()", b"NOW()", b"GROUP_CONCAT(?f; separator='x')", b"BIND(1/0 AS ?f)", b"PREFIX ex: <>", b"BASE <>",
    b"'2026-01-01T00:00:00Z'^^<http://www.w3.org/2001/XMLSchema#dateTime>", b"VALUES (?a ?b) { (1) }", b"ORDER BY", b"kaicep:x", b"LATERAL { }",
)  # fmt: skip

_REQUESTS = [
    json.dumps(asked).encode()
    for asked in (
        {"submit": _FLOWS[0].decode(), "label": "a", "retention": 5.0},
        {"submit": _FLOWS[4].decode(), "label": None, "retention": None},
        {"withdraw": "a"},
        {"park": "a", "by": None},
        {"resume": "a"},
        {"list": True},
    )
]

_POSTED = (
    b"application/json\n" + _ARRAY,
    b"application/x-ndjson; charset=utf-8\n" + _LINES,
    b"text/csv\n" + _CSV,
)
_FORM = b"".join(
    b"--x\r\nContent-Type: %b\r\n\r\n%b\r\n" % part
    for part in ((b"text/turtle", _TURTLE), (b"application/ld+json", _JSON_LD))
)
_UPLOADED = (
    b"text/turtle\n" + _TURTLE,
    b"application/rdf+xml\n" + _RDF,
    b"application/rdf+xml\n" + _BOMB + _RDF.replace(b"x</p>", b"&a8;</p>"),
    b"application/owl+xml\n" + _OWX,
    b"application/ld+json\n" + _JSON_LD,
    b"multipart/form-data; boundary=x\n" + _FORM + b"--x--\r\n",
)
_TYPE_WORDS = (
    b"application/json\n",
    b"text/csv\n",
    b"charset=",
    b";",
    b"multipart/form-data; boundary=",
    b"--x\r\n",
    b"\r\n\r\n",
)

SEEDS: Mapping[str, Sequence[bytes]] = {
    "query_text": [*_FLOWS, *_QUERIES],
    "annotation_file": [ANNOTATION.encode(), *(text.encode() for text in _KEYS)],
    "request_file": _REQUESTS,
    "json_lines": [_LINES],
    "json_array": [_ARRAY],
    "csv_file": [_CSV, _WIDE, _TSV],
    "parquet_file": [_parquet()],
    "posted_records": _POSTED,
    "uploaded_document": _UPLOADED,
}
"""Well-formed content, by what reads it; what is guided by coverage begins with it."""

STRATEGIES: Mapping[str, st.SearchStrategy[bytes]] = {
    "json_lines": hostile([_LINES], _JSON_WORDS, _IN_JSON) | respelled([_LINES], _VALUE_CLASSES),
    # Where it is no array each line is a bad record, and each file is read three times: 8 µs each.
    "json_array": hostile([_ARRAY], _JSON_WORDS, _IN_JSON, largest=100_000) | respelled([_ARRAY], _VALUE_CLASSES),
    "json_document": hostile([_ARRAY, _LINES[:150]], _JSON_WORDS, _IN_JSON),
    "csv_file": hostile([_CSV, _WIDE], _CSV_WORDS, _IN_CSV) | respelled([_CSV], _CELL_CLASSES),
    "wide_csv_file": hostile([_WIDE, _CSV], _CSV_WORDS, _IN_CSV) | respelled([_WIDE], _CELL_CLASSES),
    "gzip_file": hostile(
        [gzip.compress(_CSV, mtime=0), gzip.compress(_CSV + b"x" * 1_500_000, mtime=0), _CSV], largest=20_000
    ),
    "bzip2_file": hostile([bz2.compress(_CSV), bz2.compress(_CSV + b"x" * 1_500_000)], largest=20_000),
    "xz_file": hostile([lzma.compress(_LINES), lzma.compress(_LINES + b" " * 1_500_000)], largest=20_000),
    "tsv_file": hostile([_TSV], _CSV_WORDS, ((b'"', b'"'), (b"a\t", b"\ta"))) | respelled([_TSV], _CELL_CLASSES),
    "parquet_file": hostile([_parquet()]),
    # A text of 10,000 bytes holds some hundred queries, each of which is answered.
    "query_text": hostile(_FLOWS, _QUERY_WORDS, _IN_QUERIES, largest=10_000) | respelled(_FLOWS, _QUERY_CLASSES),
    "page_query": hostile(_QUERIES, _QUERY_WORDS, _IN_QUERIES, largest=10_000) | respelled(_QUERIES, _QUERY_CLASSES),
    "project_file": hostile([text.encode() for text in _KEYS], _TOML_WORDS, _IN_TOML),
    "annotation_file": hostile([ANNOTATION.encode()], _TOML_WORDS, _IN_TOML),
    "turtle": hostile([_TURTLE], _TURTLE_WORDS, _IN_TURTLE),
    "trig": hostile([_TURTLE, b"<urn:g> { <urn:a> <urn:p> <urn:b> }"], _TURTLE_WORDS, _IN_TURTLE),
    "n_triples": hostile([_TRIPLES], _TURTLE_WORDS, _IN_TURTLE),
    "n_quads": hostile(
        [_TRIPLES, b'<urn:a> <urn:p> "x" <urn:g> .\n_:b <urn:p> _:c _:g .\n'], _TURTLE_WORDS, _IN_TURTLE
    ),
    "json_ld": hostile([_JSON_LD], (*_LD_WORDS, *_JSON_WORDS), _IN_JSON) | respelled([_JSON_LD], _VALUE_CLASSES),
    "rdf_xml": hostile([_RDF, _BOMB + _RDF.replace(b"x</p>", b"&a8;</p>")], _XML_WORDS, _IN_XML),
    "owl_xml": hostile([_OWX, _BOMB + _OWX.replace(b"#Room1", b"&a8;")], _XML_WORDS, _IN_XML),
    "request_file": hostile(_REQUESTS, _JSON_WORDS, _IN_JSON) | respelled(_REQUESTS, _VALUE_CLASSES),
    "posted_records": hostile(_POSTED, (*_TYPE_WORDS, *_JSON_WORDS, *_CSV_WORDS), (*_IN_JSON, *_IN_CSV))
    | respelled(_POSTED[:2], _VALUE_CLASSES),
    "uploaded_document": hostile(
        _UPLOADED, (*_TYPE_WORDS, *_TURTLE_WORDS, *_LD_WORDS, *_XML_WORDS), (*_IN_TURTLE, *_IN_JSON, *_IN_XML)
    ),
    "sparql_text": hostile(_SPARQL, _SPARQL_WORDS, _IN_SPARQL) | respelled(_SPARQL, _SPARQL_CLASSES),
}
"""By the name of the target in `hostile_targets`."""

_OF_FOUR = "4 events, 0 rejected, 0 bad; ['', '']"
_OF_THREE = "3 events, 0 rejected, 0 bad; ['', '']"
WELL_FORMED: Mapping[str, tuple[bytes, str]] = {
    "json_lines": (_LINES, _OF_THREE),
    "json_array": (_ARRAY, _OF_THREE),
    "json_document": (_ARRAY, _OF_THREE),
    "csv_file": (_CSV, _OF_FOUR),
    "wide_csv_file": (_WIDE, _OF_THREE),
    "gzip_file": (gzip.compress(_CSV, mtime=0), _OF_FOUR),
    "bzip2_file": (bz2.compress(_CSV), _OF_FOUR),
    "xz_file": (lzma.compress(_LINES), _OF_THREE),
    "tsv_file": (_TSV, "4 events, 1 rejected, 0 bad; ['', '']"),
    "parquet_file": (_parquet(), _OF_FOUR),
    "query_text": (_FLOWS[4], "10 rows"),
    "page_query": (_QUERIES[0], "5 rows"),
    "project_file": (_KEYS[0].encode(), ""),
    "annotation_file": (ANNOTATION.encode(), "20 rows"),
    "turtle": (_TURTLE, ""),
    "trig": (_TURTLE, ""),
    "n_triples": (_TRIPLES, ""),
    "n_quads": (_TRIPLES, ""),
    "json_ld": (_JSON_LD, ""),
    "rdf_xml": (_RDF, ""),
    "owl_xml": (_OWX, ""),
    "request_file": (
        _REQUESTS[0],
        '{"answer": ["a: answered from the next batch on, its rows go where the engine\'s go"]}',
    ),
    "posted_records": (_POSTED[2], "4 records"),
    "uploaded_document": (b"text/turtle\n<a> <p> <b> .", "<urn:a> <urn:p> <urn:b> .\n"),
    "sparql_text": (_SPARQL[0], "5 solutions"),
}
"""Of each target something that it takes, and what it says of that."""
