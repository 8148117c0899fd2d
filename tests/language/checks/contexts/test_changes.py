"""Deriving queries: what they change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kaicep.language.checks import compile_document
from kaicep.language.nodes import ChangeKind, ContextChange, ContextReference, Query
from support.roads import ROAD, ROADS


def change(text: str) -> Query:
    """A deriving query of the road."""
    return compile_document(ROAD + text, ROADS)[-1]


@pytest.mark.parametrize("kind", ChangeKind)
def test_a_change_names_its_context_and_the_items_that_are_its_keys(kind: ChangeKind) -> None:
    query = change(f"{kind} CONTEXT jam FROM (?e, positions) IN CONTEXT clear")
    assert query.change == ContextChange(kind, ContextReference("road", "jam"), ("#key0",))
    assert [(item.name, item.hidden) for item in query.items] == [("#key0", True)]
    assert [each.name for each in query.context_sets] == ["road"]


def test_items_are_attributes_of_the_window_and_keys_are_hidden() -> None:
    query = change("INITIATE CONTEXT jam (?e.v AS speed, 5 AS toll) FROM (?e, positions)")
    assert [(item.name, item.hidden) for item in query.items] == [("speed", False), ("toll", False), ("#key0", True)]
    assert [attribute.name for attribute in query.output.attributes] == ["speed", "toll", "_time"]


def test_a_named_change_is_a_stream_without_its_keys() -> None:
    query = change("CREATE QUERY q AS INITIATE CONTEXT jam (?e.v) FROM (?e, positions)")
    assert [attribute.name for attribute in query.output.attributes] == ["v", "_time"]


def test_a_query_without_a_change_has_none() -> None:
    assert change("SELECT ?e.id FROM (?e, positions) IN CONTEXT jam").change is None


def test_the_one_source_stream_may_be_left_out() -> None:
    alone = replace(ROADS, streams={"positions": ROADS.streams["positions"]}, sources=("positions",))
    query = compile_document(f"{ROAD} INITIATE CONTEXT jam IN CONTEXT clear ON (?e: ?e.seg)", alone)[-1]
    assert [source.variable for source in query.sources] == ["e"]
    window = compile_document(f"{ROAD} SELECT ?w._since AS s, ?e.v IN CONTEXT clear AS ?w", alone)[-1]
    assert [source.variable for source in window.sources] == ["e"]
