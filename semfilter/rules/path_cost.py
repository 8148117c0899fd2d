"""What a group may cost at the most: how many solutions, intermediate ones included, it may have over a knowledge base.

An upper bound, from counts of triples: of patterns joined one after the other, the one with the fewest partners next.
Groups inside (OPTIONAL, UNION, EXISTS) count as if they were joined. What is known to be small is evaluated at once,
and everything else where it can be ended (docs/decisions/171).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef, Variable

from ...language.nodes import Subquery
from ...ontology import KnowledgeBase
from ..plan import KNOWN_SMALL
from ..sparql_text import count_text, most_text, solutions_text, term_text
from .dependencies import PredicateUse, TriplePattern, triple_patterns

__all__ = ["most_solutions", "unconnected_variable"]

_PATHS_COUNTED = 100_000
"""Of a property path, so many pairs are counted; the count of more takes longer than it is worth."""
_OF_EVENT = 64.0
"""So many triples an event has at the most, about."""
_MOST_UNCONNECTED = 1_000
"""So many solutions a part may have that nothing connects with its event; each is taken with each event."""


def most_solutions(body: str, knowledge: KnowledgeBase, event: str | None) -> float:
    """How many solutions, intermediate ones included, a group has at the most.

    Args:
        body: without braces and prefixes.
        knowledge: that it is asked of.
        event: the variable that stands for one event; `None`: there is none.
    """
    return _bound(triple_patterns(body), _Counts.of(knowledge), event)


def unconnected_variable(subquery: Subquery, knowledge: KnowledgeBase) -> str | None:
    """Look for a part of a PATH that multiplies the solutions of all events.

    Args:
        subquery: the PATH.
        knowledge: says how many solutions a part has.

    Returns:
        A variable of a part that nothing connects with the event, and that has many solutions; `None`: there is none.
    """
    for group in _connected(triple_patterns(subquery.text, required=True)):
        names = sorted({str(v) for triple in group for v in _variables(triple) if isinstance(v, Variable)})
        if not names or subquery.variable in names or _bound(group, _Counts.of(knowledge), None) > KNOWN_SMALL:
            continue  # what costs too much to be counted is ended when it takes too long
        body = " . ".join(" ".join(_text(part) for part in triple) for triple in group)
        found = knowledge.store.query(solutions_text(body))
        many = islice(found, _MOST_UNCONNECTED + 1) if isinstance(found, ox.QuerySolutions) else ()
        if sum(1 for _ in many) > _MOST_UNCONNECTED:
            return next(str(v) for v in group[0] if isinstance(v, Variable))
    return None


class _Counts:
    """How many triples a knowledge base has of each kind; counted once each."""

    _of: ClassVar[WeakKeyDictionary[KnowledgeBase, _Counts]] = WeakKeyDictionary()
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self._store, self.all = knowledge.store, float(knowledge.triples)
        self._known: dict[str, float] = {}

    @classmethod
    def of(cls, knowledge: KnowledgeBase) -> _Counts:
        """The counts of a knowledge base."""
        with cls._lock:
            if knowledge not in cls._of:
                cls._of[knowledge] = cls(knowledge)
            return cls._of[knowledge]

    def number(self, group: str) -> float:
        """How many solutions a group has; one pattern, so that it is one scan."""
        return self._answer(count_text(group))

    def most(self, group: str, per: str) -> float:
        """How many solutions a group has for one value of a variable, at the most."""
        return self._answer(most_text(group, per))

    def pairs(self, p: PredicateUse) -> float | None:
        """How many pairs a property path connects, at the most; `None`: too many to be counted.

        Oxigraph would find all of them before it gives the first, so they are counted here, and no further than that.
        """
        known = f"{sorted(p.iris)} {p.inverse}"
        if known not in self._known:
            self._known[known] = _reachable(self._edges(p), _PATHS_COUNTED)
        found = self._known[known]
        return None if found > _PATHS_COUNTED else found

    def _edges(self, p: PredicateUse) -> Mapping[Any, list[object]]:
        """Where one step of a property path leads, or more of them."""
        edges: dict[Any, list[object]] = {}
        for iri in p.iris:
            for quad in islice(self._store.quads_for_pattern(None, ox.NamedNode(iri), None), _PATHS_COUNTED):
                edges.setdefault(quad.subject, []).append(quad.object)
                if p.inverse:
                    edges.setdefault(quad.object, []).append(quad.subject)
        return edges

    def _answer(self, text: str) -> float:
        if text not in self._known:
            found = self._store.query(text)
            solution = next(found) if isinstance(found, ox.QuerySolutions) else None
            value = None if solution is None else solution["n"]
            self._known[text] = float(value.value) if isinstance(value, ox.Literal) else 0.0
        return self._known[text]


def _bound(patterns: Sequence[TriplePattern], counts: _Counts, event: str | None) -> float:
    """The bound by mere numbers, and where that is not small, by what one node has at the most."""
    rough = _joined(patterns, counts, event, by_node=False)
    return rough if rough <= KNOWN_SMALL else min(rough, _joined(patterns, counts, event, by_node=True))


def _joined(patterns: Sequence[TriplePattern], counts: _Counts, event: str | None, *, by_node: bool) -> float:
    known: set[object] = set() if event is None else {Variable(event)}
    left, rows, total = list(patterns), 1.0, 0.0
    while left:
        partners = [_partners(triple, known, counts, event, by_node=by_node) for triple in left]
        place = min(range(len(left)), key=partners.__getitem__)
        rows *= partners[place]
        total += rows
        known |= _variables(left.pop(place))
    return total


def _partners(
    triple: TriplePattern, known: Collection[object], counts: _Counts, event: str | None, *, by_node: bool
) -> float:
    """How many triples go with one partial solution, at the most."""
    s, p, o = triple
    begins, ends = (not isinstance(t, Variable | BNode) or t in known for t in (s, o))
    if event is not None and s == Variable(event):
        return _OF_EVENT if p.everything else 1.0 if p.plain else _of_path(p, counts)
    if not p.plain or p.text is None:
        return counts.all if p.everything else _of_path(p, counts, begins=begins, ends=ends)
    if begins and ends:
        return 1.0
    subject, object_ = (_text(t) if isinstance(t, URIRef | Literal) else f"?{name}" for t, name in ((s, "s"), (o, "o")))
    number = counts.number(f"{subject} {p.text} {object_}")
    if not by_node or not (begins or ends) or isinstance(s if begins else o, URIRef | Literal):
        return number
    return min(number, counts.most(f"?s {p.text} ?o", "s" if begins else "o"))


def _of_path(p: PredicateUse, counts: _Counts, *, begins: bool = True, ends: bool = False) -> float:
    """Of a property path; from one node it leads to at most as many as its properties have triples."""
    edges = sum(counts.number(f"?s {term_text(URIRef(iri))} ?o") for iri in p.iris) + 1.0
    if begins or ends:
        return edges
    every = 2.0 * counts.all if p.zero else 0.0  # each subject and object, to itself
    pairs = None if edges > _PATHS_COUNTED else counts.pairs(p)
    return every + (edges * edges if pairs is None else max(pairs, edges))


def _reachable(edges: Mapping[Any, Sequence[object]], most: int) -> float:
    """How many pairs of nodes there is a way between; counted no further than one above `most`."""
    total = 0
    for start in edges:
        seen: set[object] = set()
        waiting = list(edges[start])
        while waiting and total <= most:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                total += 1
                waiting += edges.get(node, ())
        if total > most:
            break
    return float(total)


def _variables(triple: TriplePattern) -> set[object]:
    parts = (triple[0], triple[2])
    return {part for part in parts if isinstance(part, Variable | BNode)}


def _connected(patterns: Sequence[TriplePattern]) -> list[list[TriplePattern]]:
    """The patterns in groups that share variables."""
    groups: list[list[TriplePattern]] = []
    for triple in patterns:
        near = [g for g in groups if any(_variables(triple) & _variables(other) for other in g)]
        groups = [g for g in groups if g not in near] + [[*(one for g in near for one in g), triple]]
    return groups


def _text(part: object) -> str:
    if isinstance(part, PredicateUse):
        return part.text or "?kaicep_any"
    return term_text(part) or "?kaicep_any"
