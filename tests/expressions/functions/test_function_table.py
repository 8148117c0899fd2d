"""The table of functions: every entry of every module stands in it."""

from __future__ import annotations

import pytest
from kaicep.expressions import AGGREGATES, FUNCTIONS, SIGNATURES, aggregates, functions
from kaicep.expressions.aggregates import CHANGES
from kaicep.expressions.functions import conditionals, date_times, numeric, strings
from kaicep.expressions.functions.function_table import forgives_unbound
from kaicep.language.nodes import Intrinsic, Signature
from support.columns import BOOLEAN, DOUBLE, call, column


def test_every_entry_of_every_module_stands_in_the_table() -> None:
    entries = [name for module in (conditionals, date_times, numeric, strings) for name in module.__all__]
    assert sorted(entries) == sorted(FUNCTIONS)
    assert all(name == entry.name for name, entry in FUNCTIONS.items())


def test_a_query_can_name_all_but_what_wide_integers_write() -> None:
    written = {*FUNCTIONS, *AGGREGATES} - {Intrinsic.DOUBLE, Intrinsic.EXACT, Intrinsic.OVERFLOW}
    assert SIGNATURES.keys() == written | {change.name for change in CHANGES}
    assert set(Intrinsic) <= FUNCTIONS.keys()
    assert not FUNCTIONS.keys() & AGGREGATES.keys()


@pytest.mark.parametrize("name", [f.name for f in functions.WRITTEN_FUNCTIONS])
def test_usage_shows_as_many_arguments_as_the_signature(name: str) -> None:
    entry = FUNCTIONS[name]
    assert isinstance(SIGNATURES[name], Signature)
    shown = entry.usage.removeprefix(f"{name}(").removesuffix(")").split(", ")
    assert len(shown) >= len(entry.signature.parameters)


def test_what_looks_at_unbound_values_is_known() -> None:
    assert forgives_unbound(call("COALESCE", DOUBLE, column(DOUBLE)))
    assert forgives_unbound(call("BOUND", BOOLEAN, column(DOUBLE)))
    assert not forgives_unbound(call("ABS", DOUBLE, column(DOUBLE)))


def test_aggregates_are_found_by_their_names() -> None:
    assert all(name == entry.name for name, entry in aggregates.AGGREGATES.items())
