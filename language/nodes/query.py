"""A checked query: what the semantic filter, the CEP operators and the planner work from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from ..source_text import SourceText, Span
from .bounds import Bounds
from .context import ContextChange, ContextSet, InContext
from .expression import Expression
from .path_nodes import Semantics
from .pattern import Pattern, Window
from .types import StreamType, ValueType


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


class ActionKind(StrEnum):
    """What an action of a rule is."""

    CALL = "CALL"
    EMIT = "EMIT"
    CHANGE = "CHANGE"


@dataclass(frozen=True, slots=True)
class RuleAction:
    """What a rule does for a row (EStreams §5.3).

    Attributes:
        kind: what it is.
        target: the action of the project, the stream, or the set of contexts.
        items: the arguments, the attributes of the event or those of the window, behind them what is hidden; the rule's
            query has the same as hidden items, called `<place of the action>.<name>`.
        output: the stream that the items form, as if they were the rows of a query; `depends_on` as the row's.
        change: of CHANGE, what it does.
    """

    kind: ActionKind
    target: str
    items: tuple[Item, ...]
    output: StreamType
    span: Span
    change: ContextChange | None = None


@dataclass(frozen=True, slots=True)
class EventRule:
    """CREATE RULE: what is done for each row of its query.

    Attributes:
        name: of the rule.
        actions: in the order of the text.
        deferred: DEFERRED.
        priority: 1 comes first; `None`: last.
    """

    name: str
    actions: tuple[RuleAction, ...]
    deferred: bool
    priority: int | None


@dataclass(frozen=True, slots=True)
class StateReference:
    """What a query that is asked once reads in place of streams (LANGUAGE-2 §9).

    Attributes:
        query: the registered query; of CONTEXTS the set.
        variable: whose events; `None`: those of all.
        partial: PARTIAL.
        contexts: CONTEXTS.
        body: of a query that is not registered, and that `query` covers, itself; `None`: it is that query's state.
        cover: why it is covered, as a sentence without its stop.
    """

    query: str
    variable: str | None = None
    partial: bool = False
    contexts: bool = False
    body: Query | None = None
    cover: str = ""


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
        rule: of a rule, what it does for the rows, of which nobody sees anything else; `None`: it is a query.
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
    rule: EventRule | None = None
    document: SourceText | None = field(default=None, compare=False, repr=False)

    @property
    def called(self) -> str | None:
        """The name that the text gives to the query or rule."""
        return self.name if self.rule is None else self.rule.name

    @property
    def identity(self) -> str:
        """What tells its rows from those of others: its name, or its text."""
        return self.called or self.normal

    @property
    def deriving(self) -> tuple[Query, ...]:
        """The queries whose rows change contexts: this one, or those that do what a rule does."""
        return self._alone(ActionKind.CHANGE) if self.change is None else (self,)

    @property
    def emitting(self) -> tuple[Query, ...]:
        """The queries whose rows are events of the stream of their name: this one, or those of a rule."""
        return self._alone(ActionKind.EMIT) if self.name is None else (self,)

    @property
    def changed_sets(self) -> tuple[str, ...]:
        """The sets of contexts that it changes, each once."""
        actions = () if self.rule is None else self.rule.actions
        changes = [self.change, *(action.change for action in actions)]
        return tuple(dict.fromkeys(change.context.set for change in changes if change is not None))

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that its rows, or what a rule emits for them, are events of, each once."""
        actions = () if self.rule is None else self.rule.actions
        emitted = [action.target for action in actions if action.kind is ActionKind.EMIT]
        return tuple(dict.fromkeys(emitted if self.name is None else [self.name]))

    def _alone(self, kind: ActionKind) -> tuple[Query, ...]:
        """For each action of a rule of a kind a query that has its items alone."""
        actions = () if self.rule is None else tuple(a for a in self.rule.actions if a.kind is kind)
        named = kind is ActionKind.EMIT
        return tuple(
            replace(self, name=a.target if named else None, items=a.items, output=a.output, change=a.change, rule=None)
            for a in actions
        )
