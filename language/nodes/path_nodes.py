"""What must hold of one event variable: SPARQL that PATHs say of it, joined by AND and OR."""

from __future__ import annotations

from dataclasses import dataclass

from ..source_text import Span


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple pattern of a PATH.

    Each position is an rdflib term (`URIRef`, `Literal`, `Variable`, `BNode`), the predicate perhaps a property path.
    """

    subject: object
    predicate: object
    object: object


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """A FILTER at the top level of a flat PATH.

    Attributes:
        text: its SPARQL text, the expression alone, prefixes expanded.
        variables: names of the variables in it.
        algebra: rdflib's algebra of the expression.
    """

    text: str
    variables: frozenset[str]
    algebra: object


@dataclass(frozen=True, slots=True)
class Nested:
    """A part of a PATH that is neither a triple nor a FILTER on values: OPTIONAL, BIND, a group, FILTER EXISTS.

    Attributes:
        text: its SPARQL text, prefixes expanded.
        variables: names of all variables in it.
    """

    text: str
    variables: frozenset[str]


@dataclass(frozen=True, slots=True)
class Subquery:
    """One semantic subquery of one event variable (a PATH of several event variables is split before).

    Attributes:
        variable: the event variable, without `?`.
        text: a SPARQL GroupGraphPattern without its braces, prefixes expanded, in which `variable` is free.
        triples: its triple patterns, when it is *orderly* (all of them stand before the nested parts), else empty.
        filters: its FILTERs on values, when it is orderly.
        flat: whether `triples` and `filters` are the whole of it.
        bindings: names of the variables that are used outside of it, in order of first use.
        nested: its other parts in order, when it is orderly; empty when it is flat.
    """

    variable: str
    text: str
    triples: tuple[Triple, ...]
    filters: tuple[ValueFilter, ...]
    flat: bool
    bindings: tuple[str, ...]
    span: Span
    nested: tuple[Nested, ...] = ()

    @property
    def orderly(self) -> bool:
        """Whether `triples`, `nested` and `filters`, one after the other, are the whole of it."""
        return self.flat or bool(self.nested)


@dataclass(frozen=True, slots=True)
class AllOf:
    """PATHs joined by AND."""

    parts: tuple[Semantics, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """PATHs joined by OR; bindings of a branch that does not hold are unbound."""

    parts: tuple[Semantics, ...]


Semantics = Subquery | AllOf | AnyOf
