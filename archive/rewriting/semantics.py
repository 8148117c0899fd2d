"""PATHs as SPARQL over the store: each is a SELECT of its own, so that its variables stay its own."""

from __future__ import annotations

from typing import assert_never

from rdflib import Variable

from ...annotator import EventShape
from ...language.query import AllOf, AnyOf, Semantics, Source, Subquery
from ...ontology import KnowledgeBase
from ...semfilter.compile import compile_subquery, context_of
from ...semfilter.plan import Context
from ...semfilter.settle import visibility
from .refusal import RefusedError


def semantics_text(source: Source, shape: EventShape, knowledge: KnowledgeBase, anchor: str) -> str:
    """A graph pattern whose solutions are the events that the PATHs hold for, with what they bind outside.

    Args:
        source: the event variable and its PATHs.
        shape: of the events.
        knowledge: what the store knows, too.
        anchor: a graph pattern that binds the event variable to the events there are.

    Raises:
        RefusedError: a PATH means something else where many events are.
    """
    if source.semantics is None:
        return ""
    return _text(source.semantics, context_of(source, shape, knowledge), anchor)


def _text(semantics: Semantics, context: Context, anchor: str) -> str:
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


def _subquery(subquery: Subquery, context: Context, anchor: str) -> str:
    plan = compile_subquery(subquery, context)
    if plan.never is None:
        if plan.alone is not None:
            raise RefusedError(f"a PATH of ?{subquery.variable} cannot be asked of many events at once: {plan.alone}")
        if visibility(subquery.text, subquery.variable, context).properties is None:
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
