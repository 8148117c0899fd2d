"""Changed knowledge: caches that do not depend on the change stay, the others are judged again and compared."""

from __future__ import annotations

import pyarrow as pa
import pytest
from kaicep.annotator import event_shape
from kaicep.language.nodes import StreamType, ValueType
from kaicep.language.nodes.types import AttributeType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import RefreshedFilter, SemanticFilter, knowledge_difference, refresh_filter
from kaicep.semfilter.runtime import FilterOptions, KeyValue
from support.plans import explained
from support.prefixes import turtle_head
from support.subqueries import PREFIXES, source, subquery

HEAD = turtle_head(PREFIXES)
CAMPUS = "ee:s1 bd:in bd:r1 . ee:s2 bd:in bd:r2 . bd:r1 a bd:Office . bd:r1 bd:limit 5 . "
SOURCE = PREFIXES["evt"] + "hasSource"
CACHE, TABLE = FilterOptions(table_size=0), FilterOptions()
IN_OFFICE = "?e evt:hasSource ?x . ?x bd:in ?r . ?r rdf:type bd:Office"
STREAM = StreamType("s", (AttributeType("sensor", ValueType.STRING, SOURCE, individual=True),))
SENSORS = ("s1", "s2", "s3")


def knowledge(*more: str) -> KnowledgeBase:
    return KnowledgeBase.of_turtle(HEAD + CAMPUS + " ".join(more))


def events(*sensors: str) -> pa.Table:
    iris = pa.array([PREFIXES["ee"] + s for s in sensors])
    ids = pa.array([f"urn:kaicep:event:s/{s}" for s in sensors])
    return pa.table({"_id": ids, "sensor": pa.array(sensors), SOURCE: iris})


def same(_: str, value: KeyValue) -> KeyValue:
    return value


def refreshed(
    text: str, before: KnowledgeBase, after: KnowledgeBase, options: FilterOptions = CACHE
) -> tuple[SemanticFilter, RefreshedFilter]:
    """A filter that has seen all sensors, and the one after the change."""
    old = SemanticFilter(source(subquery(text), {}), event_shape(STREAM, before), before, options)
    old.select(events(*SENSORS))
    return old, refresh_filter(old, event_shape(STREAM, after), after, knowledge_difference(before, after), same)


def kept(new: SemanticFilter) -> list[str]:
    return [str(s) for s in new.select(events(*SENSORS))["sensor"].to_pylist()]


@pytest.mark.parametrize("options", [CACHE, TABLE])
def test_individuals_that_are_judged_otherwise_are_counted(options: FilterOptions) -> None:
    old, found = refreshed(IN_OFFICE, knowledge(), knowledge("ee:s3 bd:in bd:r1 ."), options)
    assert (len(found.differing), found.incomparable) == (1, False)
    assert ("verdicts: of all individuals, ahead" in explained(old)) == (options is TABLE)
    assert kept(old) == ["s1"]
    assert kept(found.filter) == ["s1", "s3"]


def test_the_first_batch_after_a_change_finds_all_verdicts() -> None:
    _, found = refreshed(IN_OFFICE, knowledge(), knowledge("bd:r2 a bd:Office ."))
    misses = found.filter.statistics[0].misses
    assert kept(found.filter) == ["s1", "s2"]
    assert found.filter.statistics[0].misses == misses


def test_a_cache_that_does_not_depend_on_the_change_stays() -> None:
    """Nothing is evaluated again for other properties and other classes; the counts go on."""
    for change in ("bd:r1 bd:limit 7 .", "bd:r9 a bd:MeetingRoom ."):
        old, found = refreshed(IN_OFFICE, knowledge(), knowledge(change))
        assert not found.differing
        assert found.filter.subqueries[0].known() == old.subqueries[0].known()
        assert found.filter.statistics == old.statistics


def test_variable_properties_depend_on_everything() -> None:
    _, found = refreshed("?e evt:hasSource ?x . ?x ?p ?y", knowledge(), knowledge("ee:s3 bd:other 1 ."))
    assert len(found.differing) == 1


def test_a_value_that_stands_for_another_individual_now_is_judged_as_that() -> None:
    def moved(column: str, value: KeyValue) -> KeyValue:
        assert column == SOURCE
        s3, s1 = ((True, PREFIXES["ee"] + name) for name in ("s3", "s1"))
        return s1 if value == s3 else value

    before, after = knowledge(), knowledge("bd:r9 bd:limit 7 .")
    old, _ = refreshed(IN_OFFICE, before, after)
    found = refresh_filter(old, event_shape(STREAM, before), after, knowledge_difference(before, after), moved)
    assert len(found.differing) == 1


def test_a_subquery_that_could_never_hold_cannot_be_compared() -> None:
    text = f"{IN_OFFICE} . bd:switch bd:on ?z"
    _, found = refreshed(text, knowledge(), knowledge("bd:switch bd:on 1 ."))
    assert found.incomparable
    assert kept(found.filter) == ["s1"]
    _, back = refreshed(text, knowledge("bd:switch bd:on 1 ."), knowledge())
    assert (len(back.differing), back.incomparable) == (1, False)
