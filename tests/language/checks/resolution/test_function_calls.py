"""Calls: who takes how many arguments, of which types; the messages are in `type_errors.chi`."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import Aggregate, Binding, Call, Expression
from support.vocabulary import TWO_STREAMS, compiled

HOURS = "WINDOW (?e, batch, 1h)"


def value(expression: str, window: str = "") -> Expression:
    """The checked form of an item."""
    return compiled(f"SELECT {expression} AS x FROM (?e, temperatureReport) {window}", TWO_STREAMS).items[0].value


def aggregate(expression: str) -> Aggregate:
    found = value(expression, HOURS)
    assert isinstance(found, Aggregate)
    return found


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ABS()", "ABS takes 1 argument, and this has 0"),
        ("COALESCE()", "COALESCE takes 1 or more arguments, and this has 0"),
        ("IF(?e.valid, 1)", "IF takes 3 arguments, and this has 2"),
        ("PERCENTILE(?e.celsius)", "PERCENTILE takes 2 arguments, and this has 1"),
        ("FIRST(?e.celsius, 1, 2)", "FIRST takes 1 or 2 arguments, and this has 3"),
    ],
)
def test_arguments_are_counted(call: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        value(call)
    assert caught.value.message == message


def test_what_has_to_agree_has_one_type() -> None:
    """An integer in one branch, a double in the other."""
    found = value("IF(?e.valid, ?e.battery, ?e.celsius)")
    assert isinstance(found, Call)
    assert [argument.type.value for argument in found.arguments] == ["boolean", "integer", "double"]
    assert found.type.value == "double"


def test_a_parameter_that_says_what_holds_anyway_is_left_out() -> None:
    assert aggregate("LAST(?e.celsius, 0)").parameters == ()
    assert aggregate("LAST(?e.celsius, 2)").parameters == (2,)


def test_a_count_of_events_has_no_argument() -> None:
    assert aggregate("COUNT(?e)").argument is None
    assert aggregate("COUNT(?e.battery)").argument is not None


def test_aggregates_of_semantic_variables() -> None:
    query = compiled(
        "SELECT COUNT(DISTINCT ?s) AS n FROM (?e, airflowReport) PATH {?e evt:hasSource ?s} WINDOW (?e, sliding, 5min)"
    )
    match query.items[0].value:
        case Aggregate(function="COUNT", argument=Binding(variable="e", name="s"), distinct=True):
            pass
        case other:
            pytest.fail(f"unexpected {other}")
