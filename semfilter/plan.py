"""What is left to do for a subquery at run time, as the compile-time rules hand it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rdflib import Variable

from ..annotator import EventShape
from ..language.nodes import Column, Expression, Subquery, Triple, ValueFilter, ValueType, walk
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
class DerivedValue:
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
class InlineData:
    """Solutions that were found ahead of run time: SPARQL text of terms, a row per solution."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MaterialisationQuery:
    """The remaining SPARQL without the event: it gives the verdicts of all individuals at once.

    Attributes:
        keys: (variable, column of individuals' IRIs) for each part of the key.
        body: SPARQL group without braces that binds these variables.
    """

    keys: tuple[tuple[str, str], ...]
    body: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A subquery on its way from text to key, remaining SPARQL and conditions on columns.

    Attributes:
        subquery: as the query has it.
        orderly: whether the rules can take it apart into triples, nested parts and filters.
        triples: what is left of its triple patterns, when it is orderly.
        filters: what is left of its filters, when it is orderly.
        body: the remaining SPARQL, a group without braces; set by the last rule.
        never: why no event can satisfy it; `None`: some may.
        constants: SPARQL text of the values that variables were found to have ahead of run time.
        rows: the same where there are several values.
        present: columns that an event must have a value in.
        conditions: conditions on columns, and on the columns of `derived`.
        derived: what the remaining SPARQL computes for the conditions.
        copies: bindings that are an attribute's value or its individual: (variable, column).
        key: the columns that the remaining SPARQL depends on.
        identified: whether it also depends on which event it is.
        types: whether it may see the event's classes.
        alone: why keys have to be evaluated one by one; `None`: they can be evaluated together.
        table: what gives the verdicts of all keys at once; `None`: keys are looked up as they come.
        notes: what the rules did, for `explain`.
    """

    subquery: Subquery
    orderly: bool
    triples: tuple[Triple, ...]
    filters: tuple[ValueFilter, ...]
    body: str = ""
    never: str | None = None
    constants: tuple[tuple[str, str], ...] = ()
    rows: tuple[InlineData, ...] = ()
    present: tuple[str, ...] = ()
    conditions: tuple[Expression, ...] = ()
    derived: tuple[DerivedValue, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    key: tuple[KeyColumn, ...] = ()
    identified: bool = False
    types: bool = False
    alone: str | None = None
    table: MaterialisationQuery | None = None
    notes: tuple[str, ...] = ()

    @property
    def solved(self) -> tuple[str, ...]:
        """The bindings that the remaining SPARQL has to give, without `?`."""
        copied = {name for name, _ in self.copies}
        return tuple(name for name in self.subquery.bindings if name not in copied)

    @property
    def tested(self) -> tuple[str, ...]:
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
        parts += [frozenset(rows.names) for rows in self.rows]
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


PlanRule = Callable[[Plan, PlanContext], Plan]
