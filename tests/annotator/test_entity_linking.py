"""Attribute values → the individuals that they stand for, by template or by key."""

from __future__ import annotations

from urllib.parse import quote

import polars as pl
import pyarrow as pa
from kaicep.annotator.entity_linking import encode, link
from support.annotators import EX, NOON, annotator_of


def test_individuals_by_template() -> None:
    """The value is percent-encoded; equal values stand for one individual, null for none."""
    attributes = {"s": {"property": "ex:source", "individual": "ex:{}"}}
    values = ["a", "b/c", 'x> . <y "ü', None, "a", ""]
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 6, "s": values}))
    assert annotated.events.column("s").to_pylist() == values
    iris = [None if v is None else EX + quote(v, safe="") for v in values]
    assert annotated.events.column(f"{EX}source").to_pylist() == iris
    assert annotated.unlinked == 0


def test_individuals_by_key() -> None:
    """A value that is nobody's key keeps its event, without an individual, and is counted."""
    attributes = {"s": {"property": "ex:source", "key": "ex:code"}}
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 4, "s": ["one", "two", None, "two"]}))
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}s1", None, None, None]
    assert annotated.unlinked == 2


def test_numbers_as_keys() -> None:
    attributes = {"s": {"property": "ex:source", "key": "ex:code", "datatype": "xsd:integer"}}
    annotated = annotator_of(attributes).annotate(pa.table({"at": [NOON] * 3, "s": [7, 8, None]}))
    assert annotated.events.column("s").to_pylist() == [7, 8, None]
    assert annotated.events.column(f"{EX}source").to_pylist() == [f"{EX}s2", None, None]
    assert annotated.unlinked == 1


def test_dictionaries_of_moderate_size_are_sorted() -> None:
    """Batches with the same values have the same dictionary, and what was found for it holds again."""
    first, second = encode(pl.Series(["b", "a", None, "b"])), encode(pl.Series(["a", "b"]))
    assert first.to_pylist() == ["b", "a", None, "b"]
    assert first.dictionary == second.dictionary


def test_two_values_of_one_individual_share_an_entry() -> None:
    """The column of individuals has a dictionary of its own that holds each IRI once."""
    attribute = annotator_of({"s": {"property": "ex:source", "key": "ex:code"}}).annotation.attributes[-1]
    linked = link(encode(pl.Series(["one", "uno", "two"])), attribute, {"one": "urn:1", "uno": "urn:1"})
    assert linked.to_pylist() == ["urn:1", "urn:1", None]
    assert linked.dictionary.to_pylist() == ["urn:1"]
