"""Raw tuples as semantic events (LANGUAGE §1): aliases, types, individuals, identity, triples."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote

from kaicep.config import AttributeSettings, Settings, StreamSettings
from kaicep.language.nodes.types import AttributeType, StreamType, ValueType, type_of_datatype
from rdflib import RDF, XSD, Literal, URIRef

from .knowledge import Knowledge, Triple
from .values import Iri, Unreadable, Value, as_number, canonical, read, segment

DATATYPES = {
    ValueType.BOOLEAN: XSD.boolean, ValueType.INTEGER: XSD.integer, ValueType.DOUBLE: XSD.double,
    ValueType.STRING: XSD.string, ValueType.DATETIME: XSD.dateTime,
}  # fmt: skip


@dataclass(frozen=True)
class Event:
    """A semantic event.

    Attributes:
        id: its IRI.
        time: its time stamp, UTC.
        values: by column: attribute name → value, and property → individual where the attribute stands for one.
        triples: its event root properties and types.
    """

    id: str
    time: datetime
    values: Mapping[str, Value] = field(hash=False)
    triples: frozenset[Triple] = field(default=frozenset(), compare=False)

    @property
    def order(self) -> tuple[datetime, str]:
        """Events are totally ordered by time, then id."""
        return self.time, self.id


@dataclass(frozen=True)
class Attribute:
    """What one attribute of a stream stands for, with every name expanded."""

    type: AttributeType
    datatype: URIRef
    template: str | None
    key: str | None

    @property
    def raw_names(self) -> tuple[str, ...]:
        """The names that a raw tuple may spell it by, its own first."""
        return self.type.name, *sorted(alias for alias in self.type.aliases if not set(alias) & set("#/:"))


class Annotation:
    """The annotation of one stream."""

    def __init__(self, name: str, settings: Settings, knowledge: Knowledge) -> None:
        self.name = name
        self.settings: StreamSettings = settings.streams[name]
        self.knowledge = knowledge
        self.event_type = settings.expand(self.settings.event_type, name)
        self.attributes = _attributes(name, settings, knowledge)

    @property
    def stream_type(self) -> StreamType:
        """The stream as queries see it."""
        types = tuple(a.type for a in self.attributes)
        return StreamType(self.name, types, self.event_type, self.settings.time.attribute)

    def event(self, raw: Mapping[str, object]) -> Event | None:
        """The event that a raw tuple is; `None` when it is rejected."""
        try:
            values = {a.type.name: v for a in self.attributes if (v := _raw_value(a, raw)) is not None}
        except Unreadable:
            return None
        time = values.get(self.settings.time.attribute)
        if not isinstance(time, datetime):
            return None
        links = {a.type.property: i for a in self.attributes if a.type.property and (i := self._individual(a, values))}
        identity = self._id(values, raw)
        return Event(identity, time, {**values, **links}, self._triples(identity, values, links))

    def _individual(self, attribute: Attribute, values: Mapping[str, Value]) -> Iri | None:
        value = values.get(attribute.type.name)
        if value is None or not attribute.type.individual:
            return None
        if attribute.template is not None:
            return Iri(attribute.template.replace("{}", quote(canonical(value), safe="")))
        found = self.knowledge.individual(attribute.key or "", canonical(value))
        return None if found is None else Iri(found)

    def _id(self, values: Mapping[str, Value], raw: Mapping[str, object]) -> str:
        start = f"urn:kaicep:event:{self.name}/"
        if self.settings.identity:
            return start + "/".join(segment(values.get(name)) for name in self.settings.identity)
        segments = [segment(values.get(a.type.name)) for a in self.attributes]
        text = "/".join([*segments, segment(self._undeclared(raw))])
        return start + hashlib.md5(text.encode()).hexdigest()  # noqa: S324  # a name, no secret

    def _undeclared(self, raw: Mapping[str, object]) -> str | None:
        declared = {name for a in self.attributes for name in a.raw_names}
        extra = {k: as_number(v) for k, v in raw.items() if k not in declared and v is not None}
        return json.dumps(extra, sort_keys=True, separators=(",", ":"), ensure_ascii=False) if extra else None

    def _triples(self, identity: str, values: Mapping[str, Value], links: Mapping[str, Iri]) -> frozenset[Triple]:
        subject = URIRef(identity)
        kinds = {self.event_type, *self.knowledge.superclasses(self.event_type)}
        triples: set[Triple] = {(subject, RDF.type, URIRef(kind)) for kind in kinds}
        for attribute in self.attributes:
            if attribute.type.name in values:
                prop = attribute.type.property or f"urn:kaicep:attribute:{self.name}:{attribute.type.name}"
                link = links.get(prop) if attribute.type.individual else None
                value = values[attribute.type.name]
                term = URIRef(link) if link else term_of(value, attribute.type.type, attribute.datatype)
                triples |= {(subject, URIRef(p), term) for p in self.knowledge.all_properties(prop)}
        return frozenset(triples)


def term_of(value: Value, value_type: ValueType, datatype: URIRef) -> URIRef | Literal:
    """A value as the object of a triple."""
    if value_type is ValueType.IRI:
        return URIRef(str(value))
    return Literal(value if isinstance(value, bool | int | float | datetime) else str(value), datatype=datatype)


def _raw_value(attribute: Attribute, raw: Mapping[str, object]) -> Value | None:
    given = [read(raw[n], attribute.type.type) for n in attribute.raw_names if raw.get(n) is not None]
    return given[0] if given else None


def _attributes(stream: str, settings: Settings, knowledge: Knowledge) -> tuple[Attribute, ...]:
    declared = settings.streams[stream].attributes
    time = settings.streams[stream].time
    names = list(declared) if time.attribute in declared else [time.attribute, *declared]
    return tuple(_attribute(stream, name, names, settings, knowledge) for name in names)


def _attribute(stream: str, name: str, names: list[str], settings: Settings, knowledge: Knowledge) -> Attribute:
    time = settings.streams[stream].time
    said = settings.streams[stream].attributes.get(name, AttributeSettings())
    is_time = name == time.attribute
    short = (time.property if is_time else None) or said.property or said.same_as
    prop = settings.expand(short, name) if short else None
    datatype = XSD.dateTime if is_time else _datatype(said, prop, settings, knowledge)
    individual = said.individual is not None or said.key is not None
    aliases = frozenset(_aliases(prop, knowledge) - set(names))
    value_type = type_of_datatype(str(datatype)) or ValueType.STRING
    return Attribute(
        AttributeType(
            name, value_type, prop, aliases, individual, settings.expand(said.unit, name) if said.unit else None
        ),
        datatype,
        settings.expand(said.individual, name) if said.individual else None,
        settings.expand(said.key, name) if said.key else None,
    )


def _datatype(said: AttributeSettings, prop: str | None, settings: Settings, knowledge: Knowledge) -> URIRef:
    """The declared datatype; else that of the property's range; else a string, as keys of individuals are."""
    if said.datatype is not None:
        return URIRef(settings.expand(said.datatype, "datatype"))
    ranged = knowledge.range_of(prop) if prop and not (said.individual or said.key) else ValueType.STRING
    return DATATYPES.get(ranged, XSD.string)


def _aliases(prop: str | None, knowledge: Knowledge) -> set[str]:
    """IRIs that are equivalent to the property, and the local names of all of them."""
    if prop is None:
        return set()
    equivalents = knowledge.equivalents(prop)
    return {*equivalents, *(re.split("[#/:]", iri)[-1] for iri in (prop, *equivalents))}
