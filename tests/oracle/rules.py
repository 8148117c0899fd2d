"""What rules do for rows, and in which order (LANGUAGE-2 §8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from kaicep.language.nodes import ActionKind, Query, RuleAction, StreamType
from rdflib import RDF, XSD, URIRef

from .contextual import Found
from .events import DATATYPES, Event, term_of
from .expressions import item
from .knowledge import Knowledge, Triple
from .values import Value

LAST = 2**31
Order = tuple[bool, int, str, int, int, int]
"""DEFERRED, the place of what the rows are of, the row, PRIORITY, the place of the rule, that of the action."""


@dataclass(frozen=True)
class Call:
    """A call of an action of the project."""

    time: datetime
    order: Order
    rule: str
    id: str
    action: str
    arguments: Mapping[str, Value | None]

    @property
    def shown(self) -> dict[str, Any]:
        """As `evaluate` lists it."""
        arguments = {name: shown(value) for name, value in self.arguments.items()}
        return {"rule": self.rule, "_id": self.id, "action": self.action, "_time": self.time, "arguments": arguments}


def shown(value: Value | None) -> object:
    """A value as JSON has it."""
    if not isinstance(value, datetime):
        return value
    text = value.strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{canonical_fraction(value)}Z" if value.microsecond else "Z")


def canonical_fraction(moment: datetime) -> str:
    """Milliseconds, or microseconds where these are not enough."""
    digits = f"{moment.microsecond:06}"
    return digits[:3] if digits.endswith("000") else digits


def order_of(query: Query, places: Sequence[Query], sources: Sequence[str], row: str, action: int) -> Order:
    """Where what a rule does for a row stands."""
    assert query.rule is not None
    (source,) = query.sources
    behind = [n for n, other in enumerate(places) if source.stream.name in other.streams]
    stream = -1 if source.stream.name in sources else behind[0]
    rule = query.rule
    return rule.deferred, stream, row, LAST if rule.priority is None else rule.priority, places.index(query), action


def row_key(query: Query, found: Found, events: Sequence[Event], *, ordered: bool) -> str:
    """The row among those of its time: its place in the output of a query, else the id of the event."""
    (source,) = query.sources
    ((candidate,),) = [found.report.runs[source.variable]]
    if not ordered:
        return candidate.event.id
    return f"{[event.id for event in events].index(candidate.event.id):020}"


def arguments(action: RuleAction, found: Found) -> dict[str, Value | None]:
    """The items of an action for a row."""
    return {i.name: item(i.value, found.report.scope) for i in action.items}


def emitted(action: RuleAction, id_: str, found: Found, stream: StreamType, knowledge: Knowledge) -> Event:
    """The event that EMIT makes of a row, in a stream as those know it who read it."""
    said = {name: value for name, value in arguments(action, found).items() if value is not None}
    identity = f"urn:kaicep:event:{stream.name}/{id_}"
    values = {a.name: said[a.name] for a in stream.attributes if a.name in said}
    links = {a.property: said[a.property] for a in stream.attributes if a.individual and a.property in said}
    triples: set[Triple] = set()
    for attribute in stream.attributes:
        if attribute.name in values:
            prop = attribute.property or f"urn:kaicep:attribute:{stream.name}:{attribute.name}"
            link = links.get(prop)
            datatype = DATATYPES.get(attribute.type, XSD.string)
            term = URIRef(str(link)) if link else term_of(values[attribute.name], attribute.type, datatype)
            triples |= {(URIRef(identity), URIRef(p), term) for p in knowledge.all_properties(prop)}
    if stream.event_type is not None:
        triples.add((URIRef(identity), RDF.type, URIRef(stream.event_type)))
    return Event(identity, found.report.time, {**values, **links}, frozenset(triples))


def alone(query: Query) -> list[tuple[int, Query]]:
    """For each change of a rule the place of its action, and the query that would make it by itself."""
    assert query.rule is not None
    places = [n for n, action in enumerate(query.rule.actions) if action.kind is ActionKind.CHANGE]
    return list(zip(places, (replace(one, rule=None) for one in query.deriving), strict=True))
