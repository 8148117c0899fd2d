"""Of conditions that follow from another one, the narrowest is its wider one, whatever variables are called."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep import Project
from kaicep.cep import Filter
from kaicep.pipeline.flow.queries.candidates import next_wider
from kaicep.semfilter.runtime import ColumnTest

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"x": {"datatype": "xsd:double"}, "n": {"datatype": "xsd:integer"}, "k": {"datatype": "xsd:string"}},
}
PROJECT = Project.parse({"streams": {"air": STREAM}})


def filter_of(said: str) -> ColumnTest:
    """A FILTER, called by its text; `?f` is a variable as `?e` is."""
    variable = "f" if "?f" in said else "e"
    text = f"SELECT ?{variable}.x FROM (?{variable}, air) FILTER ({said})"
    asked = Filter(PROJECT.compile(text)[-1].sources[0].filters)
    (threshold, condition), test = (asked.threshold_of(0), asked.condition_of(0)), asked.test_of(0)
    return ColumnTest(said, (condition,), test, tuple(sorted(asked.columns)), threshold)


def wider(*said: str) -> Mapping[Hashable, Hashable]:
    return next_wider(map(filter_of, said))


def test_thresholds_stand_behind_the_next_looser_one() -> None:
    found = wider("?e.x > 9", "?e.x > 5", "?f.x > 7", "?e.x < 9", "?e.n > 9", "?e.n > 8")
    assert found == {"?e.x > 9": "?f.x > 7", "?f.x > 7": "?e.x > 5", "?e.n > 9": "?e.n > 8"}


def test_values_behind_the_smallest_set_that_has_them() -> None:
    found = wider("?e.k IN ('a', 'b', 'c')", "?f.k = 'a'", "?e.k IN ('a', 'b')", "?e.k IN ('b', 'z')")
    assert found == {"?f.k = 'a'": "?e.k IN ('a', 'b')", "?e.k IN ('a', 'b')": "?e.k IN ('a', 'b', 'c')"}


def test_a_value_behind_thresholds_and_what_is_computed_behind_wider_bounds() -> None:
    found = wider("?e.x > 1", "?e.x = 3", "?e.x > 2", "?e.n + ?e.x >= 2", "?f.n + ?f.x > 3", "ABS(?e.x) > 2")
    assert found == {"?e.x > 2": "?e.x > 1", "?e.x = 3": "?e.x > 2", "?f.n + ?f.x > 3": "?e.n + ?e.x >= 2"}


@pytest.mark.parametrize("said", [("?e.k = 'a'", "?e.k IN ('a')"), ("?e.x = 2", "2 = ?e.x", "?e.x IN (2)")])
def test_what_says_the_same_in_other_words_goes_in_no_circle(said: tuple[str, ...]) -> None:
    found = wider(*said)
    assert set(found) == set(said[1:])
    for one in said:
        way: list[Hashable] = [one]
        while way[-1] in found and len(way) <= len(said):
            way.append(found[way[-1]])
        assert len(way) <= len(said)


def test_of_very_many_only_thresholds_are_put_in_order() -> None:
    """Each would have to be compared with each."""
    many = [f"?e.k = '{number}'" for number in range(70)]
    assert wider("?e.k IN ('1', '2')", *many[:5])
    assert not wider("?e.k IN ('1', '2')", *many)
    found = wider(*(f"?e.x > {number}" for number in range(200)))
    assert len(found) == 199


TERMS = ("?e.x", "?e.n", "?e.x + ?e.n", "ABS(?e.x)", "-?e.n", "?e.x * 2")
NUMBERS = ("0", "-1", "1", "1.5", "2", "2.0", "9007199254740992.0", "9007199254740993")
bounds = st.builds(
    "{} {} {}".format,
    st.sampled_from(TERMS),
    st.sampled_from(("<", "<=", ">", ">=", "=", "!=")),
    st.sampled_from(NUMBERS),
)
sets = st.builds(
    lambda of, values: f"{of} ({', '.join(values)})",
    st.sampled_from(("?e.k IN", "?e.k NOT IN")),
    st.lists(st.sampled_from(("'a'", "'b'", "''")), min_size=1, max_size=3),
)
filters = st.one_of(bounds, sets, st.sampled_from(("?e.k = 'a'", "?e.x < ?e.n", "?e.x <= ?e.n", "BOUND(?e.x)")))
ROWS = pl.DataFrame(
    [
        (x, n, k)
        for x in (None, float("nan"), -1.5, -0.0, 1.0, 2.0, 2.0**53)
        for n in (None, -2, 0, 1, 2, 2**53 + 1)
        for k in (None, "", "a", "c")
    ],
    schema={"x": pl.Float64, "n": pl.Int64, "k": pl.String},
    orient="row",
)
POOL: dict[str, ColumnTest] = {}


@given(st.lists(st.one_of(filters, st.builds("({} OR {})".format, filters, filters)), max_size=12, unique=True))
def test_no_event_passes_a_condition_that_its_wider_one_stops(said: list[str]) -> None:
    POOL.update({one: filter_of(one) for one in said if one not in POOL})
    tests = {one: POOL[one] for one in said}
    for narrower, of in next_wider(tests.values()).items():
        stopped = tests[str(narrower)].test & ~tests[str(of)].test
        assert not ROWS.filter(stopped).height, (narrower, of)
