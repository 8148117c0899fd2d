"""The knowledge with one event in it, as a PATH sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TypeGuard

import pyoxigraph as ox

from ...ontology import KnowledgeBase
from ...ontology.proofs import Proof, Prover, TurtleWriter
from ...semfilter import select_text

Term = ox.NamedNode | ox.BlankNode | ox.Literal
Solution = Mapping[str, Term]


class EventView:
    """A private copy of the closure, in which one event at a time comes and goes.

    Args:
        knowledge: the knowledge base.
        prefixes: more than it has, by which IRIs are shortened.

    Attributes:
        store: the closure and the event's triples, all in the default graph.
        wording: how terms are shown.
    """

    def __init__(self, knowledge: KnowledgeBase, prefixes: Mapping[str, str]) -> None:
        self.knowledge = knowledge
        self._copy = knowledge.copy()
        self.store = self._copy.store
        self.wording = TurtleWriter(knowledge, prefixes)
        self.prover = Prover(knowledge)
        self._given: Mapping[ox.Triple, str] = {}

    @contextmanager
    def holding(self, triples: Mapping[ox.Triple, str | None]) -> Iterator[None]:
        """Add an event for a while.

        Args:
            triples: triples(e), with the words of the annotation for those that it gives; `None`: they follow.
        """
        added = [quad for quad in (ox.Quad(*triple) for triple in triples) if quad not in self.store]
        self.store.extend(added)
        self._given = {_as_stored(triple): words for triple, words in triples.items() if words is not None}
        try:
            yield
        finally:
            for quad in added:
                self.store.remove(quad)
            self._given = {}

    def prove(self, triple: ox.Triple) -> Proof:
        """The proof of a triple that the store holds."""
        return self.prover.prove(triple, self.store, self._given)

    def solutions(self, group: str, bound: Solution, limit: int) -> list[dict[str, Term]]:
        """Distinct solutions of a SPARQL group, with the bindings that they extend.

        Args:
            group: without braces.
            bound: values of variables.
            limit: at most so many.
        """
        substitutions: dict[ox.Variable, ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple] = {
            ox.Variable(name): term for name, term in bound.items() if f"?{name}" in group
        }
        found = self.store.query(select_text("*", group), substitutions=substitutions)
        if not isinstance(found, ox.QuerySolutions):  # SELECT gives nothing else
            raise TypeError(type(found))
        names = [variable.value for variable in found.variables]
        rows = (dict(zip(names, solution, strict=True)) for solution in islice(found, limit))
        return [dict(bound) | {n: t for n, t in row.items() if _is_term(t)} for row in rows]

    def objects(self, subject: Term, predicate: ox.NamedNode) -> list[Term]:
        """What a subject has as a property, sorted."""
        if isinstance(subject, ox.Literal):
            return []
        found = self.store.quads_for_pattern(subject, predicate, None)
        return sorted((term for quad in found if _is_term(term := quad.object)), key=str)


def _as_stored(triple: ox.Triple) -> ox.Triple:
    """The triple as a store gives it back: it writes numbers its own way."""
    store = ox.Store()
    store.add(ox.Quad(*triple))
    (quad,) = store.quads_for_pattern(None, None, None)
    return quad.triple


def _is_term(term: object) -> TypeGuard[Term]:
    return isinstance(term, ox.NamedNode | ox.BlankNode | ox.Literal)
