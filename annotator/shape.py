"""The shape of a stream's semantic events: which column stands for which triple."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from ..language.nodes import XSD, AttributeType, StreamType, ValueType, attribute_iri
from ..ontology import KnowledgeBase
from .datatypes import USUAL_DATATYPES
from .linking import IriTemplate

EVENT_NAMESPACE = "urn:kaicep:event:"


@dataclass(frozen=True, slots=True)
class RootProperty:
    """One event root property (paper, Definition 1): each event with a value has the triple (event, `iri`, value).

    Attributes:
        iri: the property; several root properties may share a column (equivalents, superproperties), or an IRI.
        column: the column of the raw value.
        individual: the column that holds the IRI of the individual that the value stands for; where it is null, the
            value itself is the object. `None`: values are literals.
        datatype: XSD datatype IRI of the literal.
        canonical: whether this is the property that the annotation names, not one that the knowledge adds.
    """

    iri: str
    column: str
    individual: str | None
    datatype: str
    canonical: bool


@dataclass(frozen=True, slots=True)
class AttributeShape:
    """How one attribute is kept as triples.

    Attributes:
        name: its column.
        type: the column's type.
        datatype: XSD datatype IRI of its literals.
        property: the property that the annotation names, else its IRI below `urn:kaicep:attribute:`.
        individual: the column of individuals, as in `RootProperty`.
        template: IRI template of the individuals, from which the raw value can be read back; `None` when there is none.
    """

    name: str
    type: ValueType
    datatype: str
    property: str
    individual: str | None = None
    template: IriTemplate | None = None


@dataclass(frozen=True, slots=True)
class EventShape:
    """What triples(e) is for the events of one stream.

    Attributes:
        stream: name of the stream.
        types: the event type and its superclasses in the closed knowledge; empty for the output of a query.
        attributes: in declared order.
        properties: the root properties of every attribute, those that the knowledge adds included.
        event_type: the class that the annotation names; `None` for the output of a query.
        time: name of the time attribute.
    """

    stream: str
    types: tuple[str, ...]
    attributes: tuple[AttributeShape, ...]
    properties: tuple[RootProperty, ...]
    event_type: str | None
    time: str


def event_prefix(stream: str) -> str:
    """What the ids of all events of a stream begin with."""
    return f"{EVENT_NAMESPACE}{quote(stream, safe='')}/"


def event_shape(
    stream: StreamType,
    knowledge: KnowledgeBase,
    datatypes: Mapping[str, str] | None = None,
    templates: Mapping[str, IriTemplate | None] | None = None,
) -> EventShape:
    """The shape of a stream's events, also of the output of a query.

    Args:
        stream: the stream as queries see it.
        knowledge: says which properties and classes follow from those that the stream names.
        datatypes: XSD datatype IRI by attribute name, where it is not the usual one of the attribute's type.
        templates: IRI template by attribute name.
    """
    datatypes, templates = datatypes or {}, templates or {}
    attributes = tuple(
        _attribute_shape(stream.name, a, datatypes.get(a.name), templates.get(a.name))
        for a in stream.attributes
        if a.type is not ValueType.DURATION
    )
    properties = tuple(p for a in attributes for p in _root_properties(a, knowledge))
    types = () if stream.event_type is None else _with(stream.event_type, knowledge.superclasses(stream.event_type))
    return EventShape(stream.name, types, attributes, properties, stream.event_type, stream.time)


def _attribute_shape(
    stream: str, a: AttributeType, datatype: str | None, template: IriTemplate | None
) -> AttributeShape:
    individual = a.property if a.individual else a.name if a.type is ValueType.IRI else None
    return AttributeShape(
        name=a.name,
        type=a.type,
        datatype=datatype or USUAL_DATATYPES.get(a.type, XSD + "string"),
        property=a.property or attribute_iri(stream, a.name),
        individual=individual,
        template=template,
    )


def _root_properties(a: AttributeShape, knowledge: KnowledgeBase) -> Iterator[RootProperty]:
    follow = knowledge.equivalents(a.property) | knowledge.superproperties(a.property)
    for iri in _with(a.property, follow):
        yield RootProperty(iri, a.name, a.individual, a.datatype, canonical=iri == a.property)


def _with(first: str, others: frozenset[str]) -> tuple[str, ...]:
    return (first, *sorted(others - {first}))
