"""Queries that are asked once: STATE, PARTIAL and CONTEXTS in FROM, and ORDER BY (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ....errors import did_you_mean
from ... import syntax_tree as syntax
from ...name_lookup import Names
from ...nodes import (
    AttributeType,
    Expression,
    Item,
    Kind,
    KnownState,
    Query,
    SortOrder,
    StateReference,
    StreamType,
    ValueType,
    negated_variables,
    quantified_variables,
)
from ...source_text import Span, listed
from ...syntax import parse_document
from ..contexts import changes_stream, find_set
from ..resolution import Scope, resolve
from .state_stream import united
from .unregistered import CoveredState

__all__ = ["asks_of_states", "check_on_demand", "known_state", "order_items", "references_of", "state_streams"]

_ONCE = "kaicep ask or evaluate(…, ask_at=moment)"
_OWN = ("_bound", "_since", "_until")


def asks_of_states(text: str, source: str = "query") -> bool:
    """Whether the last query of a document can be asked once only: it reads STATE or PARTIAL.

    Raises:
        QuerySyntaxError: the text is no χ-CEP.
    """
    statements = [part for part in parse_document(text, source) if isinstance(part, syntax.Statement)]
    last = statements[-1].query.sources if statements else ()
    return any(isinstance(s.stream, syntax.StateOfQuery | syntax.StateOfBody | syntax.PartialsOfQuery) for s in last)


def known_state(query: Query) -> KnownState:
    """What may be asked of the state of a registered query."""
    if query.rule is not None:
        return KnownState({}, refusal=("it is a rule, which has none", "ask about the query that it is ON"))
    negated = negated_variables(query.pattern)
    streams = {s.variable: s.stream for s in query.sources if s.variable not in negated}
    runs = frozenset(name for name, several in quantified_variables(query.pattern).items() if several)
    return KnownState(streams, runs, query.kind is not Kind.AGGREGATION, None, query)


def check_on_demand(names: Names, statement: syntax.Statement, *, once: bool) -> None:
    """Refuse what only a query that is asked once may say, and what such a query may not.

    Raises:
        QueryTypeError: with its place and the way out.
    """
    tree = statement.query
    if not once:
        for node in tree.sources:
            if isinstance(node.stream, syntax.StateOfQuery | syntax.StateOfBody | syntax.PartialsOfQuery):
                word = "PARTIAL" if isinstance(node.stream, syntax.PartialsOfQuery) else "STATE"
                hint = f"ask it by itself, with {_ONCE}"
                message = f"{word} is as it is at one moment, and a registered query goes on"
                raise names.source.type_error(node.stream.span, message, hint)
        if tree.order_by is not None:
            hint = f"leave ORDER BY out: rows come by their time; or ask of a state, with {_ONCE}"
            raise names.source.type_error(tree.order_by.span, "rows that go on coming have no other order", hint)
        return
    refused: list[tuple[Span, str, str]] = []
    if statement.name is not None:
        refused.append((statement.name.span, "a query that is asked once has no output to name", "begin with SELECT"))
    for clause, what in ((tree.change, "changes a context"), (tree.in_context, "is in a context")):
        if clause is not None:
            message = f"a query that is asked once never {what}" if clause is tree.change else f"no state {what}"
            refused.append((clause.span, message, "read CONTEXTS(…) in FROM"))
    if tree.within is not None:
        hint = "leave WITHIN out; FILTER (?e._time > …) chooses by time"
        refused.append((tree.within.span, "a state is of one moment, and has no WITHIN", hint))
    if tree.output is not None:
        refused.append((tree.output.span, "a query that is asked once answers at once", "leave OUTPUT out"))
    streams = [node.stream for node in tree.sources if isinstance(node.stream, syntax.Name)]
    refused += [(stream.span, *_of_stream(names, stream.text)) for stream in streams]
    if not tree.sources:
        states = _with_states(names)
        hint = f"add FROM (?e, STATE({states[0]}))" if states else "register a query with a name first"
        span = Span(tree.span.start, tree.span.start + len("SELECT"))
        refused.append((span, "FROM is missing: which state is asked of?", hint))
    if refused:
        raise names.source.type_error(*refused[0])


def _of_stream(names: Names, stream: str) -> tuple[str, str]:
    hint = f"write STATE({stream})" if stream in _with_states(names) else "write STATE(…) of a registered query"
    return f"'{stream}' goes on, and this query is asked once", hint


def state_streams(
    names: Names,
    node: syntax.StateOfQuery | syntax.StateOfBody | syntax.PartialsOfQuery | syntax.ContextChanges,
    covered: Mapping[Span, CoveredState] = MappingProxyType({}),
) -> StreamType:
    """What STATE, PARTIAL or CONTEXTS of a query that is asked once gives, as a stream; `covered` answers bodies.

    Raises:
        QueryTypeError: the query is not known, has no such variable, or nothing can be asked of it.
    """
    match node:
        case syntax.ContextChanges():
            changes = changes_stream(find_set(names, node.set).set)
            return replace(changes, attributes=tuple(a for a in changes.attributes if a.name != "change"))
        case syntax.PartialsOfQuery():
            return _partial(names, node)
        case syntax.StateOfBody():
            return covered[node.span].stream
        case _:
            return _state(names, node)


def _with_states(names: Names) -> list[str]:
    """The names of known queries that are no rules."""
    return sorted(name for name, state in names.vocabulary.states.items() if state.variables)


def _known(names: Names, name: syntax.Name) -> KnownState:
    states = names.vocabulary.states
    if name.text not in states:
        known = _with_states(names)
        hint = did_you_mean(name.text, known) or (
            f"known are {listed(known, 'and')}" if known else "give the query a name: CREATE QUERY name AS …"
        )
        raise names.source.type_error(name.span, f"no query '{name.text}' is registered", hint)
    state = states[name.text]
    if state.refusal is not None:
        message, hint = state.refusal
        raise names.source.type_error(name.span, f"nothing can be asked of the state of '{name.text}': {message}", hint)
    return state


def _state(names: Names, node: syntax.StateOfQuery) -> StreamType:
    known = _known(names, node.query)
    if node.variable is None:
        return united(names, f"STATE({node.query.text})", node.span, known.variables, node.query.text)
    found = known.variables.get(node.variable.name)
    if found is None:
        hint = did_you_mean(node.variable.name, list(known.variables)) or (
            f"it binds {listed([f'?{name}' for name in known.variables], 'and')}"
        )
        message = f"no event of '{node.query.text}' is bound to ?{node.variable.name}"
        raise names.source.type_error(node.variable.span, message, hint)
    return replace(found, name=f"STATE({node.query.text}.?{node.variable.name})", depends_on=frozenset())


def _partial(names: Names, node: syntax.PartialsOfQuery) -> StreamType:
    known = _known(names, node.query)
    if not known.partial:
        hint = f"ask for the events of its windows: STATE({node.query.text})"
        raise names.source.type_error(node.span, f"'{node.query.text}' is an aggregate and has no matches", hint)
    own = [
        AttributeType("_bound", ValueType.STRING),
        AttributeType("_since", ValueType.DATETIME),
        AttributeType("_until", ValueType.DATETIME),
    ]
    for variable, stream in known.variables.items():
        for a in (a for a in stream.attributes if a.name != "_time"):
            run = variable in known.runs
            own.append(
                AttributeType(f"{variable}_{a.name}", ValueType.STRING if run else a.type, unit=None if run else a.unit)
            )
    return StreamType(f"PARTIAL({node.query.text})", (*own, AttributeType("_time", ValueType.DATETIME)))


def references_of(
    tree: syntax.SelectQuery, covered: Mapping[Span, CoveredState] = MappingProxyType({})
) -> tuple[StateReference, ...]:
    """What a query that is asked once reads, in order of FROM; `covered` answers bodies."""
    found = []
    for node in tree.sources:
        match node.stream:
            case syntax.StateOfQuery(query=query, variable=variable):
                found.append(StateReference(query.text, None if variable is None else variable.name))
            case syntax.StateOfBody(span=span):
                found.append(covered[span].reference)
            case syntax.PartialsOfQuery(query=query):
                found.append(StateReference(query.text, partial=True))
            case syntax.ContextChanges(set=of):
                found.append(StateReference(of.text, contexts=True))
    return tuple(found)


def order_items(scope: Scope, clause: syntax.OrderClause | None) -> tuple[tuple[Item, ...], tuple[SortOrder, ...]]:
    """The hidden items that have the keys of ORDER BY, and the keys.

    Raises:
        QueryTypeError: as `resolve`.
    """
    items: list[Item] = []
    orders: list[SortOrder] = []
    for number, key in enumerate(() if clause is None else clause.keys):
        value: Expression = resolve(scope, key.value)
        item = Item(f"order by {number}", value, None, value.type, key.span, hidden=True)
        items.append(item)
        orders.append(SortOrder(item.name, key.descending))
    return tuple(items), tuple(orders)
