"""Which individuals a contradiction needs, when only a DL reasoner sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyoxigraph import NamedNode, Triple

from ..terms import OWL, RDF, RDFS, TYPE

_VOCABULARY = (OWL, RDF, RDFS)


def conflicting_individuals(
    triples: Sequence[Triple], is_consistent: Callable[[Sequence[Triple]], bool]
) -> tuple[NamedNode, ...]:
    """A smallest set of individuals whose statements, with the rest of the ontology, have no model.

    No one of them can be left out; there may be other such sets. Empty: the ontology contradicts itself without any.

    Source: Junker, QUICKXPLAIN: Preferred Explanations and Relaxations for Over-Constrained Problems, AAAI 2004.
    """
    individuals = _individuals(triples)

    def without(kept: Sequence[NamedNode]) -> list[Triple]:
        left_out = set(individuals) - set(kept)
        return [t for t in triples if t.subject not in left_out and t.object not in left_out]

    def explain(background: list[NamedNode], rest: list[NamedNode], *, grown: bool) -> list[NamedNode]:
        if grown and not is_consistent(without(background)):
            return []
        if len(rest) == 1:
            return rest
        first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        of_second = explain(background + first, second, grown=True)
        of_first = explain(background + of_second, first, grown=bool(of_second))
        return of_first + of_second

    if not individuals or not is_consistent(without([])):
        return ()
    return tuple(explain([], individuals, grown=False))


def _individuals(triples: Sequence[Triple]) -> list[NamedNode]:
    """Named subjects that are of a class of the ontology, not of OWL's own, and are no class themselves."""
    classes = {t.object for t in triples if t.predicate == TYPE}
    found: dict[NamedNode, None] = {}
    for triple in triples:
        kind = triple.object
        own = isinstance(kind, NamedNode) and not kind.value.startswith(_VOCABULARY)
        named = kind == NamedNode(OWL + "NamedIndividual")
        if triple.predicate == TYPE and (own or named) and isinstance(triple.subject, NamedNode):
            found[triple.subject] = None
    return [node for node in found if node not in classes]
