"""Quantities mean what they say: the engine's answers are those of plain numbers, converted in plain Python.

The oracle gets a twin of the project, its readings and its query that knows no unit at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import PlanError
from oracle import evaluate
from support.campus import file_of
from support.cases import difference

PREFIXES = {"ex": "urn:ex:", "unit": "http://qudt.org/vocab/unit/", "qudt": "http://qudt.org/schema/qudt/"}
FLOWS: dict[str, Callable[[float], float]] = {
    "unit:FT3-PER-MIN": lambda v: v,
    "unit:L-PER-SEC": lambda v: v / 0.4719474432,
    "unit:M3-PER-HR": lambda v: v / 1.69901079552,
}
"""To cubic feet per minute, by the definition of the foot."""
DEGREES: dict[str, Callable[[float], float]] = {
    "unit:DEG_C": lambda v: v,
    "unit:DEG_F": lambda v: (v - 32) * 5 / 9,
    "unit:K": lambda v: v - 273.15,
}
STEPS: dict[str, float] = {"unit:DEG_C": 1.0, "unit:DEG_F": 5 / 9, "unit:K": 1.0}
"""To degrees Celsius: temperatures, and differences of them."""
SENSORS = {"cfm": "unit:FT3-PER-MIN", "litres": "unit:L-PER-SEC", "metres": "unit:M3-PER-HR", "unknown": None}
OPERATORS = st.sampled_from([">", "<", ">=", "<=", "!="])
_SENSOR = {"property": "ex:sensor", "individual": "ex:{}"}
_DOUBLE = {"datatype": "xsd:double"}


def content(attributes: Mapping[str, Mapping[str, str]], **more: Any) -> dict[str, Any]:
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "attributes": {"sensor": _SENSOR, **attributes},
    }
    return {"prefixes": PREFIXES, "streams": {"air": stream}, **more}


PLAIN = content({"flow": _DOUBLE, "inside": _DOUBLE, "outside": _DOUBLE})


@cache
def project() -> Project:
    """Sensors of flow in units of their own; `inside` is in degrees Celsius, `outside` in degrees Fahrenheit."""
    attributes = {
        "flow": _DOUBLE | {"unit": "unit:FT3-PER-MIN", "unit_of": "sensor"},
        "inside": _DOUBLE | {"unit": "unit:DEG_C"},
        "outside": _DOUBLE | {"unit": "unit:DEG_F"},
    }
    said = [f"<urn:ex:{s}> <{PREFIXES['qudt']}hasUnit> <{PREFIXES['unit']}{u[5:]}> ." for s, u in SENSORS.items() if u]
    return Project.parse(content(attributes, knowledge={"modules": [file_of("\n".join(said))]}))


# What no two sides of a comparison can both be, whatever the units: no answer hangs on the last digit.
_READINGS = st.lists(
    st.fixed_dictionaries(
        {"sensor": st.sampled_from(sorted(SENSORS))},
        optional={
            "flow": st.integers(0, 400).map(lambda n: n / 4),
            "inside": st.integers(-20, 40).map(float),
            "outside": st.integers(-4, 104).map(lambda n: n + 0.25),
        },
    ),
    max_size=12,
)
_SIZES = st.integers(1, 400).map(lambda n: n / 4 + 0.0371)


@st.composite
def flows(draw: st.DrawFn) -> tuple[str, str]:
    """A quantity of air as it is written, and as a plain number."""
    size, unit = draw(_SIZES), draw(st.sampled_from(sorted(FLOWS)))
    return f"{size!r} {unit}", repr(FLOWS[unit](size))


@st.composite
def degrees(draw: st.DrawFn, *, step: bool = False) -> tuple[str, str]:
    """A temperature, or a difference of temperatures."""
    size, unit = draw(_SIZES), draw(st.sampled_from(sorted(DEGREES)))
    return f"{size!r} {unit}", repr(size * STEPS[unit] if step else DEGREES[unit](size))


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, str]:
    """A query with quantities, and the same with plain numbers."""
    op = draw(OPERATORS)
    (air, plain_air), (warm, plain_warm), (step, plain_step) = draw(st.tuples(flows(), degrees(), degrees(step=True)))
    select = "SELECT ?e.sensor AS s, ?e.flow AS flow FROM (?e, air)"
    pair = "SELECT ?a.flow AS a, ?b.flow AS b FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
    mean = "SELECT AVG(?e.{0}) AS mean FROM (?e, air) WINDOW (?e, sliding, 3 events) HAVING (AVG(?e.{0}) {1} {2})"
    in_celsius = "((?e.outside - 32) * 5 / 9)"
    converted = "SELECT {} AS litres, {} AS kelvin FROM (?e, air) FILTER ({} {} {})"
    named = [
        f"CONVERT(?e.{of}, unit:{to})" for of, to in (("flow", "L-PER-SEC"), ("outside", "K"), ("flow", "M3-PER-HR"))
    ]
    by_hand = ["?e.flow * 0.4719474432", f"{in_celsius} + 273.15", "?e.flow"]
    both = {
        "flow": [f"{select} FILTER (?e.flow {op} {q})" for q in (air, plain_air)],
        "multiple": [f"{select} FILTER ({q} {op} ?e.flow * 2)" for q in (air, plain_air)],
        "sum": [f"{select} FILTER (?e.flow + {q} {op} 50)" for q in (air, plain_air)],
        "in": [
            f"{select} FILTER (?e.flow > {q} OR ?e.inside {op} {w})" for q, w in ((air, warm), (plain_air, plain_warm))
        ],
        "inside": [f"{select} FILTER (?e.inside {op} {q})" for q in (warm, plain_warm)],
        "outside": [f"{select} FILTER (?e.outside {op} {warm})", f"{select} FILTER ({in_celsius} {op} {plain_warm})"],
        "columns": [f"{select} FILTER (?e.inside {op} ?e.outside)", f"{select} FILTER (?e.inside {op} {in_celsius})"],
        "difference": [
            f"{select} FILTER (ABS(?e.inside - ?e.outside) {op} {step})",
            f"{select} FILTER (ABS(?e.inside - {in_celsius}) {op} {plain_step})",
        ],
        "converted": [converted.format(*items, op, q) for items, q in ((named, air), (by_hand, plain_air))],
        "converted difference": [
            f"{select} FILTER (CONVERT(?e.inside - ?e.outside, unit:K) {op} {step})",
            f"{select} FILTER (?e.inside - {in_celsius} {op} {plain_step})",
        ],
        "converted mean": [
            mean.format("outside", op, warm).replace("AVG(?e.outside) AS", "CONVERT(AVG(?e.outside), unit:DEG_C) AS"),
            mean.format("outside", op, f"{plain_warm} * 9 / 5 + 32").replace(
                "AVG(?e.outside) AS", "(AVG(?e.outside) - 32) * 5 / 9 AS"
            ),
        ],
        "converted join": [
            f"{pair} JOIN (CONVERT(?a.outside, unit:K) {op} CONVERT(?b.inside, unit:K))",
            f"{pair} JOIN ((?a.outside - 32) * 5 / 9 {op} ?b.inside)",
        ],
        "mean flow": [mean.format("flow", op, q) for q in (air, plain_air)],
        "mean": [mean.format("inside", op, q) for q in (warm, plain_warm)],
        "join": [f"{pair} JOIN (?a.flow - ?b.flow {op} {q})" for q in (air, plain_air)],
        "join of columns": [
            f"{pair} JOIN (?a.outside {op} ?b.inside)",
            f"{pair} JOIN ((?a.outside - 32) * 5 / 9 {op} ?b.inside)",
        ],
    }
    with_units, plain = both[draw(st.sampled_from(sorted(both)))]
    return with_units, plain


@settings(max_examples=30, deadline=None)
@given(queries(), _READINGS)
def test_quantities_are_plain_numbers_converted(texts: tuple[str, str], readings: list[dict[str, Any]]) -> None:
    with_units, plain = texts
    stamped = [r | {"at": f"2026-01-01T00:00:{i:02d}Z"} for i, r in enumerate(readings)]
    actual = project().evaluate(with_units, {"air": stamped})
    expected = evaluate(PLAIN, plain, {"air": [_in_feet(r) for r in stamped]})
    found = difference(actual, expected, 1e-9)
    assert found is None, found


def _in_feet(reading: dict[str, Any]) -> dict[str, Any]:
    unit = SENSORS[reading["sensor"]]
    if unit is None or "flow" not in reading:
        return reading
    return reading | {"flow": FLOWS[unit](reading["flow"])}


_PAST = "WITHIN (now - 1h, )"
_KELVIN = f"SELECT CONVERT(?e.outside, unit:K) AS kelvin FROM (?e, air) {_PAST}"
_LITRES = f"SELECT CONVERT(?a.flow, unit:L-PER-SEC) AS litres FROM (?a, air), (?b, air) {_PAST}"
_GREATEST = f"SELECT MAX(CONVERT(?e.outside, unit:K)) AS kelvin FROM (?e, air) {_PAST} WINDOW (?e, batch, 4s)"
_WALL = f"SELECT ?e.inside FROM (?e, air) {_PAST} FILTER (MINUTES(LOCAL(?e._time, 'Asia/Kathmandu')) = 45)"


@pytest.mark.parametrize(
    "query",
    [
        f"{_KELVIN} FILTER (CONVERT(?e.outside, unit:K) > 20 unit:DEG_C)",
        f"{_KELVIN} FILTER (CONVERT(?e.inside - ?e.outside, unit:DEG_F) < 9)",
        f"{_LITRES} JOIN (CONVERT(?a.outside, unit:DEG_C) < ?b.inside) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)",
        f"{_GREATEST} HAVING (CONVERT(MIN(?e.inside), unit:DEG_F) > 60)",
    ],
)
def test_conversions_are_the_same_however_the_past_is_answered(query: str) -> None:
    readings = [
        {"sensor": "cfm", "at": f"2026-01-01T00:00:{i:02d}Z", "flow": i / 3, "inside": 15 + i / 7, "outside": 60.1 + i}
        for i in range(40)
    ]
    at = datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    live = project().evaluate(query, {"air": readings})
    assert live
    strategies: tuple[Literal["replay", "hybrid", "rewrite"], ...] = ("replay", "hybrid", "rewrite")
    for strategy in strategies:
        rows = project().evaluate(query, {"air": readings}, strategy=strategy, registered_at=at)
        assert difference(rows, live) is None


def test_a_past_by_the_clock_on_the_wall_is_replayed() -> None:
    readings = [{"sensor": "cfm", "at": f"2026-01-01T00:00:{i:02d}Z", "inside": float(i)} for i in range(9)]
    at = datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)
    assert len(project().evaluate(_WALL, {"air": readings}, strategy="replay", registered_at=at)) == 9
    with pytest.raises(PlanError, match="SPARQL knows no time zones by their names"):
        project().evaluate(_WALL, {"air": readings}, strategy="rewrite", registered_at=at)
