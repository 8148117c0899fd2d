"""The events of several variables as one stream: all attributes, unbound where a stream has them not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...name_lookup import Names
from ...nodes import AttributeType, StreamType, ValueType
from ...source_text import Span

__all__ = ["united"]


def united(
    names: Names, name: str, span: Span, variables: Mapping[str, StreamType], of: str | None = None
) -> StreamType:
    """The attributes of all streams; where there are several, what one does not have is unbound.

    Args:
        names: for messages.
        name: of the stream.
        span: where it is asked for.
        variables: whose events they are, with their streams.
        of: the query that binds them, if it has a name.

    Raises:
        QueryTypeError: an attribute is of different types in two of the streams.
    """
    streams = {stream.name: stream for stream in variables.values()}
    if len(streams) == 1:
        (only,) = streams.values()
        return replace(only, name=name, depends_on=frozenset())
    attributes: dict[str, AttributeType] = {}
    for stream in streams.values():
        for attribute in stream.attributes:
            before = attributes.setdefault(attribute.name, attribute)
            if (before.type, before.individual) != (attribute.type, attribute.individual):
                hint, whose = "ask of a query whose streams agree", "the query"
                if of is not None:
                    hint, whose = f"ask for one variable: STATE({of}.?{next(iter(variables))})", f"'{of}'"
                message = f"'{attribute.name}' is of different types in the streams of {whose}"
                raise names.source.type_error(span, message, hint)
    plain = tuple(a for a in attributes.values() if a.name != "_time")
    return StreamType(name, (*plain, AttributeType("_time", ValueType.DATETIME)))
