"""What is there instead of what a pattern asks for, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyoxigraph as ox
from rdflib import Literal, URIRef

from ...semfilter import term_text
from ..prefixed_text import with_prefixes
from .event_view import EventView, Solution, Term
from .path_conjuncts import TriplePattern
from .witness import term_of

_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_OWL = "http://www.w3.org/2002/07/owl#"
_SHOWN = 4

Unlinked = Callable[[Term], str]
"""Says of what is no individual, or none that is known, what is near to it, or nothing."""


def nearest_alternative(
    view: EventView, pattern: TriplePattern, bound: Solution, event: str, unlinked: Unlinked
) -> str:
    """What is there instead of a pattern that has no solution.

    Args:
        view: the knowledge with the event.
        pattern: has none, together with what is bound.
        bound: values of the variables of what holds.
        event: IRI of the event.
        unlinked: asked about what is no individual, or none that the knowledge speaks of.
    """
    subject, value = term_of(pattern.subject, bound), term_of(pattern.object, bound)
    if isinstance(subject, ox.Literal):
        return f"{view.wording.term(subject)} is no individual{unlinked(subject)}"
    if isinstance(subject, ox.NamedNode) and subject.value != event and not _is_known(view, subject):
        return f"the knowledge says nothing of {view.wording.term(subject)}{unlinked(subject)}"
    if not isinstance(pattern.predicate, URIRef):
        return _along(view, pattern, subject)
    predicate = ox.NamedNode(str(pattern.predicate))
    if subject is None:
        return _of_nobody(view, predicate, value)
    if predicate == _TYPE and isinstance(value, ox.NamedNode):
        return _of_class(view, subject, value, "the event" if subject == ox.NamedNode(event) else "")
    return _of_property(view, subject, predicate, value, "the event" if subject == ox.NamedNode(event) else "")


def _of_class(view: EventView, subject: Term, wanted: ox.NamedNode, name: str) -> str:
    name, kind = name or view.wording.term(subject), view.wording.term(wanted)
    classes = {t for t in view.objects(subject, _TYPE) if isinstance(t, ox.NamedNode) and not t.value.startswith(_OWL)}
    if not classes:
        return f"{name} is of no class"
    said = f"{name} is {_listed([f'a {view.wording.term(c)}' for c in _most_special(view, classes)])}, no {kind}"
    shared = classes & {ox.NamedNode(iri) for iri in view.knowledge.superclasses(wanted.value)}
    near = _most_special(view, shared)
    return f"{said}; nearest: both are {_listed([view.wording.term(c) for c in near])}" if near else said


def _of_property(view: EventView, subject: Term, predicate: ox.NamedNode, wanted: Term | None, name: str) -> str:
    name, shown = name or view.wording.term(subject), view.wording.term(predicate)
    values = view.objects(subject, predicate)
    if values and wanted is not None:
        return (
            f"{name} has {_listed([view.wording.term(v) for v in values])} as {shown}, not {view.wording.term(wanted)}"
        )
    if values:
        return f"{name} has {_listed([view.wording.term(v) for v in values])} as {shown}, which fits nothing else"
    turned = [q.subject for q in view.store.quads_for_pattern(None, predicate, subject)]
    if turned:
        named = [view.wording.term(t) for t in turned if isinstance(t, ox.NamedNode | ox.BlankNode)]
        return f"{name} has no {shown}; the other way round, {_listed(sorted(named))} has it"
    others = {q.predicate for q in view.store.quads_for_pattern(_node(subject), None, None)} - {_TYPE}
    has = f"; it has {_listed(sorted(view.wording.term(p) for p in others))}" if others else ""
    return f"{name} has no {shown}{has}"


def _of_nobody(view: EventView, predicate: ox.NamedNode, wanted: Term | None) -> str:
    shown = view.wording.term(predicate)
    if wanted is None:
        return f"nothing has {shown}"
    values = {q.object for q in view.store.quads_for_pattern(None, predicate, None)}
    has = f"; there are {_listed(sorted(view.wording.term(v) for v in values))}" if values else ""
    return f"nothing has {view.wording.term(wanted)} as {shown}{has}"


def _along(view: EventView, pattern: TriplePattern, subject: Term | None) -> str:
    where = view.wording.term(subject) if subject is not None else "anything"
    path = with_prefixes(str(term_text(pattern.predicate)), view.knowledge.prefixes)
    return f"no way leads from {where} along {path}"


def _most_special(view: EventView, classes: Iterable[ox.NamedNode]) -> list[ox.NamedNode]:
    """Those that are not above others; of equivalent ones the first by name."""
    chosen: list[ox.NamedNode] = []
    known = {c.value for c in classes}
    for iri in sorted(known):
        below = {other for other in known - {iri} if iri in view.knowledge.superclasses(other)}
        same = view.knowledge.equivalents(iri)
        if not below - same and not any(c.value in same for c in chosen):
            chosen.append(ox.NamedNode(iri))
    return chosen


def _is_known(view: EventView, node: ox.NamedNode) -> bool:
    """Whether the knowledge speaks of it: the event alone does not."""
    patterns = ((node, None, None), (None, None, node))
    return any(next(view.knowledge.store.quads_for_pattern(*pattern), None) for pattern in patterns)


def _node(term: Term) -> ox.NamedNode | ox.BlankNode | None:
    return None if isinstance(term, ox.Literal) else term


def _listed(words: Sequence[str]) -> str:
    shown = list(words[:_SHOWN])
    if len(words) > _SHOWN:
        return f"{', '.join(shown)} and {len(words) - _SHOWN} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def part_text(view: EventView, part: object, bound: Solution) -> str:
    """A part of a pattern as people read it: the value of a variable, else what stands there."""
    term = term_of(part, bound)
    if term is not None:
        return view.wording.term(term)
    return view.wording.term(ox.NamedNode(str(part))) if isinstance(part, URIRef | Literal) else str(term_text(part))
