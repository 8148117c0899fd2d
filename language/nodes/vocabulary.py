"""What a query may speak of: streams, their attributes, and the names of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol
from urllib.parse import quote

from .context import ContextSet
from .measures import Unit
from .signature import AggregateSignature, ChangeSignature, Signature
from .types import ValueType

_ATTRIBUTES = "urn:kaicep:attribute:"

Functions = Mapping[str, Signature | AggregateSignature | ChangeSignature]
"""What may stand before `(`: functions and aggregates by their upper-case names."""


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
            (CONTEXTS(…) or WINDOW (…, CONTEXT) is behind them), and streams whose events do, as `events_of` calls them.
        emitted: whether it is there since rules EMIT it.
    """

    name: str
    attributes: tuple[AttributeType, ...]
    event_type: str | None = None
    time: str = "_time"
    decided_late: bool = False
    depends_on: frozenset[str] = frozenset()
    emitted: bool = False


def events_of(stream: str) -> str:
    """What the events of a stream are called among what rows depend on."""
    return f"EVENTS({stream})"


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


class KnownTerms(Protocol):
    """What the language asks of the knowledge base; it never sees the store."""

    def is_class(self, iri: str) -> bool:
        """Whether the knowledge base says that `iri` is a class."""

    def is_property(self, iri: str) -> bool:
        """Whether the knowledge base says that `iri` is a property."""

    def is_known(self, iri: str) -> bool:
        """Whether `iri` occurs in the knowledge base at all."""

    def terms(self) -> tuple[str, ...]:
        """IRIs of all classes and properties, for suggestions."""

    def range_of(self, prop: str) -> ValueType:
        """The type of the property's values: by its range, else by the values that it has; else `TERM`."""

    def unit(self, iri: str) -> Unit | None:
        """The unit of measure of that name; `None` when nobody says how to convert it."""

    def nearest_unit(self, name: str, dimension: tuple[Fraction, ...] | None) -> str | None:
        """IRI of a unit of a similar name, for suggestions: of that dimension, if it is known."""


@dataclass(frozen=True, slots=True)
class KnownContexts:
    """A set with what the deriving queries known so far say of it.

    Attributes:
        set: as declared.
        attributes: context → the attributes of its windows, as a stream of the rows that begin them has them; `_since`
            is not among them.
        initiated: the contexts that some query lets begin.
        depends_on: names of the sets whose CONTEXTS(…) its deriving queries read, also through named queries.
    """

    set: ContextSet
    attributes: Mapping[str, tuple[AttributeType, ...]] = field(default_factory=dict)
    initiated: frozenset[str] = frozenset()
    depends_on: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownState:
    """What may be asked of the state of a query.

    Attributes:
        variables: those that its partial matches bind, or its windows hold, with their streams, in order of FROM.
        runs: those that may bind several events.
        partial: whether it has partial matches: it is no aggregate.
        refusal: why nothing can be asked of it, and what to do; `None`: something can.
    """

    variables: Mapping[str, StreamType]
    runs: frozenset[str] = frozenset()
    partial: bool = True
    refusal: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything that a query's text is checked against.

    Attributes:
        streams: by name; source streams and the outputs of named queries.
        functions: by name.
        prefixes: prefix → namespace IRI, from the project.
        terms: the names of the knowledge base; `None`: nothing is known, nothing is warned about.
        sources: names of the source streams (the one of a single-stream project may be left out of FROM).
        contexts: by name; the sets of contexts, and what deriving queries said of them.
        states: of named queries, by name, what may be asked of their states.
    """

    streams: Mapping[str, StreamType]
    functions: Functions
    prefixes: Mapping[str, str] = field(default_factory=dict)
    terms: KnownTerms | None = None
    sources: tuple[str, ...] = ()
    contexts: Mapping[str, KnownContexts] = field(default_factory=dict)
    states: Mapping[str, KnownState] = field(default_factory=dict)
