"""Which queries are alike: those whose operators would do the same."""

from __future__ import annotations

import pytest
from kaicep.cep import build_operator
from kaicep.cep.joint import alike_form
from kaicep.language.nodes import expression_text
from support.context_queries import in_contexts
from support.operators import compiled

_OF_ONE = "FROM (?e, readings) WINDOW (?e, sliding, 3s)"
_COUNT = f"SELECT COUNT(?e) AS n {_OF_ONE}"
_PAIR = "SELECT ?a.n FROM (?a, readings), (?b, readings) {} SEQ (?a, ?b) WINDOW (?a, ?b, 3s)"


def key(text: str) -> str | None:
    form = alike_form(build_operator(compiled(text)).query)
    return None if form is None else form.key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT ?e.n FROM (?e, readings) FILTER (?e.n > 3)", "SELECT ?e.n FROM (?e, readings) FILTER (?e.x < 5)"),
        ("SELECT ?e.n FROM (?e, readings)", "CREATE QUERY q AS SELECT ?e.n FROM (?e, readings) FILTER (?e.n = 3)"),
        (f"SELECT AVG(?e.x) > 3 AS high {_OF_ONE}", f"SELECT AVG(?e.x) > 4.5e0 AS high {_OF_ONE}"),
        (f"{_COUNT} HAVING (1 < MIN(?e.n))", f"{_COUNT} HAVING (7 < MIN(?e.n))"),
        (_PAIR.format("FILTER (?a.n > 3)"), _PAIR.format("FILTER (?a.n > 4) FILTER (?b.x = 1)")),
    ],
)  # fmt: skip
def test_what_is_asked_of_single_events_numbers_and_names_make_no_difference(one: str, other: str) -> None:
    """A number is an integer or a double, which operators tell apart."""
    assert key(one) is not None
    assert (key(one) == key(other)) is ("4.5e0" not in other)


def test_all_else_does() -> None:
    texts = [
        "SELECT ?e.n FROM (?e, readings)",
        "SELECT ?e.n FROM (?e, alarms)",
        "SELECT ?e.n AS m FROM (?e, readings)",
        "SELECT ?e.n + 1 AS n FROM (?e, readings)",
        "SELECT ?e.n + 2 AS n FROM (?e, readings)",
        f"SELECT AVG(?e.x) > 3 AS high {_OF_ONE}",
        f"SELECT AVG(?e.x) < 3 AS high {_OF_ONE}",
        f"SELECT AVG(?e.x) > 3 AS high {_OF_ONE} GROUP BY ?e.n",
        _PAIR.format(""),
        _PAIR.format("JOIN (?a.n = ?b.n)"),
        _PAIR.format("").replace("3s", "4s"),
    ]
    keys = [key(text) for text in texts]
    assert None not in keys
    assert len({*keys}) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e.n FROM (?e, readings) LIMIT 3",
        "SELECT DISTINCT ?e.n FROM (?e, readings)",
        "SELECT ?e.n, ?room FROM (?e, readings) PATH { ?e <urn:at> ?room }",
        "SELECT COUNT(?e) AS n FROM (?e, readings) WINDOW (?e, sliding, 3 events)",
        "SELECT COUNT(?e) AS n FROM (?e, readings) WINDOW (?e, batch, 3s, START first)",
        "SELECT COUNT(?e) AS n FROM (?e, readings) WINDOW (?e, CHECK (COUNT(?e) < 9))",
        f"SELECT ADIFF(AVG(?e.x)) AS change {_OF_ONE}",
        _PAIR.format("").replace("?a, ?b)", "?a -> ?b)", 1),
        _PAIR.format("").replace("SEQ (?a, ?b)", "SEQ (?a, ?b+)"),
        _PAIR.format("") + " AFTER MATCH SKIP PAST LAST EVENT",
    ],
)
def test_what_goes_beyond_the_candidates_of_one_match_is_answered_by_itself(text: str) -> None:
    assert key(text) is None


def test_queries_in_contexts_have_a_likeness_of_their_own() -> None:
    assert alike_form(in_contexts(compiled("SELECT ?e.n FROM (?e, readings)"))) is None


def test_numbers_become_columns() -> None:
    text = f"SELECT AVG(?e.x) > 3 AS high {_OF_ONE} HAVING (MIN(?e.x) + 1 < 9.5e0 OR COUNT(?e) = 2)"
    form = alike_form(build_operator(compiled(text)).query)
    assert form is not None
    assert [(column.name, constant.value) for column, constant in form.numbers] == [
        ("#number0", 3), ("#number1", 9.5), ("#number2", 2),
    ]  # fmt: skip
    assert form.query.having is not None
    assert "9.5" not in expression_text(form.query.having)
    assert {"#number0", "#number1", "#number2"} < {*form.query.sources[0].columns}
