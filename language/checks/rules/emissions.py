"""EMIT: the streams that rules emit, each with the attributes of all its EMITs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....errors import did_you_mean
from ... import syntax_tree as syntax
from ...nodes import AttributeType, Query, StreamType, named_attribute
from ..resolution import Scope, common, spoken

__all__ = ["check_emission", "with_emissions"]


def check_emission(scope: Scope, node: syntax.EmitClause, emitted: StreamType) -> None:
    """An emitted event fits into its stream: a declared one, one that other rules emit, or a new one.

    Args:
        scope: of the rule.
        node: the action.
        emitted: the stream of its events alone.

    Raises:
        QueryTypeError: the stream is the output of a query, has no such attribute, or has it of another type.
    """
    name, vocabulary = node.stream.text, scope.names.vocabulary
    known = vocabulary.streams.get(name)
    if known is None:
        return
    if name not in vocabulary.sources and not known.emitted:
        message = f"'{name}' is what a query gives, and no rule adds to it"
        raise scope.error(node.stream.span, message, f"emit another stream, such as {name}2")
    for argument in node.arguments:
        _check_attribute(scope, argument, known, emitted)


def _check_attribute(scope: Scope, argument: syntax.SelectItem, known: StreamType, emitted: StreamType) -> None:
    written = argument.name
    own = None if written is None else named_attribute(emitted, written.text)
    if written is None or own is None:
        return
    attribute = next((a for a in known.attributes if a.name == written.text), None)
    if attribute is None and known.emitted:
        return
    if attribute is None or attribute.name == known.time:
        names = [a.name for a in known.attributes if a.name != known.time]
        hint = did_you_mean(written.text, names) or f"it has {', '.join(names)}"
        what = "has no attribute" if attribute is None else "takes the time of the row and not"
        raise scope.error(written.span, f"stream '{known.name}' {what} '{written.text}'", hint)
    if common(attribute.type, own.type) is None:
        message = f"'{written.text}' is {spoken(own.type)} here, and {spoken(attribute.type)} in stream '{known.name}'"
        raise scope.error(argument.span, message, "give it another name, or a value of that type")


def with_emissions(streams: Mapping[str, StreamType], query: Query) -> dict[str, StreamType]:
    """Streams with those that a rule emits: new ones, and those that have more attributes or causes by it."""
    found = dict(streams)
    for one in () if query.rule is None else query.emitting:
        before = found.get(one.output.name)
        if before is None:
            found[one.output.name] = replace(one.output, emitted=True)
            continue
        attributes = _united(before, one.output) if before.emitted else before.attributes
        causes = before.depends_on | one.output.depends_on
        nonmonotonic = before.nonmonotonic | one.output.nonmonotonic
        found[before.name] = replace(before, attributes=attributes, depends_on=causes, nonmonotonic=nonmonotonic)
    return found


def _united(before: StreamType, other: StreamType) -> tuple[AttributeType, ...]:
    """The attributes of both; what one stands for where they do not agree about that, nobody says."""
    found = {attribute.name: attribute for attribute in before.attributes}
    for new in other.attributes:
        known = found.pop(new.name, new)
        alike = (known.property, known.individual, known.unit) == (new.property, new.individual, new.unit)
        type_ = common(known.type, new.type) or known.type
        found[new.name] = replace(known, type=type_) if alike else AttributeType(new.name, type_)
    return tuple(found.values())
