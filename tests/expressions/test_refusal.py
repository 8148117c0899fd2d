"""What SPARQL cannot say is refused."""

from __future__ import annotations

import pytest
from kaicep.expressions import RefusedError
from kaicep.expressions.refusal import demand_known_types
from support.columns import DOUBLE, TERM, column


def test_terms_are_refused_for_their_types_are_not_known() -> None:
    demand_known_types([column(DOUBLE)])
    with pytest.raises(RefusedError, match=r"^the type of a term is known at run time only$"):
        demand_known_types([column(DOUBLE), column(TERM, "b")])
