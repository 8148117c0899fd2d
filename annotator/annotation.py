"""The annotation of a stream, checked: what each raw attribute stands for.

Source: paper §3.1, static and dynamic semantics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode

from ..config import AttributeSettings, Settings, StreamSettings
from ..errors import AnnotationError, Place, did_you_mean
from ..language.nodes import XSD, AttributeType, StreamType, ValueType, type_of_datatype
from ..ontology import KnowledgeBase, shown
from ..ontology.modules import shipped_with
from .datatypes import COLUMN_DATATYPES, datatype_of_range, short
from .linking import Linkage, linkage_of
from .unit_conversion import check_unit_sources

_EMPTY = AttributeSettings()
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")


@dataclass(frozen=True, slots=True)
class Attribute:
    """What one attribute stands for, every name resolved.

    Attributes:
        name: declared name.
        datatype: XSD datatype IRI of the raw value.
        type: the type that its column has.
        property: IRI of its property; `None` when it has only a datatype.
        sources: the raw names that feed it: its own, then the local names of its property and of equivalent ones.
        equivalents: IRIs that are equivalent to the property in the knowledge base.
        linkage: by what its values are linked to individuals; `None`: they stand for none.
        unit: IRI of the unit of its values.
        unit_of: the attribute whose individuals say in which unit raw values are; `None`: all are in `unit`.
        value_of: the attribute whose values these are, converted; `None`: raw names feed it.
    """

    name: str
    datatype: str
    type: ValueType
    property: str | None
    sources: tuple[str, ...]
    equivalents: frozenset[str]
    linkage: Linkage | None
    unit: str | None
    unit_of: str | None = None
    value_of: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """The checked annotation of one stream.

    Attributes:
        stream: its name.
        event_type: IRI of the class of its events.
        time: name of the time attribute, which is among `attributes`.
        attributes: in declared order; the time attribute first when the annotation does not list it.
        identity: the attributes that identify an event, in declared order; empty: the whole tuple does.
        warnings: names that the knowledge base does not have; knowledge may come later.
        place: the file that declares it.
    """

    stream: str
    event_type: str
    time: str
    attributes: tuple[Attribute, ...]
    identity: tuple[str, ...]
    warnings: tuple[str, ...]
    place: Place

    def fault(self, key: str, message: str, hint: str | None) -> AnnotationError:
        """What is wrong with a key of the annotation."""
        return fault_of(self.stream, self.place, key, message, hint)

    def stream_type(self) -> StreamType:
        """The stream as queries see it."""
        attributes = tuple(
            AttributeType(
                a.name, a.type, a.property, frozenset(a.sources[1:]) | a.equivalents, a.linkage is not None, a.unit
            )
            for a in self.attributes
        )
        return StreamType(self.stream, attributes, self.event_type, self.time)


def fault_of(stream: str, place: Place, key: str, message: str, hint: str | None) -> AnnotationError:
    """The error of a key of a stream's annotation."""
    return AnnotationError(f"streams.{stream}.{key}: {message}", place=place, hint=hint)


def compile_annotation(name: str, settings: Settings, knowledge: KnowledgeBase) -> Annotation:
    """Check the annotation of stream `name` and resolve what it names.

    Raises:
        ConfigError: an unknown prefix.
        AnnotationError: no such stream, or an annotation that contradicts itself or the knowledge base.
    """
    if name not in settings.streams:
        known = sorted(settings.streams)
        hint = did_you_mean(name, known) or (f"known: {', '.join(known)}" if known else "add [streams.…]")
        raise AnnotationError(f"there is no stream '{name}'", place=Place(settings.file), hint=hint)
    return _Compiler(name, settings, knowledge).compile()


