"""A contradiction says what is wrong, what forbids it, and which triples cannot all be true."""

from __future__ import annotations

import pytest
from kaicep.ontology.consistency import Violation, read_violations, violation_texts
from kaicep.ontology.consistency.contradictions import CONTRADICTIONS, WRONG_LITERAL, Contradiction
from pyoxigraph import Literal, NamedNode
from support.ontologies import X


def named(*names: str) -> tuple[NamedNode, ...]:
    return tuple(NamedNode(X + name) for name in names)


@pytest.mark.parametrize("kind", [*CONTRADICTIONS, WRONG_LITERAL], ids=lambda kind: kind.rule)
def test_every_kind_fills_its_message_its_axiom_and_its_premises(kind: Contradiction) -> None:
    violation = Violation(kind, named(*kind.variables))
    for text in (violation.message({"x": X}), violation.axiom({"x": X})):
        assert "{" not in text
    assert violation.premises
    assert read_violations(violation_texts([violation])) == (violation,)


def test_what_one_of_two_disjoint_classes_says() -> None:
    violation = Violation(CONTRADICTIONS[0], named("i", "A", "B"))
    assert violation.message({"x": X}) == "x:i is both x:A and x:B, which are disjoint"
    assert violation.axiom({"x": X}) == "x:A and x:B are disjoint"
    assert [str(triple.object) for triple in violation.premises] == [f"<{X}A>", f"<{X}B>"]


def test_literals_survive_as_texts() -> None:
    x, p, expected = named("x", "p", "D")
    for value in (Literal('a "b"\n'), Literal("a", language="en"), Literal(5)):
        violation = Violation(WRONG_LITERAL, (x, p, value, expected))
        assert read_violations(violation_texts([violation])) == (violation,)
