"""What a typed query says of its PATHs."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import Subquery
from support.vocabulary import compiled


@pytest.mark.parametrize(
    ("body", "flat", "orderly"),
    [
        ("?e evt:hasSource ?s . ?s bd:floor ?f FILTER (?f > 1)", True, True),
        ("?e evt:hasSource ?s OPTIONAL {?s bd:floor ?f}", False, True),
        ("OPTIONAL {?s bd:floor ?f} ?e evt:hasSource ?s", False, False),
    ],
)
def test_a_subquery_is_orderly_when_its_parts_are_the_whole_of_it(body: str, flat: bool, orderly: bool) -> None:
    path = compiled(f"SELECT ?e FROM (?e, airflowReport) PATH {{{body}}}").sources[0].semantics
    assert isinstance(path, Subquery)
    assert (path.flat, path.orderly) == (flat, orderly)
