"""Triples and terms as Turtle writes them: prefixed names, lists, and blank nodes by what modules state of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ..knowledge import KnowledgeBase
from ..terms import OWL, PREFIXES, RDF, TYPE, XSD, Term, shown

_FIRST, _REST, _NIL = (NamedNode(RDF + name) for name in ("first", "rest", "nil"))
_UNSAID = (NamedNode(OWL + "Restriction"), NamedNode(OWL + "Class"))
_ON_PROPERTY = NamedNode(OWL + "onProperty")
_BARE = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_DEEPEST = 4


class TurtleWriter:
    """Writes the terms of one knowledge base.

    Args:
        knowledge: its modules say what a blank node is, its prefixes shorten IRIs.
        prefixes: more of them, such as those of a query's document.
    """

    def __init__(self, knowledge: KnowledgeBase, prefixes: Mapping[str, str] = MappingProxyType({})) -> None:
        self._knowledge = knowledge
        self._prefixes = {**PREFIXES, **knowledge.prefixes, **prefixes}

    def triple(self, triple: Triple) -> str:
        """`ee:D105 a ee:AirflowSensor`."""
        return f"{self.term(triple.subject)} {self.predicate(triple.predicate)} {self.term(triple.object)}"

    def predicate(self, predicate: Term) -> str:
        """A predicate; `a` for rdf:type."""
        return "a" if predicate == TYPE else self.term(predicate)

    def iri(self, iri: str) -> str:
        """An IRI as a prefixed name."""
        return self.term(NamedNode(iri))

    def term(self, term: Term, depth: int = 0) -> str:
        """A term; a blank node as the list or the description that it stands for."""
        if isinstance(term, Literal) and term.datatype.value in _BARE:
            return term.value
        if not isinstance(term, BlankNode):
            return "()" if term == _NIL else shown(term, self._prefixes)
        said = self._said_of(term)
        if not said or depth >= _DEEPEST:
            return "[]"
        if any(predicate == _FIRST for predicate, _ in said):
            return f"( {' '.join(self._members(term, depth))} )"
        parts = (f"{self.predicate(p)} {self.term(o, depth + 1)}" for p, o in said if o not in _UNSAID)
        return f"[ {' ; '.join(parts)} ]"

    def is_cell(self, triple: Triple) -> bool:
        """Whether the triple is a piece of what the term of another one is written as: of a list, of a blank node."""
        return isinstance(triple.subject, BlankNode)

    def _members(self, head: Term, depth: int) -> list[str]:
        members: list[str] = []
        while isinstance(head, BlankNode) and len(members) < 1000:
            cell = dict(self._said_of(head))
            if _FIRST in cell:
                members.append(self.term(cell[_FIRST], depth + 1))
            head = cell.get(_REST, _NIL)
        return members

    def _said_of(self, node: BlankNode) -> list[tuple[NamedNode, Term]]:
        """What modules state of a blank node: of a restriction first its property, then by name."""
        found = self._knowledge.stated.quads_for_pattern(node, None, None, None)
        pairs = [(quad.predicate, quad.object) for quad in found]
        return sorted(pairs, key=lambda pair: (pair[0] != _ON_PROPERTY, str(pair[0]), str(pair[1])))
