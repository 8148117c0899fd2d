"""What must hold of an event variable: whether its parts are the whole of it."""

from __future__ import annotations

from kaicep.language.nodes import Nested, Subquery
from kaicep.language.source_text import Span


def test_a_subquery_is_orderly_when_its_parts_are_all_of_it() -> None:
    flat = Subquery("e", "?e a ?x", (), (), flat=True, bindings=(), span=Span(0, 1))
    nested = Subquery("e", "OPTIONAL { }", (), (), False, (), Span(0, 1), (Nested("OPTIONAL { }", frozenset()),))
    opaque = Subquery("e", "{ SELECT … }", (), (), flat=False, bindings=(), span=Span(0, 1))
    assert (flat.orderly, nested.orderly, opaque.orderly) == (True, True, False)
