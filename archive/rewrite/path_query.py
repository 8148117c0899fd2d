"""PATHs as SPARQL over the store: each is a SELECT of its own, so that its variables stay its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from rdflib import URIRef, Variable

from ...annotator import EventShape
from ...expressions import RefusedError
from ...language.nodes import AllOf, AnyOf, Semantics, Source, Subquery
from ...ontology import KnowledgeBase
from ...semfilter import KNOWN_SMALL, PlanContext, triple_text
from ...semfilter.rules import compile_subquery, event_dependencies, most_solutions, plan_context


@dataclass(frozen=True, slots=True)
class PathPattern:
    """Parts of a graph pattern whose solutions are the events that PATHs hold for, with what they bind outside.

    Attributes:
        before: what stands first.
        own: triples to be found in the graph of the event; if there are some, solutions come several times.
        behind: FILTERs behind that graph.
        apart: whether all that is asked of the default graph is knowledge.
    """

    before: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    apart: bool = True


def semantics_text(source: Source, shape: EventShape, knowledge: KnowledgeBase, anchor: str) -> PathPattern:
    """PATHs as SPARQL.

    Args:
        source: the event variable and its PATHs.
        shape: of the events.
        knowledge: what the store knows, too.
        anchor: a graph pattern that binds the event variable to the events there are.

    Raises:
        RefusedError: a PATH means something else where many events are.
    """
    if source.semantics is None:
        return PathPattern()
    context = plan_context(source, shape, knowledge)
    text = _text(source.semantics, context, anchor)
    if isinstance(source.semantics, Subquery) and not context.known_events:
        return _by_graph(source.semantics) or PathPattern(before=(text,), apart=False)
    return PathPattern(before=(text,), apart=False)


def _by_graph(subquery: Subquery) -> PathPattern | None:
    """A PATH whose triples are known to be knowledge or the event's own; `None`: they are not.

    Asked for where they are, they are joined event by event. A SELECT of its own is joined as a whole, and among
    several graphs each triple is looked for in all of them.
    """
    event = Variable(subquery.variable)
    own = [triple for triple in subquery.triples if triple.subject == event]
    known = [triple for triple in subquery.triples if triple.subject != event]
    tied = {triple.object for triple in subquery.triples}
    loose = any(not isinstance(t.subject, URIRef) and t.subject not in tied for t in known)
    paths = any(not isinstance(t.predicate, URIRef) for t in subquery.triples)
    if not (subquery.flat and own) or loose or paths or event in tied:
        return None
    return PathPattern(
        tuple(f"{triple_text(t)} ." for t in known),
        tuple(f"{triple_text(t)} ." for t in own),
        tuple(f"FILTER ({f.text})" for f in subquery.filters),
    )


def _text(semantics: Semantics, context: PlanContext, anchor: str) -> str:
    match semantics:
        case Subquery():
            return _subquery(semantics, context, anchor)
        case AllOf(parts):
            return " ".join(_text(part, context, anchor) for part in parts)
        case AnyOf(parts):
            branches = " UNION ".join(f"{{ {_text(part, context, anchor)} }}" for part in parts)
            names = " ".join(f"?{name}" for name in (_variable(semantics), *_bindings(semantics)))
            return f"{{ SELECT DISTINCT {names} WHERE {{ {branches} }} }}"
        case _:
            assert_never(semantics)


def _subquery(subquery: Subquery, context: PlanContext, anchor: str) -> str:
    if most_solutions(subquery.text, context.knowledge, subquery.variable) > KNOWN_SMALL:
        raise RefusedError(f"a PATH of ?{subquery.variable} may take long, and is evaluated where it can be ended")
    plan = compile_subquery(subquery, context)
    if plan.residual is not None:
        if (reason := plan.residual.unbatchable) is not None:
            raise RefusedError(f"a PATH of ?{subquery.variable} cannot be asked of many events at once: {reason}")
        if event_dependencies(subquery.text, subquery.variable, context).properties is None:
            raise RefusedError(f"a PATH of ?{subquery.variable} may see more triples of an event than a live one has")
    names = " ".join(f"?{name}" for name in (subquery.variable, *subquery.bindings))
    before = "" if _binds_the_event(subquery) else anchor
    return f"{{ SELECT DISTINCT {names} WHERE {{ {before} {subquery.text}\n }} }}"


def _binds_the_event(subquery: Subquery) -> bool:
    event = Variable(subquery.variable)
    return subquery.flat and any(triple.subject == event for triple in subquery.triples)


def _variable(semantics: Semantics) -> str:
    return semantics.variable if isinstance(semantics, Subquery) else _variable(semantics.parts[0])


def _bindings(semantics: Semantics) -> tuple[str, ...]:
    if isinstance(semantics, Subquery):
        return semantics.bindings
    return tuple(dict.fromkeys(name for part in semantics.parts for name in _bindings(part)))
