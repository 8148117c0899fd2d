"""STATE({ SELECT … }): of a query that nobody registered, from the state of a registered one that covers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from ... import syntax_tree as syntax
from ...cover import Cover, NoCover, cover_of, takes_what_there_is
from ...name_lookup import Names
from ...nodes import (
    AfterMatchKind,
    KnownState,
    Query,
    StateReference,
    StreamType,
    negated_variables,
    normal_text,
)
from ...source_text import Span
from .state_stream import united

__all__ = ["CoveredState", "covered_states"]

_ANY_TIME = timedelta(days=36_500)
"""What bounds the events of a body in place of what bounds those of the query that covers it."""


@dataclass(frozen=True, slots=True)
class CoveredState:
    """What answers STATE of a body.

    Attributes:
        reference: the registered query, and the body where its state is less.
        stream: what the events look like.
    """

    reference: StateReference
    stream: StreamType


def covered_states(
    names: Names, tree: syntax.SelectQuery, check: Callable[[syntax.Statement, timedelta], Query]
) -> Mapping[Span, CoveredState]:
    """What answers the bodies in FROM of a query that is asked once, by their places.

    Args:
        names: the registered queries among them.
        tree: the query.
        check: a body as a query of its own, of which events are kept so long where nothing in it bounds them.

    Raises:
        QueryTypeError: a body means nothing, says what no state has, or no registered query is known to cover it.
    """
    found = {}
    for node in tree.sources:
        if isinstance(node.stream, syntax.StateOfBody):
            body = cast("syntax.SelectQuery", node.stream.query)
            _check_body(names, body)
            statement = syntax.Statement(name=None, query=body, rule=None, span=body.span)
            found[node.stream.span] = _covered(names, check(statement, _ANY_TIME), node.stream)
    return found


def _check_body(names: Names, body: syntax.SelectQuery) -> None:
    for clause, message, hint in (
        (body.change, "a query that changes a context has no state", "begin with SELECT"),
        (body.within, "it looks at what the registered query does, and has no WITHIN", "leave WITHIN out"),
        (body.in_context, "no registered query answers for one in contexts", "register it: CREATE QUERY name AS …"),
        (body.limit, "a state has no LIMIT", "leave LIMIT out, or put it behind the query that asks"),
        (body.output, "a query that is asked once answers at once", "leave OUTPUT out"),
    ):
        if clause is not None:
            raise names.source.type_error(clause.span, message, hint)


def _covered(names: Names, body: Query, node: syntax.StateOfBody) -> CoveredState:
    """By the first registered query that covers it; of several one that says the same comes first."""
    reasons: list[str] = []
    queries = [known for known in names.vocabulary.states.items() if known[1].variables]  # rules hold nothing
    candidates = sorted(queries, key=lambda known: not _is_same(body, known[1]))
    for name, known in candidates:
        found = _decide(names, body, known)
        if isinstance(found, Cover):
            wide = cast("Query", known.query)
            own = None if _is_same(body, known) else _as_registered(body, wide)
            reference = StateReference(name, body=own, cover=str(found))
            return CoveredState(reference, _stream(names, body, node))
        reasons.append(f"'{name}': {found}")
    message = "no registered query is known to hold the state of this one" + "".join(f"; {each}" for each in reasons)
    raise names.source.type_error(node.span, message, "register it, CREATE QUERY name AS …, and ask later")


def _decide(names: Names, body: Query, known: KnownState) -> Cover | NoCover:
    """Whether a registered query covers a body, whose events are those of its state then."""
    if known.refusal is not None or known.query is None:
        return NoCover(known.refusal[0] if known.refusal is not None else "nothing is known of it")
    found = cover_of(known.query, _as_registered(body, known.query), names.vocabulary.terms)
    negates = negated_variables(body.pattern) or body.after_match.kind is not AfterMatchKind.KEEP_ALL
    if isinstance(found, Cover) and (negates or takes_what_there_is(body)) and not _is_same(body, known):
        return NoCover("what this one passes over, counts or forbids is not in its state")
    return found


def _as_registered(body: Query, wide: Query) -> Query:
    """A body as if it had been registered with another query, and were bounded as that is."""
    retention = None if body.retention is None else wide.retention
    return replace(body, bounds=wide.bounds, retention=retention)


def _is_same(body: Query, known: KnownState) -> bool:
    """Whether a registered query differs in nothing but what it reports."""
    wide = known.query
    return wide is not None and _said(_as_registered(body, wide)) == _said(wide)


def _said(query: Query) -> tuple[object, ...]:
    return normal_text(replace(query, items=(), distinct=False)), query.retention


def _stream(names: Names, body: Query, node: syntax.StateOfBody) -> StreamType:
    negated = negated_variables(body.pattern)
    streams = {s.variable: s.stream for s in body.sources if s.variable not in negated}
    return united(names, f"STATE({{ {body.normal} }})", node.span, streams)
