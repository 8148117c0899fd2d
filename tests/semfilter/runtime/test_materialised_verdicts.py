"""Verdicts that were computed ahead are those that would have been evaluated."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from kaicep.annotator import Annotator
from kaicep.language.nodes.types import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import FilterOptions
from support.plans import explained
from support.prefixes import turtle_head
from support.streams import reports
from support.subqueries import PREFIXES, source, subquery

_SENSORS = 200
_KNOWLEDGE = KnowledgeBase.of_turtle(
    turtle_head(PREFIXES)
    + " ".join(
        f"ee:s{i} bd:hasLocation bd:r{i % 7} , bd:r{i % 3} . bd:r{i % 7} bd:near bd:r{i % 5} ." for i in range(_SENSORS)
    ),
    "none",
)
_SETTINGS = reports(
    sensor={"property": "evt:hasSource", "individual": "ee:{}"}, room={"property": "evt:inRoom", "individual": "bd:{}"}
)
_ANNOTATOR = Annotator("report", _SETTINGS, _KNOWLEDGE)
_ONE = "?e evt:hasSource ?s . ?s bd:hasLocation ?l . ?l bd:near bd:r2"
_LED_TO = "?e evt:inRoom ?r . ?l bd:near ?r"
_TWO = "?e evt:hasSource ?s ; evt:inRoom ?r . ?s bd:hasLocation ?l . ?l bd:near ?r . ?r bd:near ?x"


def _events(*pairs: tuple[str | None, str | None]) -> pa.Table:
    moments = [f"2012-05-07T00:00:{i % 60:02}Z" for i in range(len(pairs))]
    sensors, rooms = ([pair[i] for pair in pairs] for i in (0, 1))
    raw = pa.table({"at": moments, "sensor": pa.array(sensors, pa.string()), "room": pa.array(rooms, pa.string())})
    return _ANNOTATOR.annotate(raw).events


_BATCHES = (
    _events(*((f"s{i % _SENSORS}", f"r{i % 9}") for i in range(500))),
    _events(("s3", "r3"), ("nobody", "r3"), (None, "r1"), ("s4", None)),
    _events(("s9", "r4")),
    _events(),
    _events(("nobody", "nowhere"), (None, None)),
    _events(*((f"s{i}", "r1") for i in range(_SENSORS))),
)


def _filter(text: str, table_size: int, *names: str) -> SemanticFilter:
    tested = source(subquery(text, names), dict.fromkeys(names, ValueType.IRI))
    return SemanticFilter(tested, _ANNOTATOR.shape, _KNOWLEDGE, FilterOptions(table_size=table_size))


def _plain(events: pa.Table) -> pa.Table:
    """The same without dictionaries, as archived events come."""
    fields = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in events.schema]
    return events.cast(pa.schema(fields))


def _rows(selected: pa.Table, *names: str) -> list[Any]:
    return sorted(zip(*(selected[column].to_pylist() for column in ("_row", *names)), strict=True))


@pytest.mark.parametrize(
    ("text", "names"),
    [(_ONE, ()), (_ONE, ("l",)), (_ONE, ("s",)), (_TWO, ()), (_TWO, ("l", "x")), (_LED_TO, ()), (_LED_TO, ("l",))],
)
def test_a_table_gives_what_evaluation_gives(text: str, names: tuple[str, ...]) -> None:
    ahead, evaluated = _filter(text, 10_000, *names), _filter(text, 0, *names)
    columns = [f"?{name}" for name in names]
    for batch in _BATCHES:
        expected = _rows(evaluated.select(batch), *columns)
        assert _rows(ahead.select(batch), *columns) == expected
        assert _rows(ahead.select(_plain(batch)), *columns) == expected
    assert ahead.statistics[0].misses == 0
    assert evaluated.statistics[0].misses > 0


def test_a_table_that_would_be_too_large_is_not_made() -> None:
    small = _filter(_ONE, 10)
    assert "  verdicts: more than 10 solutions, too many to compute them ahead\n" in explained(small)
    assert _rows(small.select(_BATCHES[0])) == _rows(_filter(_ONE, 1000).select(_BATCHES[0]))
    assert small.statistics[0].misses > 0


def test_a_table_knows_what_it_holds() -> None:
    holds = sum(i % 7 == 6 for i in range(_SENSORS))
    told = explained(_filter("?e evt:hasSource ?s . ?s bd:hasLocation bd:r6", 1000))
    assert f"  verdicts: of all individuals, ahead: {holds} hold, {holds} solutions\n" in told
