"""Each way to contradict oneself is a query, and a message that it fills."""

from __future__ import annotations

from string import Formatter

import pytest
from kaicep.ontology.consistency.contradictions import CONTRADICTIONS, Contradiction
from pyoxigraph import QuerySolutions, RdfFormat, Store
from support.ontologies import PREAMBLE, X

BY_RULE = {contradiction.rule: contradiction for contradiction in CONTRADICTIONS}


def found(rule: str, text: str) -> list[tuple[str, ...]]:
    """The instances of a rule in a store that nothing else closes, without the namespace."""
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    prefixes = dict(line.split()[1:3] for line in PREAMBLE.splitlines())
    solutions = store.query(BY_RULE[rule].query, prefixes={p[:-1]: iri[1:-1] for p, iri in prefixes.items()})
    assert isinstance(solutions, QuerySolutions)
    return [tuple(str(term).strip("<>").removeprefix(X) for term in solution) for solution in solutions]


@pytest.mark.parametrize("contradiction", CONTRADICTIONS, ids=lambda c: c.rule)
def test_a_message_speaks_of_what_the_query_selects(contradiction: Contradiction) -> None:
    spoken = {name for _, name, _, _ in Formatter().parse(contradiction.says) if name}
    assert spoken <= set(contradiction.variables)
    assert len(set(contradiction.variables)) == len(contradiction.variables)


def test_a_pair_is_found_once_in_alphabetic_order() -> None:
    text = ":B owl:disjointWith :A . :A owl:disjointWith :B . :i a :A , :B ."
    assert found("cax-dw, cax-adc", text) == [("i", "A", "B")]


def test_members_of_a_list_are_compared_by_their_places() -> None:
    listed = "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) ."
    assert found("cax-dw, cax-adc", f"{listed} :i a :A , :C . :j a :A .") == [("i", "A", "C")]


def test_values_are_told_where_the_message_has_them() -> None:
    text = ":p a owl:FunctionalProperty . :i :p 5 , 6 . :j :p 7 , 7.0 ."
    ((individual, prop, *values),) = found("prp-fp, dt-diff", text)
    assert (individual, prop, len(values)) == ("i", "p", 2)


def test_it_is_enough_that_the_negative_is_stated() -> None:
    text = "[] owl:sourceIndividual :i ; owl:assertionProperty :p ; owl:targetValue 5 . :i :p 5 . :j :p 5 ."
    ((individual, *_),) = found("prp-npa1, prp-npa2", text)
    assert individual == "i"
