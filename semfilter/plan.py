"""The plan of a subquery, as the compile-time rules hand it on, and what they may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rdflib import Variable

from ..annotator import EventShape
from ..language.nodes import Column, Expression, Subquery, Triple, ValueFilter, ValueType, walk
from ..ontology import KnowledgeBase

KNOWN_SMALL = 1_000_000.0
"""Up to so many solutions, intermediate ones included, are found in a second or two."""


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
class DerivedValue:
    """A value that the residual query computes for a condition on columns.

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
class InlineData:
    """Solutions that were found at compile time: SPARQL text of terms, a row per solution."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MaterialisationQuery:
    """The residual query without the event: it gives the verdicts of all individuals at once.

    Attributes:
        keys: (variable, column of individuals' IRIs) for each part of the key.
        body: SPARQL group without braces that binds these variables.
        cost: how many solutions, intermediate ones included, it has at the most.
    """

    keys: tuple[tuple[str, str], ...]
    body: str
    cost: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class ResidualQuery:
    """What is left for SPARQL. A verdict depends on this and on the knowledge, and on nothing else of a query.

    Attributes:
        variable: the event variable.
        body: SPARQL group without braces.
        bindings: what it has to give outside, and how each is typed.
        derived: what it computes for conditions on columns.
        key: the columns that it depends on.
        identified: whether it also depends on which event it is.
        classes: those of the events, if it may see them.
        unbatchable: why keys have to be evaluated one by one; `None`: they can be evaluated together.
        materialisation: what gives the verdicts of all keys at once; `None`: keys are evaluated as they come.
        cost: how many solutions, intermediate ones included, it has for one key at the most.
    """

    variable: str
    body: str
    bindings: tuple[tuple[str, ValueType], ...]
    derived: tuple[DerivedValue, ...]
    key: tuple[KeyColumn, ...]
    identified: bool
    classes: tuple[str, ...]
    unbatchable: str | None
    materialisation: MaterialisationQuery | None = None
    cost: float = field(default=0.0, compare=False)

    @property
    def solution(self) -> tuple[tuple[str, ValueType], ...]:
        """The variables of a solution, and how each is typed: bindings, then derived values."""
        return (*self.bindings, *((derived.name, derived.type) for derived in self.derived))


@dataclass(frozen=True, slots=True)
class Plan:
    """A subquery on its way from text to a residual query and conditions on columns.

    Attributes:
        subquery: as the query has it.
        orderly: whether the rules can take it apart into triples, nested parts and filters.
        triples: what is left of its triple patterns, when it is orderly.
        filters: what is left of its filters, when it is orderly.
        unsatisfiable: why no event can satisfy it; `None`: some may.
        constants: SPARQL text of the values that variables were found to have at compile time.
        inline_data: the same where there are several values.
        required: columns that an event must have a value in.
        conditions: conditions on columns, and on the columns of `derived`.
        derived: what the residual query computes for the conditions.
        copies: bindings that are an attribute's value or its individual: (variable, column).
        residual: the residual query; `None`: it is not written yet, or the subquery is unsatisfiable.
        notes: what the rules did, for `explain`.
    """

    subquery: Subquery
    orderly: bool
    triples: tuple[Triple, ...]
    filters: tuple[ValueFilter, ...]
    unsatisfiable: str | None = None
    constants: tuple[tuple[str, str], ...] = ()
    inline_data: tuple[InlineData, ...] = ()
    required: tuple[str, ...] = ()
    conditions: tuple[Expression, ...] = ()
    derived: tuple[DerivedValue, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    residual: ResidualQuery | None = None
    notes: tuple[str, ...] = ()

    @property
    def solved(self) -> tuple[str, ...]:
        """The bindings that the residual query has to give, without `?`."""
        copied = {name for name, _ in self.copies}
        return tuple(name for name in self.subquery.bindings if name not in copied)

    @property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns of events that the conditions look at."""
        found = (node for c in self.conditions for node in walk(c))
        return tuple(dict.fromkeys(node.name for node in found if isinstance(node, Column)))

    def uses(self, variable: str) -> int:
        """How many triples, filters, nested parts and values speak of a variable, each position in a triple by itself.

        What is used outside of the subquery does not count.
        """
        name = Variable(variable)
        terms = [term for t in self.triples for term in (t.subject, t.predicate, t.object)]
        parts = [f.variables for f in self.filters] + [derived.variables for derived in self.derived]
        parts += [nested.variables for nested in self.subquery.nested]
        parts += [frozenset({constant}) for constant, _ in self.constants]
        parts += [frozenset(data.names) for data in self.inline_data]
        return terms.count(name) + sum(variable in names for names in parts)


def columns_of(shape: EventShape, iri: str) -> tuple[tuple[str, str | None, str], ...]:
    """Column, column of individuals and datatype of everything that an event has as the value of a property."""
    return tuple((p.column, p.individual, p.datatype) for p in shape.properties if p.iri == iri)


@dataclass(frozen=True, slots=True)
class PlanContext:
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

    def type_of(self, binding: str) -> ValueType:
        """How a binding is typed."""
        return self.bindings.get(binding, ValueType.TERM)


PlanRule = Callable[[Plan, PlanContext], Plan]
