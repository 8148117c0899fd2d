"""IN CONTEXT: in which contexts a query is asked, of which of its events, and where these belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ... import syntax_tree as syntax
from ...name_lookup import Names
from ...nodes import (
    AttributeType,
    Column,
    ContextKey,
    ContextSet,
    Expression,
    InContext,
    KnownContexts,
    Placement,
    ValueType,
    aggregates_of,
    event_variables,
    is_individual,
    named_attribute,
)
from ...source_text import Span, listed
from ..resolution import Scope, WindowVariable, common, resolve, spoken
from ..select_items import is_list
from .context_references import find_context, refer


@dataclass(frozen=True, slots=True)
class Missing:
    """What is said where a stream has no attribute that is a key: the place, and the way out."""

    span: Span
    hint: str


def window_variables_of(
    names: Names, clause: syntax.InContextClause, others: Sequence[str]
) -> dict[str, WindowVariable]:
    """What AS calls the windows of contexts.

    Args:
        names: the contexts that there are.
        clause: IN CONTEXT.
        others: the event variables and what PATHs bind.

    Raises:
        QueryTypeError: an unknown context, or a name that something else has.
    """
    found: dict[str, WindowVariable] = {}
    for use in clause.contexts:
        of, context = find_context(names, use.context)
        if use.variable is None:
            continue
        name = use.variable.name
        if name in found or name in others:
            hint = f"call the windows something else: AS ?{name}2"
            raise names.source.type_error(use.variable.span, f"something else is called ?{name}", hint)
        reference = refer(of, context, use.variable)
        found[name] = WindowVariable(reference, _attributes(names.vocabulary.contexts[of.name], context.name))
    return found


def _attributes(known: KnownContexts, context: str) -> dict[str, AttributeType]:
    every = (*known.attributes.get(context, ()), AttributeType("_since", ValueType.DATETIME))
    return {attribute.name: attribute for attribute in every}


def resolve_in_context(scope: Scope, clause: syntax.InContextClause, negated: frozenset[str]) -> InContext:
    """The checked form of IN CONTEXT.

    Args:
        scope: of the query.
        clause: as written.
        negated: the event variables under NOT.

    Raises:
        QueryTypeError: an unknown or repeated context, FOR or ON that go with nothing, or events without a key.

    Source: LANGUAGE-2 §6; CAESAR §4.1.
    """
    found = [(use, *find_context(scope.names, use.context)) for use in clause.contexts]
    references = tuple(refer(of, context, use.variable) for use, of, context in found)
    for position, (use, of, context) in enumerate(found):
        if any((of.name, context.name) == (o.set, o.context) for o in references[:position]):
            raise scope.error(use.span, f"IN CONTEXT names '{context.name}' twice", "name it once")
    sets = {of.name: of for _, of, _ in found}
    required = _required(scope, clause, negated)
    written = _written(scope, clause, required or tuple(scope.streams), tuple(sets.values()))
    placements = tuple(
        Placement(variable, of.name, _keys(scope, of, variable, written.get(variable), clause.span))
        for of in sets.values()
        for variable in required or scope.streams
    )
    return InContext(references, required, placements, clause.span)


def _required(scope: Scope, clause: syntax.InContextClause, negated: frozenset[str]) -> tuple[str, ...]:
    """The variables of FOR."""
    names: list[str] = []
    for variable in clause.required:
        scope.stream(variable)
        if variable.name in negated:
            hint = "name variables that are matched; what NOT looks at may lie anywhere"
            raise scope.error(variable.span, f"?{variable.name} stands under NOT", hint)
        if variable.name in names:
            raise scope.error(variable.span, f"FOR names ?{variable.name} twice", "name each variable once")
        names.append(variable.name)
    return tuple(names)


def _written(
    scope: Scope, clause: syntax.InContextClause, placed: Sequence[str], sets: Sequence[ContextSet]
) -> Mapping[str, syntax.KeyValues]:
    """What ON says of variables."""
    found: dict[str, syntax.KeyValues] = {}
    for place in clause.places:
        name = place.variable.name
        scope.stream(place.variable)
        if name in found:
            raise scope.error(place.variable.span, f"ON places ?{name} twice", "place each variable once")
        if name not in placed:
            hint = f"leave it out, or add it: FOR {listed([f'?{v}' for v in (*placed, name)], 'and')}"
            raise scope.error(place.variable.span, f"?{name} need not lie in a context", hint)
        if len({tuple(key.name for key in of.keys) for of in sets}) > 1:
            hint = "ask in contexts of one set, or of sets with the same keys"
            raise scope.error(place.span, "ON gives values for the keys of one set", hint)
        found[name] = place.keys
    return found


def _keys(
    scope: Scope, of: ContextSet, variable: str, written: syntax.KeyValues | None, span: Span
) -> tuple[Expression, ...]:
    if written is None:
        missing = Missing(span, f"say where its events belong: ON (?{variable}: …)")
        return tuple(usual_column(scope, of, key, variable, missing) for key in of.keys)
    check_count(scope, of, written, f"ON (?{variable}: …)")
    pairs = zip(of.keys, written.values, strict=True)
    values = tuple(resolve_key(scope, of, key, value) for key, value in pairs)
    for value in values:
        others = [name for name in event_variables(value) if name != variable]
        if others:
            message = f"this places ?{variable} by {listed([f'?{name}' for name in others], 'and')}"
            raise scope.error(value.span, message, f"use attributes of ?{variable}, and what its PATHs bind")
        if aggregates_of(value):
            raise scope.error(value.span, "ON places single events and knows no aggregates", "use an attribute")
    return values


def check_count(scope: Scope, of: ContextSet, written: syntax.KeyValues, where: str) -> None:
    """As many values as the set has keys.

    Raises:
        QueryTypeError: fewer, or more.
    """
    if len(written.values) == len(of.keys):
        return
    keys = listed([scope.names.compact(k.name) if ":" in k.name else k.name for k in of.keys], "and") if of.keys else ""
    plural = "" if len(written.values) == 1 else "s"
    message = f"{where} has {len(written.values)} value{plural}, and '{of.name}' has {_counted(of)}"
    hint = f"give a value for each: {keys}" if of.keys else "leave it out: there is one partition"
    raise scope.error(written.span, message, hint)


def _counted(of: ContextSet) -> str:
    return "1 key" if len(of.keys) == 1 else f"{len(of.keys) or 'no'} keys"


def resolve_key(scope: Scope, of: ContextSet, key: ContextKey, node: syntax.Expression) -> Expression:
    """The value of a key as written: an attribute that stands for an individual means that individual.

    Raises:
        QueryTypeError: as `resolve`, or it is of a type that cannot be brought to the key's.
    """
    value = resolve(scope, node)
    if is_list(scope.names, value):
        raise scope.error(value.span, "LIST is for SELECT, by itself", "a key has one value: FIRST or LAST?")
    if isinstance(value, Column):
        attribute = named_attribute(scope.streams[value.variable], value.name)
        if attribute is not None and is_individual(attribute) and attribute.property is not None:
            value = Column(value.variable, attribute.property, ValueType.IRI, value.span)
    _check_key(scope, of, key, value)
    return value


def _check_key(scope: Scope, of: ContextSet, key: ContextKey, value: Expression) -> None:
    if common(key.type, value.type) is None:
        message = f"key '{key.name}' of '{of.name}' is {spoken(key.type)}, and this is {spoken(value.type)}"
        raise scope.error(value.span, message, "the values of a key are of one type")


def usual_column(scope: Scope, of: ContextSet, key: ContextKey, variable: str, missing: Missing) -> Column:
    """The column of a key where nothing else is said; of what stands for an individual, its IRI.

    Raises:
        QueryTypeError: the stream has none, or it is of another type.
    """
    stream = scope.streams[variable]
    attribute = named_attribute(stream, key.name)
    if attribute is None:
        shown = scope.names.compact(key.name) if ":" in key.name else key.name
        message = f"stream '{stream.name}' of ?{variable} has no attribute '{shown}', which is a key of '{of.name}'"
        raise scope.error(missing.span, message, missing.hint)
    span = missing.span
    node: syntax.Name | syntax.Iri = syntax.Name(attribute.name, span=span)
    if is_individual(attribute) and attribute.property is not None:
        node = syntax.Iri(attribute.property, span=span)
    found = scope.names.column(variable, stream, node, span)
    _check_key(scope, of, key, found)
    return found
