"""What deriving queries say of sets of contexts: the attributes of windows, what begins at all, and what depends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...nodes import AttributeType, ChangeKind, ContextChange, ContextSet, KnownContexts, Query
from ..resolution import common

Known = Mapping[str, KnownContexts]
"""Sets by their names."""


def known_contexts(sets: Iterable[ContextSet], queries: Iterable[Query]) -> dict[str, KnownContexts]:
    """The sets by their names, with what the deriving ones of some queries say of them.

    Args:
        sets: as declared, the first of a name; also those that a query speaks of are known.
        queries: any, in the order of their registration.
    """
    found: dict[str, KnownContexts] = {}
    for each in sets:
        found.setdefault(each.name, KnownContexts(each))
    for query in queries:
        for each in query.context_sets:
            found.setdefault(each.name, KnownContexts(each))
        found |= told(found, query)
    return found


def told(known: Known, query: Query) -> dict[str, KnownContexts]:
    """The sets of which a query or rule says something new, as they are known with it."""
    found: dict[str, KnownContexts] = {}
    for one in query.deriving:
        if one.change is not None:
            name = one.change.context.set
            found[name] = _told(found.get(name, known[name]), one, one.change)
    return found


def _told(before: KnownContexts, query: Query, change: ContextChange) -> KnownContexts:
    """A set as it is known with what one change of it says."""
    of, attributes, initiated = change.context.context, before.attributes, before.initiated
    if change.kind is not ChangeKind.TERMINATE:
        attributes = {**attributes, of: _attributes(attributes.get(of, ()), query)}
        initiated |= {of}
    causes, output = before.depends_on | query.output.depends_on, query.output
    return KnownContexts(before.set, attributes, initiated, causes, before.nonmonotonic | output.nonmonotonic)


def _attributes(before: Sequence[AttributeType], query: Query) -> tuple[AttributeType, ...]:
    """The attributes of windows with those of a query's rows, whose `_time` is when the window begins."""
    found = {attribute.name: attribute for attribute in before}
    for new in query.output.attributes:
        if new.name != "_time":
            type_ = common(found.get(new.name, new).type, new.type) or new.type
            found[new.name] = AttributeType(new.name, type_, unit=new.unit)
    return tuple(found.values())


def idle_contexts(known: Known) -> tuple[str, ...]:
    """A warning for each context that no query ever initiates, with its place.

    Args:
        known: all sets with all that is said of them; a later document may still say something.
    """
    return tuple(message for each in known.values() for message in _idle(each))


def _idle(known: KnownContexts) -> Iterable[str]:
    contexts, document = known.set, known.set.document
    for context in contexts.contexts[1:]:
        if context.calendar is None and context.name not in known.initiated and document and context.span:
            message = f"nothing ever initiates context '{context.name}' of '{contexts.name}'"
            hint = f"write INITIATE CONTEXT {contexts.name}.{context.name} FROM …"
            yield str(document.type_error(context.span, message, hint))
