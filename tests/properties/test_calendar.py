"""Where the calendar begins and ends: the years 1 and 9999 stop nothing (docs/semantics.md 2.4, 3.16)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kaicep.errors import QueryTypeError
from support.cases import difference
from support.letters import expected_of, project

ENDS = {
    "the last moments": ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z"),
    "the first moments": ("0001-01-01T00:00:00Z", "0001-01-01T00:00:01Z"),
    "today": ("2012-05-04T09:30:00Z", "2012-05-04T09:31:00Z"),
}
ONE, TWO = "FROM (?e, letters)", "FROM (?a, letters), (?b, letters)"
QUERIES = (
    f"SELECT ?e.name, ?e._time + 10d AS later, ?e._time - 10d AS before {ONE}",
    f"SELECT ?e.name, ?e._time + 3000000d AS later, 10d + ?e._time AS then {ONE}",
    f"SELECT ?e.name, YEAR(?e._time + 3000000d) AS y, STR(?e._time - 1d) AS s, BOUND(?e._time - 1d) AS b {ONE}",
    f"SELECT ?e.name {ONE} FILTER (?e._time + 3000000d > ?e._time)",
    f"SELECT ?e.name, (?e._time - '0001-01-01'^^xsd:dateTime) * 1000000 AS d {ONE}",
    f"SELECT ?e.x, 5000000d * 100000 AS d, 100000000d + 100000000d AS s, -100000000d - 50000000d AS l {ONE}",
    f"SELECT ?e.x, 100000000d * 1.5 AS d, 100000000d / 0.5 AS q, 100000000d * ?e.x AS k {ONE}",
    f"SELECT ?e.name {ONE} WITHIN (now - 3000000d, now + 3000000d)",
    f"SELECT ?e.name {ONE} WITHIN (now - 100000000d, )",
    f"SELECT ?e.name {ONE} WITHIN [0001-01-01, 9999-12-31T23:59:59.999999]",
    f"SELECT ?e.name {ONE} WITHIN (0001-01-01, 9999-12-31T23:59:59.999999)",
    f"SELECT ?e.name {ONE} WITHIN (, 0001-01-01)",
    *(
        f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, {window})"
        for window in (
            *("batch, 3000000d", "batch, 3000000d, START first", "batch, 7d, START 9999-12-30"),
            *("sliding, 3000000d", "hopping, 10d, 5d", "hopping, 3000000d, 1500000d"),
            *("cumulate, 10d, 5d", "cumulate, 3000000d, 3000000d", "session, 10d", "session, 3000000d"),
        )
    ),
    f"SELECT ?a.name {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3000000d)",
    f"SELECT ?a.name {TWO} SEQ (?a, ?b+) WINDOW (?a, ?b, 3000000d)",
    f"SELECT ?a.name {TWO} FILTER (?b.x > 3) SEQ (?a, NOT ?b FOR 3000000d)",
    f"SELECT ?a.name {TWO} FILTER (?b.x > 3) SEQ (NOT ?b FOR 3000000d, ?a)",
    f"SELECT COUNT(?a) AS n {TWO} FILTER (?b.x > 3) SEQ (?a+, NOT ?b FOR 3000000d) WINDOW (?a, 1s)",
    f"SELECT COUNT(?a) AS n {TWO} FILTER (?b.x > 3) SEQ (?a+, NOT ?b) WINDOW (?a, 3000000d)",
    f"SELECT ?a.name {TWO} JOIN (?a.x = ?b.x) WINDOW (?a, sliding, 3000000d) WINDOW (?b, sliding, 3000000d)",
    f"SELECT ?a.name {TWO} JOIN (?a._time + 3000000d > ?b._time) SEQ (?a, ?b) WINDOW (?a, ?b, 1d)",
    f"SELECT COUNT(?b) AS n {TWO} JOIN (?a._time + 3000000d > FIRST(?b._time)) SEQ (?a, ?b+) WINDOW (?a, ?b, 1d)",
    f"SELECT COUNT(?b) AS n {TWO} JOIN (?a._time - 1s < FIRST(?b._time)) SEQ (?a, ?b+) WINDOW (?a, ?b, 1d)",
    f"SELECT ?e.name {ONE} OUTPUT LAST EVERY 3000000d",
)


def events(times: tuple[str, ...]) -> dict[str, list[dict[str, object]]]:
    return {"letters": [{"name": f"e{i}", "kind": "a", "at": at, "x": 1.0} for i, at in enumerate(times)]}


@pytest.mark.parametrize("times", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("text", QUERIES)
def test_nothing_stops_at_the_ends_of_the_calendar(text: str, times: tuple[str, ...]) -> None:
    stream = events(times)
    found = difference(project().evaluate(text, stream), expected_of(text, stream))
    assert found is None, found


@pytest.mark.parametrize("strategy", ["replay", "hybrid", "rewrite", None])
@pytest.mark.parametrize("times", [ENDS["the last moments"], ENDS["the first moments"]])
@pytest.mark.parametrize(
    "text",
    [
        f"SELECT ?e.name, ?e._time + 1d AS later {ONE} WITHIN (, ) FILTER (?e._time - 1d < ?e._time)",
        f"SELECT ?e.name {ONE} WITHIN (now - 3000000d, ) FILTER (?e._time + 1d > ?e._time)",
        f"SELECT COUNT(?e) AS n {ONE} WITHIN (, ) WINDOW (?e, sliding, 10d)",
        f"SELECT ?a.name {TWO} WITHIN (, ) SEQ (?a, ?b) WINDOW (?a, ?b, 3000000d)",
    ],
)
def test_nor_does_any_strategy_over_the_past(text: str, times: tuple[str, ...], strategy: str | None) -> None:
    stream, at = events(times), datetime.fromisoformat(times[1])
    rows = project().evaluate(text, stream, strategy=strategy, registered_at=at)  # type: ignore[arg-type]  # one of them
    found = difference(rows, expected_of(text, stream, at))
    assert found is None, found


@pytest.mark.parametrize("kind", ["batch, 10d", "hopping, 10d, 5d"])
def test_windows_beyond_the_calendar_are_no_windows_of_sparql(kind: str) -> None:
    """The planner chooses another strategy then, with the same rows."""
    stream, at = events(ENDS["the last moments"]), datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)
    text = f"SELECT COUNT(?e) AS n {ONE} WITHIN (, ) WINDOW (?e, {kind})"
    rows = project().evaluate(text, stream, strategy=None, registered_at=at)
    assert difference(rows, expected_of(text, stream, at)) is None


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("WINDOW (?e, batch, 3700000d)", "a window longer than the calendar"),
        ("WINDOW (?e, hopping, 3700000d, 1d)", "a window longer than the calendar"),
        ("OUTPUT LAST EVERY 3700000d", "a period of OUTPUT longer than the calendar"),
    ],
)
def test_what_is_longer_than_the_calendar_is_refused_with_its_place(clause: str, message: str) -> None:
    select = "COUNT(?e) AS n" if "WINDOW" in clause else "?e.name"
    with pytest.raises(QueryTypeError) as refused:
        project().compile(f"SELECT {select} {ONE} {clause}")
    assert message in str(refused.value)
    assert "3652058d reach over all of its years, 1 to 9999" in str(refused.value)
    assert "^" in str(refused.value)
