"""The types of values in events, knowledge and expressions; of attributes and of streams."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

XSD = "http://www.w3.org/2001/XMLSchema#"


class ValueType(StrEnum):
    """The type of an expression, known before any event arrives.

    `TERM` is an RDF term of which nothing is known before run time: a semantic variable whose property says
    nothing about its range. Its column holds N-Triples text.
    """

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DOUBLE = "double"
    STRING = "string"
    DATETIME = "dateTime"
    DURATION = "duration"
    IRI = "iri"
    TERM = "term"

    @property
    def numeric(self) -> bool:
        """Whether arithmetic applies."""
        return self in (ValueType.INTEGER, ValueType.DOUBLE)


_INTEGERS = (
    *("integer", "long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
)
_BY_DATATYPE: dict[str, ValueType] = {
    **{XSD + name: ValueType.INTEGER for name in _INTEGERS},
    **{XSD + name: ValueType.DOUBLE for name in ("double", "float", "decimal")},
    **{XSD + name: ValueType.STRING for name in ("string", "normalizedString", "token", "anyURI")},
    XSD + "boolean": ValueType.BOOLEAN,
    XSD + "dateTime": ValueType.DATETIME,
    XSD + "dateTimeStamp": ValueType.DATETIME,
    XSD + "duration": ValueType.DURATION,
    XSD + "dayTimeDuration": ValueType.DURATION,
}


def type_of_datatype(datatype: str) -> ValueType | None:
    """The value type that an XSD datatype IRI stands for, `None` when kaicep has none for it."""
    return _BY_DATATYPE.get(datatype)


_ATTRIBUTES = "urn:kaicep:attribute:"


@dataclass(frozen=True, slots=True)
class AttributeType:
    """One attribute of a stream after normalisation.

    Attributes:
        name: the attribute's declared name, which is also its column in event tables.
        type: the type of that column.
        property: IRI of the property that the attribute stands for; `None` when it has only a datatype.
        aliases: other raw names and property IRIs that mean the same (`owl:sameAs`, `owl:equivalentProperty`).
        individual: whether values stand for individuals; then the column named by the property's IRI holds the
            individual's IRI, and `?e.property` means that column while `?e.name` means the raw value.
        unit: IRI of the QUDT unit of the values.
    """

    name: str
    type: ValueType
    property: str | None = None
    aliases: frozenset[str] = frozenset()
    individual: bool = False
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class StreamType:
    """A stream as queries see it.

    Attributes:
        name: the stream's name.
        attributes: in declared order, the time attribute among them.
        event_type: IRI of the class of its events; `None` for the output of a query.
        time: name of the time attribute; `_time` for the output of a query.
        decided_late: of the output of a query, whether its rows may be decided after their `_time`.
        depends_on: what decides about its rows at their very `_time`: names of the context sets whose changes do
            (CONTEXTS(…) is behind them), sets by the ends of whose windows they come (WINDOW (…, CONTEXT)), as
            `ends_of` calls them, and streams whose events do, as `events_of` calls them.
        nonmonotonic: those of them that do not only add rows.
        emitted: whether it is there since rules EMIT it.
    """

    name: str
    attributes: tuple[AttributeType, ...]
    event_type: str | None = None
    time: str = "_time"
    decided_late: bool = False
    depends_on: frozenset[str] = frozenset()
    nonmonotonic: frozenset[str] = frozenset()
    emitted: bool = False


def events_of(stream: str) -> str:
    """What the events of a stream are called among what rows depend on."""
    return f"EVENTS({stream})"


def ends_of(contexts: str) -> str:
    """What the ends of the windows of a set are called among what rows depend on."""
    return f"ENDS({contexts})"


def named_attribute(stream: StreamType, name: str) -> AttributeType | None:
    """The attribute of a stream that a plain name, a property's IRI or an alias of either means, if it has one."""
    own = (a for a in stream.attributes if name in (a.name, a.property))
    return next(own, None) or next((a for a in stream.attributes if name in a.aliases), None)


def is_individual(attribute: AttributeType) -> bool:
    """Whether the values of an attribute stand for individuals, whose IRIs are in a column of the property's name."""
    return attribute.individual and attribute.property is not None


def attribute_iri(stream: str, attribute: str) -> str:
    """The property that stands for an attribute that has none: `urn:kaicep:attribute:<stream>:<name>`."""
    return f"{_ATTRIBUTES}{quote(stream, safe='')}:{quote(attribute, safe='')}"
