"""Which partition a deriving query changes: what AT says, else what is known to agree in the events of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import syntax_tree as syntax
from ...nodes import (
    Aggregate,
    Binary,
    Call,
    Column,
    ContextKey,
    ContextSet,
    Element,
    Expression,
    Item,
    Kind,
    Pattern,
    conjuncts,
    is_individual,
    named_attribute,
    quantified_variables,
    surely_bound,
    walk_pattern,
)
from ...source_text import Span
from ..query_draft import Draft
from ..resolution import Beside, Scope
from .placements import Missing, check_count, resolve_key, usual_column

PartitionKeys = Sequence[Sequence[tuple[str, str]]]
"""PARTITION BY: for each attribute, the column of each event variable."""


def carriers(matched: Sequence[str], pattern: Pattern | None) -> tuple[Beside, ...]:
    """Of which event variables a match's own values are taken: one that it surely binds, else all of them.

    Args:
        matched: the event variables that come into question, none of them under NOT.
        pattern: of SEQ.
    """
    quantified = quantified_variables(pattern)
    sure = _sure(matched, pattern)
    single = [name for name in sure if not quantified.get(name)]
    return tuple(Beside(name, bool(quantified.get(name))) for name in single[:1] or sure[:1] or matched)


def _sure(matched: Sequence[str], pattern: Pattern | None) -> list[str]:
    """The variables that every match binds: those that SEQ does not name, and those that it cannot do without."""
    parts = () if pattern is None else walk_pattern(pattern)
    named = {part.variable for part in parts if isinstance(part, Element)}
    sure = surely_bound(pattern)
    return [name for name in matched if name not in named or name in sure]


def written_keys(scope: Scope, of: ContextSet, written: syntax.KeyValues) -> tuple[Item, ...]:
    """The hidden items that AT says.

    Raises:
        QueryTypeError: too few or too many, or of types that do not fit.
    """
    check_count(scope, of, written, "AT (…)")
    return _items([resolve_key(scope, of, key, value) for key, value in zip(of.keys, written.values, strict=True)])


def known_keys(scope: Scope, of: ContextSet, draft: Draft, partition_by: PartitionKeys, span: Span) -> tuple[Item, ...]:
    """The hidden items where there is no AT.

    Args:
        scope: of the query.
        of: the set that is changed.
        draft: the query.
        partition_by: what PARTITION BY means.
        span: of the change, for messages.

    Raises:
        QueryTypeError: the keys are not known to agree in the events of a match.

    Source: LANGUAGE-2 §6.
    """
    if draft.in_context is not None and draft.in_context.sets == (of.name,):
        places = {place.variable: place.keys for place in draft.in_context.placements}
        found = carriers([name for name in draft.matched if name in places], draft.pattern)
        return _items([_taken(found, {v: keys[i] for v, keys in places.items()}) for i in range(len(of.keys))])
    hint = f"say which partition changes: AT ({', '.join('…' for _ in of.keys)})"
    columns = {v: [usual_column(scope, of, key, v, Missing(span, hint)) for key in of.keys] for v in draft.matched}
    if not _is_one_event(draft):
        for place, key in enumerate(of.keys):
            if not _agrees(scope, draft, partition_by, key, {v: each[place] for v, each in columns.items()}):
                message = f"key '{key.name}' of '{of.name}' is not known to agree in the events of a match"
                raise scope.error(span, message, hint)
    found = carriers(draft.matched, draft.pattern)
    return _items([_taken(found, {v: each[i] for v, each in columns.items()}) for i in range(len(of.keys))])


def _items(values: Sequence[Expression]) -> tuple[Item, ...]:
    return tuple(
        Item(f"#key{place}", value, None, value.type, value.span, hidden=True) for place, value in enumerate(values)
    )


def _taken(found: Sequence[Beside], values: Mapping[str, Expression]) -> Expression:
    """A key's value in the first of some events that a match binds."""
    taken: list[Expression] = []
    for event in found:
        value = values[event.variable]
        taken.append(Aggregate("FIRST", event.variable, value, value.type, value.span) if event.several else value)
    return taken[0] if len(taken) == 1 else Call("COALESCE", tuple(taken), taken[0].type, taken[0].span)


def _is_one_event(draft: Draft) -> bool:
    return draft.kind is not Kind.AGGREGATION and len(draft.matched) == 1 and not draft.quantified.get(draft.matched[0])


def _agrees(
    scope: Scope, draft: Draft, partition_by: PartitionKeys, key: ContextKey, columns: Mapping[str, Column]
) -> bool:
    """Whether all events of a match surely have the same value of a key."""
    same = {v: _equal_columns(scope, key, v, columns) for v in draft.matched}
    if draft.kind is Kind.AGGREGATION:
        return any(isinstance(e, Column) and e.name in same[e.variable] for e in draft.group_by)
    if any(all((v, dict(pairs).get(v)) in {(v, name) for name in same[v]} for v in same) for pairs in partition_by):
        return True
    return _are_joined(draft, same)


def _equal_columns(scope: Scope, key: ContextKey, variable: str, columns: Mapping[str, Column]) -> set[str]:
    """The columns that agree only where the key does: its own, and in events of one stream the raw value of it."""
    attribute = named_attribute(scope.streams[variable], key.name)
    one = len({scope.streams[name].name for name in columns}) == 1
    raw = {attribute.name} if attribute is not None and is_individual(attribute) and one else set()
    return {columns[variable].name} | raw


def _are_joined(draft: Draft, same: Mapping[str, set[str]]) -> bool:
    """Whether equality JOINs lead from an event that is surely there to all others, over such as are surely there."""
    if len(same) == 1:
        return False  # a run
    pairs = [pair for join in draft.joins for each in conjuncts(join) if (pair := _equated(each, same))]
    pairs = [pair for pair in pairs if not all(map(draft.quantified.get, pair))]  # perhaps of each repetition by itself
    sure = _sure(draft.matched, draft.pattern)
    reached = set(sure[:1])
    grown = True
    while grown:
        new = {b for a, b in (*pairs, *((b, a) for a, b in pairs)) if a in reached and a in sure} - reached
        reached, grown = reached | new, bool(new)
    return reached == set(same)


def _equated(condition: Expression, same: Mapping[str, set[str]]) -> tuple[str, str] | None:
    """The two variables whose keys a condition equates."""
    match condition:
        case Binary(operator="=", left=Column(variable=a, name=one), right=Column(variable=b, name=other)):
            known = a in same and b in same and one in same[a] and other in same[b]
            return (a, b) if known else None
    return None
