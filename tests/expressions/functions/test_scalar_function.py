"""What entries of functions are made of."""

from __future__ import annotations

import pytest
from kaicep.expressions import RefusedError
from kaicep.expressions.functions.scalar_function import refused, same_in_sparql
from support.columns import DOUBLE, call, column

HALF = call("ABS", DOUBLE, column(DOUBLE))


def test_sparql_s_own_function_keeps_its_name() -> None:
    assert same_in_sparql(HALF, ["?x", "1"]) == "ABS(?x, 1)"


def test_what_sparql_cannot_say_is_refused_with_the_reason() -> None:
    with pytest.raises(RefusedError, match=r"^engines differ$"):
        refused("engines differ")(HALF, ["?x"])
