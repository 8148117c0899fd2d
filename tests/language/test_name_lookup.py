"""What names mean at one place of a document, and what is suggested when they mean nothing."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language import Names, SourceText, Span
from kaicep.language import syntax_tree as syntax
from kaicep.language.name_lookup import local_name
from kaicep.language.nodes import Column, StreamType, ValueType, Vocabulary
from support.vocabulary import AIRFLOW, CAMPUS, PREFIXES, TWO_STREAMS, iri

HERE = Span(0, 5)


def names(text: str = "here is the text", vocabulary: Vocabulary = CAMPUS) -> Names:
    return Names(SourceText("query", text), vocabulary.prefixes, vocabulary)


def test_iris_are_expanded_and_compacted() -> None:
    assert names().expand(syntax.PrefixedName("evt", "hasSource", span=HERE)) == iri("evt:hasSource")
    assert names().expand(syntax.Iri("urn:x", span=HERE)) == "urn:x"
    assert names().compact(iri("evt:hasSource")) == "evt:hasSource"
    assert names().compact("urn:x") == "<urn:x>"


def test_the_longest_namespace_is_shortened() -> None:
    known = Names(SourceText("query", ""), {"a": "http://x/", "b": "http://x/y#", "": ""}, CAMPUS)
    assert known.compact("http://x/y#z") == "b:z"


def test_an_unknown_prefix_is_marked_alone() -> None:
    with pytest.raises(QueryTypeError, match="unknown prefix 'evtt:'") as caught:
        names("evtt:hasSource").expand(syntax.PrefixedName("evtt", "hasSource", span=Span(0, 14)))
    assert caught.value.place is not None
    assert (caught.value.place.length, caught.value.hint) == (5, "did you mean 'evt'?")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        (syntax.Name("flowrate", span=HERE), Column("e", "flowrate", ValueType.DOUBLE, HERE)),
        (syntax.Name("airvolume", span=HERE), Column("e", "flowrate", ValueType.DOUBLE, HERE)),
        (syntax.PrefixedName("hvc", "flowrate", span=HERE), Column("e", "flowrate", ValueType.DOUBLE, HERE)),
        (syntax.Name("sensorID", span=HERE), Column("e", "sensorID", ValueType.STRING, HERE)),
        (syntax.PrefixedName("evt", "hasSource", span=HERE), Column("e", iri("evt:hasSource"), ValueType.IRI, HERE)),
        (syntax.Name("_time", span=HERE), Column("e", "_time", ValueType.DATETIME, HERE)),
        (syntax.Name("_id", span=HERE), Column("e", "_id", ValueType.IRI, HERE)),
    ],
    ids=["its name", "an alias", "an equivalent property", "the raw value", "the individual", "time", "id"],
)
def test_columns(name: syntax.Name | syntax.Reference, column: Column) -> None:
    assert names().column("e", AIRFLOW, name, HERE) == column


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("flowrte", "did you mean 'flowrate' (= hvc:airflow)?"),
        ("airvolme", "did you mean 'airvolume' (= flowrate)?"),
        ("zzz", "it has sensorID, timestamp and flowrate"),
    ],
)
def test_unknown_attributes(written: str, hint: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        names(written).attribute(AIRFLOW, syntax.Name(written, span=Span(0, len(written))))
    assert caught.value.message == f"unknown attribute '{written}' of stream 'airflowReport'"
    assert caught.value.hint == hint


def test_a_stream_without_attributes_has_nothing_to_suggest() -> None:
    with pytest.raises(QueryTypeError) as caught:
        names("x").attribute(StreamType("s", ()), syntax.Name("x", span=Span(0, 1)))
    assert caught.value.hint == "it has no attributes"


def test_unknown_streams() -> None:
    for vocabulary, hint in [
        (TWO_STREAMS, "the streams are airflowReport and temperatureReport"),
        (Vocabulary({}, SIGNATURES, PREFIXES), "the project has no streams"),
    ]:
        with pytest.raises(QueryTypeError, match="unknown stream 'zzz'") as caught:
            names(vocabulary=vocabulary).stream(syntax.Name("zzz", span=HERE))
        assert caught.value.hint == hint


def test_a_unit_that_nobody_knows_has_no_dimension() -> None:
    assert names().unit(iri("unit:DEG_C")).dimension is not None
    assert (names().unit("urn:u").iri, names().unit("urn:u").dimension) == ("urn:u", None)


def test_local_names() -> None:
    assert [local_name(name) for name in ("http://x/a#b", "http://x/a", "urn:b", "plain")] == ["b", "a", "b", "plain"]