class _Compiler:
    """Resolves one annotation; the parts share the stream's name, its settings and the knowledge base."""

    def __init__(self, name: str, settings: Settings, knowledge: KnowledgeBase) -> None:
        self.name = name
        self.settings = settings
        self.place = settings.place(name)
        self.knowledge = knowledge
        self.stream: StreamSettings = settings.streams[name]
        self.declared = self._declared()
        self.linkages = {n: linkage_of(n, a, self._expand, self._iri, self._error) for n, a in self.declared.items()}

    def compile(self) -> Annotation:
        event_type = self._iri(self.stream.event_type, "event_type")
        for name in self.declared:
            self._check_name(name)
        properties = {name: self._property(name, a) for name, a in self.declared.items()}
        self._check_properties(properties)
        check_unit_sources(self.declared, self._error)
        aliases = self._aliases(properties)
        attributes = tuple(self._attribute(name, properties[name], aliases[name]) for name in self.declared)
        warnings = tuple(self._unknown_names(event_type, attributes))
        return Annotation(
            self.name, event_type, self.stream.time.attribute, attributes, self._identity(), warnings, self.place
        )

    def _declared(self) -> dict[str, AttributeSettings]:
        time = self.stream.time.attribute
        return (
            dict(self.stream.attributes) if time in self.stream.attributes else {time: _EMPTY, **self.stream.attributes}
        )

    def _error(self, key: str, message: str, hint: str | None) -> AnnotationError:
        return fault_of(self.name, self.place, key, message, hint)

    def _expand(self, written: str, key: str) -> str:
        return self.settings.expand(written, f"streams.{self.name}.{key}", self.place)

    def _iri(self, written: str, key: str) -> str:
        expanded = self._expand(written, key)
        if not _IRI.fullmatch(expanded) or not _is_iri(expanded):
            raise self._error(key, f"'{written}' makes no IRI", "percent-encode what IRIs cannot hold")
        return expanded

    def _check_name(self, name: str) -> None:
        if name and name[0] not in "_?":
            return
        message = "attribute names cannot be empty or begin with '_' or '?'"
        raise self._error(f"attributes.{name}", message, "rename it before it reaches the stream")

    def _property(self, name: str, a: AttributeSettings) -> str | None:
        key = f"attributes.{name}"
        if a.property is not None and a.same_as is not None:
            raise self._error(key, "'property' and 'same_as' both name its property", "keep one of them")
        way = "individual" if a.individual is not None else "key" if a.key is not None else None
        if way and a.same_as is not None:
            raise self._error(key, f"'same_as' is for literals, '{way}' for individuals", "write property, not same_as")
        stated = a.property or a.same_as
        if way and stated is None:
            hint = 'add property = "…", whose objects they are'
            raise self._error(key, f"'{way}' says that values are individuals, but not of which property", hint)
        said = None if stated is None else self._iri(stated, key)
        return self._time_property(name, a, said) if name == self.stream.time.attribute else said

    def _time_property(self, name: str, a: AttributeSettings, said: str | None) -> str | None:
        if a.individual is not None or a.key is not None:
            raise self._error(
                f"attributes.{name}", "the time attribute cannot stand for individuals", "drop 'individual' or 'key'"
            )
        if self.stream.time.property is None:
            return said
        stated = self._iri(self.stream.time.property, "time.property")
        if said is not None and said != stated:
            message = f"names another property than attributes.{name}: <{stated}> and <{said}>"
            raise self._error("time.property", message, "keep one of them")
        return stated

    def _check_properties(self, properties: dict[str, str | None]) -> None:
        seen: dict[str, str] = {}
        for name, prop in properties.items():
            for iri in () if prop is None else {prop, *self.knowledge.equivalents(prop)}:
                if (other := seen.setdefault(iri, name)) != name:
                    same = properties[other] == prop
                    pair = f"equivalent properties, <{properties[other]}> and <{prop}>"
                    message = f"'{other}' and '{name}' stand for {f'the property <{prop}>' if same else pair}"
                    raise self._error(f"attributes.{name}", message, "declare one attribute for both")

    def _aliases(self, properties: dict[str, str | None]) -> dict[str, list[str]]:
        """Raw names that mean the same as each attribute; a name that would mean two of them means neither."""
        names = {
            name: [] if prop is None else sorted({_local_name(i) for i in {prop, *self.knowledge.equivalents(prop)}})
            for name, prop in properties.items()
        }
        meant = [alias for aliases in names.values() for alias in aliases]
        return {
            name: [a for a in aliases if a and a not in properties and meant.count(a) == 1]
            for name, aliases in names.items()
        }

    def _attribute(self, name: str, prop: str | None, aliases: list[str]) -> Attribute:
        a, where = self.declared[name], f"attributes.{name}"
        datatype = self._datatype(name, a, prop)
        kind = type_of_datatype(datatype)
        if kind is None or kind is ValueType.DURATION:  # excluded by _datatype
            raise AssertionError(datatype)
        unit = None if a.unit is None else self._unit(a.unit, where)
        if unit is not None and not kind.numeric:
            raise self._error(where, f"a value of type {short(datatype)} has no unit", "drop 'unit'")
        if a.unit_of is not None and kind is not ValueType.DOUBLE:
            message = f"a converted value is an xsd:double, no {short(datatype)}"
            raise self._error(where, message, 'write datatype = "xsd:double"')
        if a.value_of is not None and not self._is_numeric(a.value_of):
            message = f"value_of: '{a.value_of}' holds no numbers"
            raise self._error(where, message, "declare it with a numeric datatype")
        return Attribute(
            name=name,
            datatype=datatype,
            type=kind,
            property=prop,
            sources=(name, *aliases) if a.value_of is None else (),
            equivalents=frozenset() if prop is None else self.knowledge.equivalents(prop),
            linkage=self.linkages[name],
            unit=unit,
            unit_of=a.unit_of,
            value_of=a.value_of,
        )

    def _unit(self, written: str, where: str) -> str:
        """IRI of a unit by its IRI, or by what it is called."""
        named = ":" not in written
        iri = written if named else self._iri(written, where)
        unit = self.knowledge.unit_called(written) if named else self.knowledge.unit(iri)
        if unit is not None and unit.iri is not None:
            return unit.iri
        if not named and self.knowledge.is_unit(iri):
            return iri
        near = self.knowledge.nearest_unit(iri, None)
        hint = "write QUDT's name, such as unit:FT3-PER-MIN, a symbol or a UCUM code; or declare it in a module: its "
        hint += "qudt:conversionMultiplier and qudt:hasDimensionVector"
        meant = None if near is None else f"did you mean '{shown(NamedNode(near), self.settings.prefixes)}'?"
        raise self._error(f"{where}.unit", f"there is no unit '{written}'", meant or hint)

    def _is_numeric(self, name: str) -> bool:
        kind = type_of_datatype(self._datatype(name, self.declared[name], self._property(name, self.declared[name])))
        return kind is not None and kind.numeric

    def _datatype(self, name: str, a: AttributeSettings, prop: str | None) -> str:
        if name == self.stream.time.attribute:
            return self._time_datatype(name, a)
        if a.datatype is not None:
            return self._known_datatype(name, a.datatype)
        if a.value_of is not None:
            return XSD + "double"
        if a.individual is not None or a.key is not None:
            return XSD + "string"
        ranged = None if prop is None else datatype_of_range(prop, self.knowledge)
        if ranged is None:
            why = "" if prop is None else f", for the range of <{prop}> does not say it"
            hint = 'add datatype = "xsd:double" (or another)' + ("" if prop is None else ", or individual, or key")
            raise self._error(f"attributes.{name}", f"needs a datatype{why}", hint)
        return ranged

    def _time_datatype(self, name: str, a: AttributeSettings) -> str:
        datatype = XSD + "dateTime" if a.datatype is None else self._known_datatype(name, a.datatype)
        if type_of_datatype(datatype) is not ValueType.DATETIME:
            message = f"the time attribute cannot be of datatype {short(datatype)}"
            raise self._error(f"attributes.{name}", message, "drop 'datatype'; it is xsd:dateTime")
        return datatype

    def _known_datatype(self, name: str, written: str) -> str:
        full = written if ":" in written else f"xsd:{written}"
        datatype = self.settings.expand(full, f"streams.{self.name}.attributes.{name}.datatype", self.place)
        if full != written or datatype not in COLUMN_DATATYPES:
            known = sorted(short(d) for d in COLUMN_DATATYPES)
            hint = did_you_mean(short(datatype), known) or f"known: {', '.join(known)}"
            raise self._error(f"attributes.{name}", f"events cannot hold the datatype '{written}'", hint)
        return datatype

    def _identity(self) -> tuple[str, ...]:
        identity = self.stream.identity
        for position, name in enumerate(identity):
            if name not in self.declared:
                hint = did_you_mean(name, list(self.declared)) or f"declared: {', '.join(self.declared)}"
                raise self._error("identity", f"'{name}' is no declared attribute", hint)
            if self.declared[name].value_of is not None:
                raise self._error("identity", f"'{name}' is another attribute's value", "name that attribute")
            if name in identity[:position]:
                raise self._error("identity", f"'{name}' stands twice", "name it once")
        return identity

    def _unknown_names(self, event_type: str, attributes: tuple[Attribute, ...]) -> Iterator[str]:
        said = [("event_type", event_type)]
        said += [(f"attributes.{a.name}", a.property) for a in attributes if a.property is not None]
        linked = [(a.name, a.linkage) for a in attributes if a.linkage is not None]
        said += [(f"attributes.{name}.key", by.key) for name, by in linked if by.key is not None]
        said += [(f"attributes.{name}.of_class", by.of_class) for name, by in linked if by.of_class is not None]
        for key, iri in said if self.knowledge.modules else ():
            if not self.knowledge.is_known(iri):
                what = f"the knowledge base does not know <{iri}>"
                yield str(self._error(key, what, self._instead_of(iri)))
        for a in attributes:
            if a.unit is not None and self.knowledge.unit(a.unit) is None:
                what = f"nobody says how <{a.unit}> is converted"
                hint = "values in it can be compared with each other only"
                yield str(self._error(f"attributes.{a.name}.unit", what, hint))

    def _instead_of(self, iri: str) -> str | None:
        """What to do about a name that the knowledge does not have."""
        shipped = shipped_with(iri)
        if shipped is not None and not any(shipped.declares & module.declares for module in self.knowledge.modules):
            return f'list "{shipped.name}" in knowledge.modules'
        return did_you_mean(iri, self.knowledge.terms())


def _local_name(iri: str) -> str:
    return iri[max(iri.rfind(c) for c in "#/:") + 1 :]


def _is_iri(text: str) -> bool:
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True
