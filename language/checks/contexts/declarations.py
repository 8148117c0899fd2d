"""CREATE CONTEXTS: from the syntax tree to a checked set of contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ... import syntax_tree as syntax
from ...name_lookup import Names, local_name
from ...nodes import (
    AttributeType,
    Bounds,
    Context,
    ContextKey,
    ContextSet,
    Query,
    StreamType,
    ValueType,
    Vocabulary,
    is_individual,
    named_attribute,
)
from ..resolution import common
from .calendar_text import resolve_calendar
from .context_normal_form import context_set_text

KeyTypes = Mapping[tuple[str, str], ValueType]
"""Of which types keys are, by set and key."""
_COLUMNS = ("context", "change", "since", "_time", "_id")


def resolve_contexts(
    names: Names, node: syntax.ContextSetDeclaration, bounds: Bounds, said: KeyTypes = MappingProxyType({})
) -> ContextSet:
    """The checked form of CREATE CONTEXTS.

    Args:
        names: prefixes, and the streams whose attributes say of which types the keys are.
        node: as written.
        bounds: what its WITHIN means.
        said: of which types queries say that keys are, where no stream has them.

    Raises:
        QueryTypeError: no default or two, a name twice, a calendar without meaning, or another set of that name.

    Source: LANGUAGE-2 §6; CAESAR, Def. 1 and 4.
    """
    _check_default(names, node)
    _check_distinct(names, [context.name for context in node.contexts], "two contexts are called")
    contexts = tuple(_context(names, context) for context in node.contexts)
    keys = () if node.keys is None else tuple(_keys(names, node, node.keys, said))
    found = ContextSet(node.name.text, contexts, keys, bounds, "", node.span, names.source)
    found = replace(found, normal=context_set_text(found))
    known = names.vocabulary.contexts.get(found.name)
    if known is None or known.set.normal == found.normal:
        return found if known is None or ValueType.TERM in (key.type for key in known.set.keys) else known.set
    hint = f"it is declared as {known.set.normal}; call this one something else, such as {found.name}2"
    raise names.source.type_error(node.name.span, f"there is another set of contexts '{found.name}'", hint)


def _check_default(names: Names, node: syntax.ContextSetDeclaration) -> None:
    defaults = [context for context in node.contexts if context.default]
    first = node.contexts[0].name
    if not defaults:
        hint = f"say which holds when no other does: {first.text} DEFAULT"
        raise names.source.type_error(first.span, f"'{node.name.text}' has no default context", hint)
    if len(defaults) > 1:
        hint = "one context is the DEFAULT, which holds when no other does"
        raise names.source.type_error(defaults[1].span, f"'{node.name.text}' has two default contexts", hint)
    if not node.contexts[0].default:
        hint = f"write CREATE CONTEXTS {node.name.text} ({defaults[0].name.text} DEFAULT, …)"
        raise names.source.type_error(defaults[0].span, "the default context stands first", hint)


def _check_distinct(names: Names, given: Sequence[syntax.Name], message: str) -> None:
    for position, name in enumerate(given):
        if any(name.text == other.text for other in given[:position]):
            raise names.source.type_error(name.span, f"{message} '{name.text}'", "give the second another name")


def _context(names: Names, node: syntax.ContextDeclaration) -> Context:
    calendar = resolve_calendar(names, node.calendar) if node.calendar else None
    return Context(node.name.text, calendar, node.name.span)


def _keys(
    names: Names, node: syntax.ContextSetDeclaration, clause: syntax.KeyClause, said: KeyTypes
) -> Iterator[ContextKey]:
    taken = [*_COLUMNS]
    for key in clause.names:
        name = key.text if isinstance(key, syntax.Name) else names.expand(key)
        shown = key_column(name)
        if shown in taken:
            other = "a column of CONTEXTS(…)" if shown in _COLUMNS else "another key"
            hint = "take an equivalent name of the attribute"
            raise names.source.type_error(key.span, f"a key is called '{shown}', as {other}", hint)
        taken.append(shown)
        type_ = _type(names.vocabulary, name)
        yield ContextKey(name, said.get((node.name.text, name), type_) if type_ is ValueType.TERM else type_)


def key_column(key: str) -> str:
    """The attribute of CONTEXTS(…) that has the values of a key."""
    return local_name(key)


def _type(vocabulary: Vocabulary, name: str) -> ValueType:
    """The type to which the values of all streams that have the attribute can be brought; else that of the first."""
    found = (named_attribute(vocabulary.streams[stream], name) for stream in _streams(vocabulary))
    types = [ValueType.IRI if is_individual(attribute) else attribute.type for attribute in found if attribute]
    result = types[0] if types else ValueType.TERM
    for type_ in types[1:]:
        result = common(result, type_) or result
    return result


def said_types(queries: Iterable[Query]) -> dict[tuple[str, str], ValueType]:
    """The types of keys that no stream has: those of the values that queries first give for them."""
    found: dict[tuple[str, str], ValueType] = {}
    for query in queries:
        sets = {each.name: each for each in query.context_sets}
        given = [(p.set, p.keys) for p in query.in_context.placements] if query.in_context is not None else []
        for one in query.deriving:
            if one.change is not None:
                items = {item.name: item.value for item in one.items}
                given.append((one.change.context.set, tuple(items[name] for name in one.change.keys)))
        for name, values in given:
            for key, value in zip(sets[name].keys, values, strict=True):
                if key.type is ValueType.TERM and value.type is not ValueType.TERM:
                    found.setdefault((name, key.name), value.type)
    return found


def _streams(vocabulary: Vocabulary) -> Iterator[str]:
    """The source streams first."""
    yield from vocabulary.sources
    yield from (name for name in sorted(vocabulary.streams) if name not in vocabulary.sources)


def changes_stream(contexts: ContextSet) -> StreamType:
    """The stream of a set's changes."""
    keys = (
        AttributeType(key_column(key.name), key.type, key.name if ":" in key.name else None) for key in contexts.keys
    )
    attributes = (
        AttributeType("context", ValueType.STRING),
        AttributeType("change", ValueType.STRING),
        AttributeType("since", ValueType.DATETIME),
        *keys,
        AttributeType("_time", ValueType.DATETIME),
    )
    return StreamType(contexts.changes_stream, attributes, depends_on=frozenset({contexts.name}))
