"""Raw tuples as semantic events (LANGUAGE §1): aliases, types, individuals, identity, triples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote

from kaicep.config import Settings, StreamSettings
from kaicep.language.types import ValueType, type_of_datatype
from kaicep.language.vocabulary import AttributeType, StreamType
from rdflib import RDF, XSD, Literal, URIRef

from .knowledge import Knowledge, Triple
from .values import Iri, Unreadable, Value, canonical, read, segment

_DATATYPES = {
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
    values: Mapping[str, Value]
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
        return self.type.name, *sorted(self.type.aliases)


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
        extra = {k: v for k, v in raw.items() if k not in declared and v is not None}
        return json.dumps(extra, sort_keys=True, separators=(",", ":"), ensure_ascii=False) if extra else None

    def _triples(self, identity: str, values: Mapping[str, Value], links: Mapping[str, Iri]) -> frozenset[Triple]:
        subject = URIRef(identity)
        kinds = {self.event_type, *self.knowledge.superclasses(self.event_type)}
        triples: set[Triple] = {(subject, RDF.type, URIRef(kind)) for kind in kinds}
        for attribute in self.attributes:
            if attribute.type.name in values:
                term = self._term(attribute, values, links)
                triples |= {(subject, URIRef(q), term) for q in self._properties(attribute)}
        return frozenset(triples)

    def _term(self, a: Attribute, values: Mapping[str, Value], links: Mapping[str, Iri]) -> URIRef | Literal:
        if a.type.individual and (link := links.get(a.type.property or "")) is not None:
            return URIRef(link)
        return Literal(values[a.type.name], datatype=a.datatype)

    def _properties(self, attribute: Attribute) -> set[str]:
        prop = attribute.type.property or f"urn:kaicep:attribute:{self.name}:{attribute.type.name}"
        return {prop, *self.knowledge.equivalents(prop), *self.knowledge.superproperties(prop)}


def _raw_value(attribute: Attribute, raw: Mapping[str, object]) -> Value | None:
    given = [read(raw[n], attribute.type.type) for n in attribute.raw_names if raw.get(n) is not None]
    return given[0] if given else None


def _attributes(stream: str, settings: Settings, knowledge: Knowledge) -> tuple[Attribute, ...]:
    declared = settings.streams[stream].attributes
    time = settings.streams[stream].time
    names = list(declared) if time.attribute in declared else [*declared, time.attribute]
    return tuple(_attribute(stream, name, names, settings, knowledge) for name in names)


def _attribute(stream: str, name: str, names: list[str], settings: Settings, knowledge: Knowledge) -> Attribute:
    section = settings.streams[stream]
    said = section.attributes.get(name)
    time = section.time.property if name == section.time.attribute else None
    short = time or (said and (said.property or said.same_as)) or None
    prop = settings.expand(short, name) if short else None
    individual = said is not None and (said.individual is not None or said.key is not None)
    value_type = _value_type(said.datatype if said else None, prop, individual, settings, knowledge)
    if name == section.time.attribute:
        value_type = ValueType.DATETIME
    aliases = _aliases(prop, knowledge) - set(names)
    types = AttributeType(name, value_type, prop, frozenset(aliases), individual)
    template = settings.expand(said.individual, name) if said and said.individual else None
    key = settings.expand(said.key, name) if said and said.key else None
    datatype = _DATATYPES[value_type]
    if said and said.datatype:
        datatype = URIRef(settings.expand(said.datatype, name))
    return Attribute(types, datatype, template, key)


def _value_type(
    datatype: str | None,
    prop: str | None,
    individual: bool,
    settings: Settings,
    knowledge: Knowledge,  # noqa: FBT001
) -> ValueType:
    if datatype is not None:
        return type_of_datatype(settings.expand(datatype, "datatype")) or ValueType.STRING
    if individual or prop is None:
        return ValueType.STRING
    known = knowledge.range_of(prop)
    return known if known in _DATATYPES else ValueType.STRING


def _aliases(prop: str | None, knowledge: Knowledge) -> set[str]:
    if prop is None:
        return set()
    iris = {prop, *knowledge.equivalents(prop)}
    return iris | {iri.replace("#", "/").rsplit("/", 1)[-1] for iri in iris}
