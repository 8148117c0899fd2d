"""`?acc.name`: attributes of context windows, of the events beside them."""

from __future__ import annotations

import pytest
from kaicep.language.checks import compile_document
from kaicep.language.nodes import COMPANION, Aggregate, Binding, Call, Query, ValueType, event_variables, walk
from support.roads import ROAD, ROADS

ACCIDENT = ROAD + "INITIATE CONTEXT accident (?c.kind, 5 AS toll) FROM (?c, calls);"
TWO = "FROM (?a, positions), (?b, positions) IN CONTEXT accident AS ?acc"
WINDOW = "WINDOW (?a, ?b, 5s)"


def query(text: str) -> Query:
    """The last query behind an accident with a kind and a toll."""
    return compile_document(ACCIDENT + text, ROADS)[-1]


def test_a_filter_asks_of_the_events_that_it_is_about() -> None:
    [source] = query("SELECT ?e.id FROM (?e, positions) IN CONTEXT accident AS ?acc FILTER (?acc.toll < ?e.v)").sources
    [condition] = source.filters
    assert [node.variable for node in walk(condition) if isinstance(node, Binding)] == ["e"]
    assert source.window_attributes == (("acc.toll", ValueType.INTEGER),)
    assert source.columns == ("id",)


def test_a_filter_without_an_event_is_about_the_only_one() -> None:
    [source] = query("SELECT ?e.id FROM (?e, positions) IN CONTEXT accident AS ?acc FILTER (?acc.toll > 4)").sources
    assert len(source.filters) == 1


def test_a_join_takes_the_first_of_its_events_that_lies_in_a_context() -> None:
    [join] = query(f"SELECT ?a.id {TWO} JOIN (?acc.toll < ?b.v + ?a.v) SEQ (?a, ?b) {WINDOW}").joins
    assert event_variables(join) == ("b", "a")
    [join] = query(f"SELECT ?a.id {TWO} FOR ?a JOIN (?b.v > ?acc.toll) SEQ (?a, ?b) {WINDOW}").joins
    assert event_variables(join) == ("b", "a")


@pytest.mark.parametrize(
    ("pattern", "variables", "kind"),
    [("(?a?, ?b)", ["b"], Binding), ("(?a{2}, ?b?)", ["a"], Aggregate), ("(?a OR ?b)", ["a", "b"], Call)],
)
def test_what_is_reported_is_of_an_event_that_is_surely_there(
    pattern: str, variables: list[str], kind: type[Binding | Aggregate | Call]
) -> None:
    found = query(f"SELECT ?acc.kind {TWO} SEQ {pattern} {WINDOW}")
    assert found.items[0].name == "kind"
    assert isinstance(found.items[0].value, kind)
    assert [node.variable for node in walk(found.items[0].value) if isinstance(node, Binding)] == variables
    assert [source.variable for source in found.sources if "?acc.kind" in source.columns] == variables


def test_an_aggregate_is_of_the_events_that_it_is_about() -> None:
    found = query(f"SELECT SUM(?b.v - ?acc.toll) AS s {TWO} SEQ (?a+, ?b+) {WINDOW}")
    assert event_variables(found.items[0].value) == ("b",)
    run = query(f"SELECT MAX(?acc.toll) AS m {TWO} SEQ (?a+, ?b?) {WINDOW}")
    assert event_variables(run.items[0].value) == ("a",)


def test_since_is_a_moment() -> None:
    found = query("SELECT ?w._since AS s FROM (?e, positions) IN CONTEXT clear AS ?w")
    assert (found.items[0].type, found.items[0].name) == (ValueType.DATETIME, "s")


def test_an_attribute_has_the_unit_of_what_it_was_and_may_be_as_wide() -> None:
    """So that conditions on it are those on what the window's query said."""
    said = ROAD + "INITIATE CONTEXT accident (?c.seg + 1 AS next, 5 <urn:unit> AS far) FROM (?c, calls);"
    asked = "SELECT ?w.far, ?w.next FROM (?e, positions) IN CONTEXT accident AS ?w"
    found = compile_document(said + asked, ROADS)[-1]
    far, further = (item.value for item in found.items)
    assert isinstance(far, Binding)
    assert (far.unit, far.wide) == ("urn:unit", False)
    assert isinstance(further, Binding)
    assert (further.unit, further.wide) == (None, True)
    assert [name for name, _ in found.sources[0].window_attributes] == ["w.far", "w.next", f"w.next{COMPANION}"]
    assert [attribute.unit for attribute in found.output.attributes] == ["urn:unit", None, None, None]
