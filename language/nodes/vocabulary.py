"""What a query may speak of: streams, their attributes, and the names of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from .context import ContextSet
from .measures import Unit
from .query import Query
from .signature import AggregateSignature, ChangeSignature, Signature
from .types import AttributeType, StreamType, ValueType

Functions = Mapping[str, Signature | AggregateSignature | ChangeSignature]
"""What may stand before `(`: functions and aggregates by their upper-case names."""


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

    def superclasses(self, iri: str) -> frozenset[str]:
        """The classes of every individual of a class."""

    def superproperties(self, iri: str) -> frozenset[str]:
        """The properties that hold whenever a property does."""

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
        depends_on: what decides about the rows of its deriving queries at their very `_time`; see `StreamType`.
        nonmonotonic: see `StreamType`.
    """

    set: ContextSet
    attributes: Mapping[str, tuple[AttributeType, ...]] = field(default_factory=dict)
    initiated: frozenset[str] = frozenset()
    depends_on: frozenset[str] = frozenset()
    nonmonotonic: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownState:
    """What may be asked of the state of a query.

    Attributes:
        variables: those that its partial matches bind, or its windows hold, with their streams, in order of FROM.
        runs: those that may bind several events.
        partial: whether it has partial matches: it is no aggregate.
        refusal: why nothing can be asked of it, and what to do; `None`: something can.
        query: itself.
    """

    variables: Mapping[str, StreamType]
    runs: frozenset[str] = frozenset()
    partial: bool = True
    refusal: tuple[str, str] | None = None
    query: Query | None = field(default=None, compare=False, repr=False)


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
