"""What is below what, directly or by others, in time that grows with what follows.

The rules scm-sco, scm-eqc1, scm-eqc2, scm-spo, scm-eqp1 and scm-eqp2 of OWL 2 RL together: as joins of everything with
everything they take the cube of the classes that are equivalent. Here those are one component of a graph (R. Tarjan,
Depth-first search and linear graph algorithms, SIAM J. Comput. 1(2), 1972), and components are gone through from above.

Even so n equivalent classes have n² pairs, as the standard wants them. They are counted before any is made, and
refused where they are far more than what is stated, or than the project allows (docs/decisions/210).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from pyoxigraph import BlankNode, NamedNode, Store, Triple

from ...errors import OntologyError
from ...settings import KnowledgeSettings
from ..terms import OWL, PREFIXES, RDFS, TYPE, Term, shown

__all__ = ["HIERARCHY_RULES", "NO_LIMITS", "USUAL_LIMITS", "ClosureLimits", "check_sizes", "hierarchies"]

HIERARCHY_RULES = frozenset({"scm-sco", "scm-eqc1", "scm-eqc2", "scm-spo", "scm-eqp1", "scm-eqp2"})
"""What `hierarchies` derives."""
_FEWEST_PAIRS = 15_000
"""So many pairs of one relation may follow from a few statements."""
_MORE_OF_INDIVIDUALS = 5
"""So many times the pairs of a transitive property may be: buildings are larger than vocabularies are deep."""

_HIERARCHIES = (
    (NamedNode(RDFS + "subClassOf"), NamedNode(OWL + "equivalentClass")),
    (NamedNode(RDFS + "subPropertyOf"), NamedNode(OWL + "equivalentProperty")),
)
_SAME = NamedNode(OWL + "sameAs")
_TRANSITIVE = NamedNode(OWL + "TransitiveProperty")

Edges = dict[Term, dict[Term, None]]


@dataclass(frozen=True, slots=True)
class ClosureLimits:
    """How much may follow.

    Attributes:
        names_per_thing: names that may mean the same: `reasonable` joins every pair of them with every other.
        pairs_per_statement: pairs of one relation that may follow for each statement; Brick and a building have less
            than one.
        stated: how many statements there are.
    """

    names_per_thing: int
    pairs_per_statement: int
    stated: int = 0

    @classmethod
    def of(cls, settings: KnowledgeSettings) -> Self:
        """Those of a project."""
        return cls(settings.names_per_thing, settings.pairs_per_statement)

    def over(self, stated: int) -> Self:
        """The same of so many statements."""
        return replace(self, stated=stated)

    @property
    def pairs(self) -> int:
        """How many pairs of classes, and of properties, may follow."""
        return max(_FEWEST_PAIRS, self.pairs_per_statement * self.stated)


USUAL_LIMITS = ClosureLimits.of(KnowledgeSettings())
"""Where nobody says how much may follow."""
NO_LIMITS = ClosureLimits(2**62, 2**62)
"""Of what was closed before, and not refused then."""


class _Group(NamedTuple):
    """Terms that lead to each other, or one.

    Attributes:
        members: in the order in which they were met.
        beyond: the places of the groups that they lead to, all of them before this one.
    """

    members: Sequence[Term]
    beyond: frozenset[int]


def hierarchies(
    store: Store, limits: ClosureLimits = USUAL_LIMITS, prefixes: Mapping[str, str] = PREFIXES
) -> list[Triple]:
    """What follows of classes and of properties that are below or equivalent to others, and is not in the store.

    Args:
        store: what is known.
        limits: how much may follow.
        prefixes: for the message.

    Raises:
        OntologyError: more would follow.
    """
    return [triple for below, same in _HIERARCHIES for triple in _hierarchy(store, below, same, limits, prefixes)]


def check_sizes(store: Store, limits: ClosureLimits = USUAL_LIMITS, prefixes: Mapping[str, str] = PREFIXES) -> None:
    """Refuse individuals of which `reasonable` would make too many pairs; nobody can end it while it does.

    Args:
        store: what is known.
        limits: how much may follow; of a transitive property it may be more.
        prefixes: for the message.

    Raises:
        OntologyError: an individual has too many names, or a transitive property relates too many.
    """
    _groups(_both_ways(_edges(store, _SAME), _SAME, limits, prefixes), _SAME, limits.pairs, prefixes)
    for stated in store.quads_for_pattern(None, TYPE, _TRANSITIVE):
        if isinstance(stated.subject, NamedNode):
            _groups(_edges(store, stated.subject), stated.subject, _MORE_OF_INDIVIDUALS * limits.pairs, prefixes)


def _hierarchy(
    store: Store, below: NamedNode, same: NamedNode, limits: ClosureLimits, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    under, alike = _edges(store, below), _edges(store, same)
    edges = _both_ways(alike, same, limits, prefixes)
    for term, targets in under.items():
        edges.setdefault(term, {}).update(targets)
    groups = _groups(edges, below, limits.pairs, prefixes)
    for members, beyond in groups:
        above = [term for place in beyond for term in groups[place].members]
        for term in members:
            if isinstance(term, NamedNode | BlankNode):
                known, equal = under.get(term, {}), alike.get(term, {})
                others = [other for other in members if other != term]
                yield from (Triple(term, below, other) for other in (*others, *above) if other not in known)
                yield from (Triple(term, same, other) for other in others if other not in equal)


def _edges(store: Store, predicate: NamedNode) -> Edges:
    edges: Edges = {}
    for quad in store.quads_for_pattern(None, predicate, None):
        if quad.subject != quad.object:
            edges.setdefault(quad.subject, {})[quad.object] = None
    return edges


def _both_ways(edges: Edges, relation: NamedNode, limits: ClosureLimits, prefixes: Mapping[str, str]) -> Edges:
    """The same with every edge the other way round, too; none begins at a literal. Refused: what has too many names."""
    both = {term: dict(targets) for term, targets in edges.items()}
    for term, targets in edges.items():
        for target in targets:
            if isinstance(target, NamedNode | BlankNode):
                both.setdefault(target, {})[term] = None
    for alike in _components(both):
        if len(alike) > limits.names_per_thing:
            raise OntologyError(
                f"{_name(alike, prefixes)} and {len(alike) - 1:,} others are the same by {shown(relation, PREFIXES)}, "
                f"directly or by others; at most {limits.names_per_thing:,} can be",
                hint=_way_out("names_per_thing"),
            )
    return both


def _groups(edges: Edges, relation: NamedNode, most: int, prefixes: Mapping[str, str]) -> list[_Group]:
    """The groups of a graph, each after those that it leads to."""
    groups: list[_Group] = []
    place_of: dict[Term, int] = {}
    pairs = 0
    for place, members in enumerate(_components(edges)):
        place_of.update(dict.fromkeys(members, place))
        direct = {place_of[target] for term in members for target in edges.get(term, ())} - {place}
        beyond: set[int] = set()
        for nearest in sorted(direct, reverse=True):
            if nearest not in beyond:  # else so is all that it leads to
                beyond |= {nearest, *groups[nearest].beyond}
        groups.append(_Group(members, frozenset(beyond)))
        others = len(members) - 1 + sum(len(groups[other].members) for other in beyond)
        pairs += len(members) * others
        if pairs > most:
            raise _too_many(members, others, relation, most, prefixes)
    return groups


def _too_many(
    members: Sequence[Term], others: int, relation: NamedNode, most: int, prefixes: Mapping[str, str]
) -> OntologyError:
    both_ways = f", of which {len(members) - 1:,} lead back to it" if len(members) > 1 else ""
    return OntologyError(
        f"too much follows: more than {most:,} pairs of {shown(relation, {**PREFIXES, **prefixes})}; "
        f"{_name(members, prefixes)} alone leads to {others:,} others{both_ways}",
        hint=_way_out("pairs_per_statement"),
    )


def _way_out(setting: str) -> str:
    return (
        f"take statements back, raise {setting} under [knowledge], "
        'or use reasoner = "none", under which nothing follows'
    )


def _name(members: Sequence[Term], prefixes: Mapping[str, str]) -> str:
    return shown(next((term for term in members if isinstance(term, NamedNode)), members[0]), prefixes)


def _components(edges: Edges) -> Iterator[list[Term]]:
    """Tarjan's strongly connected components, each after those that it leads to; without recursion."""
    lowest: dict[Term, int] = {}
    open_: dict[Term, None] = {}
    for root in edges:
        if root in lowest:
            continue
        path: list[tuple[Term, int, Iterator[Term]]] = []
        entered: Term | None = root
        while entered is not None or path:
            if entered is not None:
                path.append((entered, len(lowest), iter(edges.get(entered, ()))))
                lowest[entered] = len(lowest)
                open_[entered] = None
            term, number, targets = path[-1]
            entered = None
            for target in targets:
                if target not in lowest:
                    entered = target
                    break
                if target in open_:
                    lowest[term] = min(lowest[term], lowest[target])
            if entered is None:
                path.pop()
                if path:
                    before = path[-1][0]
                    lowest[before] = min(lowest[before], lowest[term])
                if lowest[term] == number:
                    yield list(_until(open_, term))


def _until(open_: dict[Term, None], term: Term) -> Iterator[Term]:
    last: Term | None = None
    while last != term:
        last, _ = open_.popitem()
        yield last
