"""A checked query: what the semantic filter, the CEP operators and the planner work from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from ..source_text import SourceText, Span
from .bounds import Bounds
from .context import ContextChange, ContextSet, InContext
from .expression import Expression
from .pattern import Pattern, Window
from .types import ValueType
from .vocabulary import StreamType


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


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of FROM, and what selects the variable's candidates.

    Attributes:
        variable: the event variable, without `?`.
        stream: what its events look like.
        filters: FILTERs of this variable alone; all must be true. They may use `Binding`s.
        semantics: the PATHs of this variable; `None` when there are none.
        columns: the names of the candidate columns that the rest of the query uses (`Column.name`; a `Binding` as
            `?name`), sorted; `_time` and `_id` are always there and not listed.
        bindings: name → type of the semantic variables that are used outside the PATHs.
        window_attributes: name → type of the attributes of its context window that are used, each a `Binding` called
            `acc.name` after AS; their columns come with the window, not with a PATH.
    """

    variable: str
    stream: StreamType
    filters: tuple[Expression, ...]
    semantics: Semantics | None
    columns: tuple[str, ...]
    bindings: tuple[tuple[str, ValueType], ...]
    span: Span
    window_attributes: tuple[tuple[str, ValueType], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One output column.

    Attributes:
        name: its name in the output.
        value: what is reported.
        condition: the comparison of the paper's short form (`AVG(?e.x) > 500 AS a`); the row is reported only while
            it is true. `None` when there is none.
        type: the type of the output column.
        hidden: not selected, but carried so that PATHs over this query's output reach the individual that the item
            before stands for; no part of the rows that users see.
    """

    name: str
    value: Expression
    condition: Expression | None
    type: ValueType
    span: Span
    hidden: bool = False


class Policy(StrEnum):
    """The selection policy: what `,` means in SEQ."""

    ANY = "any"
    NEXT = "next"
    STRICT = "strict"


class AfterMatchKind(StrEnum):
    """What may follow a reported match: AFTER MATCH, or a consumption mode of POLICY."""

    KEEP_ALL = "KEEP ALL"
    PAST_LAST = "SKIP PAST LAST EVENT"
    TO_NEXT = "SKIP TO NEXT EVENT"
    TO_FIRST = "SKIP TO FIRST"
    TO_LAST = "SKIP TO LAST"
    CONSUME = "CONSUME"
    RECENT = "recent"
    CHRONICLE = "chronicle"
    CONTINUOUS = "continuous"
    CUMULATIVE = "cumulative"


CONSUMPTION_MODES = (
    AfterMatchKind.RECENT,
    AfterMatchKind.CHRONICLE,
    AfterMatchKind.CONTINUOUS,
    AfterMatchKind.CUMULATIVE,
)


@dataclass(frozen=True, slots=True)
class AfterMatch:
    """AFTER MATCH, or a consumption mode, which stands in its place.

    Attributes:
        kind: which.
        variable: that of SKIP TO FIRST and LAST.
        by: of a mode, what events of a variable wait apart by.
        keep: of a mode, for how long, or how many, events of a variable wait.
    """

    kind: AfterMatchKind
    variable: str | None = None
    by: tuple[tuple[str, Expression], ...] = ()
    keep: tuple[tuple[str, timedelta | int], ...] = ()

    @property
    def is_mode(self) -> bool:
        """Whether it is a consumption mode."""
        return self.kind in CONSUMPTION_MODES


@dataclass(frozen=True, slots=True)
class Output:
    """OUTPUT: which matches (`ALL`, `FIRST`, `LAST`) of each `every` (a duration, or so many matches)."""

    which: str
    every: timedelta | int


class Kind(StrEnum):
    """The shape of a query, which decides the operator that answers it."""

    SELECTION = "selection"
    AGGREGATION = "aggregation"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True)
class SortOrder:
    """A key of ORDER BY: the name of the hidden item that has its values, and whether the greatest come first."""

    item: str
    descending: bool


@dataclass(frozen=True, slots=True)
class StateReference:
    """What a query that is asked once reads in place of streams (LANGUAGE-2 §9).

    Attributes:
        query: the registered query; of CONTEXTS the set.
        variable: whose events; `None`: those of all.
        partial: PARTIAL.
        contexts: CONTEXTS.
    """

    query: str
    variable: str | None = None
    partial: bool = False
    contexts: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A checked χ-CEP query.

    Attributes:
        name: of CREATE QUERY; `None` without.
        normal: the normalised text: one way to write it, names resolved, no comments. Equal texts mean equal queries.
        kind: SELECTION (one variable, no aggregate over a window), AGGREGATION, or PATTERN (several variables or SEQ).
        sources: in order of FROM.
        joins: JOIN conditions, all must be true.
        pattern: SEQ; `None` without.
        windows: all of them.
        partition_by: names of attributes, per source: `partition_by[i]` = (source variable → column name) pairs.
        output: the stream that this query's rows form, for queries that name it in FROM.
        warnings: unknown classes and properties, each a full message with its place.
        retention: all events of a match lie within it, as in a WINDOW over all variables; `None`: the text bounds them.
        context_sets: every set that it speaks of: IN CONTEXT, `change` and CONTEXTS(…) in FROM; each once.
        in_context: IN CONTEXT; `None` without.
        change: of a deriving query, what its rows do; its visible items are attributes of the window. `None`: SELECT.
        asked: of a query that is asked once, what each source reads, in order of FROM; of others empty.
        order_by: ORDER BY.
        document: the text that its spans point into, for messages; queries of equal meaning are equal without it.
    """

    name: str | None
    normal: str
    kind: Kind
    items: tuple[Item, ...]
    sources: tuple[Source, ...]
    bounds: Bounds
    joins: tuple[Expression, ...]
    pattern: Pattern | None
    windows: tuple[Window, ...]
    partition_by: tuple[tuple[tuple[str, str], ...], ...]
    group_by: tuple[Expression, ...]
    having: Expression | None
    policy: Policy
    after_match: AfterMatch
    limit: int | None
    distinct: bool
    output_rate: Output | None
    output: StreamType
    warnings: tuple[str, ...]
    span: Span
    retention: timedelta | None = None
    context_sets: tuple[ContextSet, ...] = ()
    in_context: InContext | None = None
    change: ContextChange | None = None
    asked: tuple[StateReference, ...] = ()
    order_by: tuple[SortOrder, ...] = ()
    document: SourceText | None = field(default=None, compare=False, repr=False)
