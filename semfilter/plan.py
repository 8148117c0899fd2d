"""What is left to do for a subquery at run time, as the compile-time rules hand it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..annotator import EventShape
from ..language.expressions import Expression
from ..language.query import Subquery, Triple, ValueFilter
from ..language.types import ValueType
from ..ontology import KnowledgeBase


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A part of the key: a column, and the triples of an event that it gives.

    Attributes:
        column: the column of raw values.
        individual: the column of individuals' IRIs, which goes before the raw value; `None`: literals only.
        datatype: XSD datatype IRI of the literals.
        properties: the properties whose object it is, of those that the subquery can see.
    """

    column: str
    individual: str | None
    datatype: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """A value that the remaining SPARQL computes for a condition on columns.

    Attributes:
        name: the variable that holds it; no name of the query's.
        text: SPARQL expression over variables of the subquery.
        variables: the variables in it.
        type: how its column is typed.
    """

    name: str
    text: str
    variables: frozenset[str]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Plan:
    """A subquery on its way from text to key, remaining SPARQL and conditions on columns.

    Attributes:
        subquery: as the query has it.
        flat: whether it consists of triples and filters that the rules can take apart.
        triples: what is left of its triple patterns, when it is flat.
        filters: what is left of its filters, when it is flat.
        body: the remaining SPARQL, a group without braces; set by the last rule.
        never: why no event can satisfy it; `None`: some may.
        constants: SPARQL text of the values that variables were found to have ahead of run time.
        present: columns that an event must have a value in.
        conditions: conditions on columns, and on the columns of `derived`.
        derived: what the remaining SPARQL computes for the conditions.
        copies: bindings that are an attribute's value: (variable, column).
        key: the columns that the remaining SPARQL depends on.
        identified: whether it also depends on which event it is.
        types: whether it may see the event's classes.
        alone: why keys have to be evaluated one by one; `None`: they can be evaluated together.
        notes: what the rules did, for `explain`.
    """

    subquery: Subquery
    flat: bool
    triples: tuple[Triple, ...]
    filters: tuple[ValueFilter, ...]
    body: str = ""
    never: str | None = None
    constants: tuple[tuple[str, str], ...] = ()
    present: tuple[str, ...] = ()
    conditions: tuple[Expression, ...] = ()
    derived: tuple[Derived, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    key: tuple[KeyColumn, ...] = ()
    identified: bool = False
    types: bool = False
    alone: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def solved(self) -> tuple[str, ...]:
        """The bindings that the remaining SPARQL has to give, without `?`."""
        copied = {name for name, _ in self.copies}
        return tuple(name for name in self.subquery.bindings if name not in copied)


@dataclass(frozen=True, slots=True)
class Context:
    """What the rules may look at.

    Attributes:
        shape: the triples that an event can have.
        knowledge: the knowledge base.
        bindings: type by name of the semantic variables that are used outside.
        known_events: whether the knowledge base itself speaks of events of this stream.
    """

    shape: EventShape
    knowledge: KnowledgeBase
    bindings: dict[str, ValueType]
    known_events: bool


Rule = Callable[[Plan, Context], Plan]
