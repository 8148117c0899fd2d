"""All ways in which triples follow from statements about individuals, as an AND/OR graph.

What an ontology says of classes and properties is taken for true: it is followed, and never doubted.

Source: Kalyanpur et al., Finding all Justifications of OWL DL Entailments, ISWC 2007 (of its justifications, this graph
has the parts that are about individuals).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pyoxigraph import Literal, NamedNode, Triple

from ..proofs import Prover
from ..terms import OWL, RDF, RDFS, TYPE

__all__ = ["Derivations", "is_axiom", "is_nameable"]

_ABOUT_INDIVIDUALS = frozenset(NamedNode(OWL + name) for name in ("sameAs", "differentFrom"))
_OF_ANYTHING = frozenset(NamedNode(OWL + name) for name in ("Thing", "Nothing", "NamedIndividual"))
_MOST_TRIPLES = 50_000

Step = tuple[Triple, ...]
"""Triples from which another follows; those that are axioms are left out."""


def is_axiom(triple: Triple) -> bool:
    """Whether a triple speaks of classes and properties, or is a piece of such an axiom."""
    if triple.predicate == TYPE:
        kind = triple.object
        return isinstance(kind, NamedNode) and kind not in _OF_ANYTHING and kind.value.startswith((OWL, RDF, RDFS))
    name = triple.predicate.value
    is_of_owl = name.startswith(OWL) and triple.predicate not in _ABOUT_INDIVIDUALS
    return (
        is_of_owl
        or name.startswith(RDF)
        or name.removeprefix(RDFS)
        in {
            "subClassOf",
            "subPropertyOf",
            "domain",
            "range",
        }
    )


class Derivations:
    """The graph below some triples.

    Args:
        prover: of the knowledge that they belong to.
        goals: what is to be explained.
    """

    def __init__(self, prover: Prover, goals: Iterable[Triple]) -> None:
        self._prover = prover
        self._steps: dict[Triple, set[Step]] = {}
        self._stated: set[Triple] = set()
        waiting = [goal for goal in goals if not is_axiom(goal)]
        while waiting and len(self._steps) < _MOST_TRIPLES:
            triple = waiting.pop()
            if triple not in self._steps:
                waiting.extend(self._expand(triple))

    def stated_below(self, goals: Iterable[Triple]) -> frozenset[Triple]:
        """The statements that any derivation of some triples may use."""
        return frozenset(self._below(goals) & self._stated)

    def statements(self, goals: Sequence[Triple], without: Collection[Triple] = ()) -> frozenset[Triple] | None:
        """The statements that a shortest derivation of all goals uses.

        Args:
            goals: triples of the graph.
            without: statements that nobody makes any more.

        Returns:
            `None`: one of the goals does not follow.
        """
        used = self._cheapest(self._below(goals), without)
        if any(goal not in used for goal in goals if not is_axiom(goal)):
            return None
        return _union(used, goals)

    def _expand(self, triple: Triple) -> Iterator[Triple]:
        steps = self._steps[triple] = set()
        if self._prover.stating(triple):
            self._stated.add(triple)
        for instance in self._prover.instances(triple):
            step = tuple(sorted({premise for premise in instance.premises if not is_axiom(premise)}, key=str))
            if triple not in step and step not in steps:
                steps.add(step)
                yield from step

    def _below(self, goals: Iterable[Triple]) -> set[Triple]:
        found: set[Triple] = set()
        waiting = [goal for goal in goals if goal in self._steps]
        while waiting:
            triple = waiting.pop()
            if triple not in found:
                found.add(triple)
                waiting.extend(premise for step in self._steps.get(triple, ()) for premise in step)
        return found

    def _cheapest(self, triples: set[Triple], without: Collection[Triple]) -> dict[Triple, frozenset[Triple]]:
        """Of each triple that follows, the statements of a derivation that uses few of them."""
        used = {t: frozenset({t}) for t in triples if t in self._stated and t not in without}
        changed = True
        while changed:
            changed = False
            for triple in triples:
                for step in self._steps.get(triple, ()):
                    if all(premise in used for premise in step):
                        needed = _union(used, step)
                        if triple not in used or len(needed) < len(used[triple]):
                            used[triple] = needed
                            changed = True
        return used


def _union(sets: Mapping[Triple, frozenset[Triple]], triples: Iterable[Triple]) -> frozenset[Triple]:
    return frozenset(statement for triple in triples for statement in sets.get(triple, ()))


def is_nameable(triple: Triple) -> bool:
    """Whether SPARQL can name the triple: it has no blank node."""
    return all(isinstance(term, NamedNode | Literal) for term in triple)
