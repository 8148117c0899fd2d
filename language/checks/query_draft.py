"""A query whose clauses are resolved each by itself: what the checks of a query as a whole look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from .. import syntax_tree as syntax
from ..nodes import (
    CheckWindow,
    ContextChange,
    EventRule,
    Expression,
    InContext,
    Item,
    Kind,
    Pattern,
    SortOrder,
    Window,
    aggregates_of,
    negated_variables,
    quantified_variables,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """The resolved clauses of a query.

    Attributes:
        tree: as written.
        variables: the event variables, in order of FROM.
        retention: the bound that the caller puts on state.
        in_context: what IN CONTEXT says.
        change: of a deriving query; its keys are the hidden ones of `items`.
        once: whether it is asked once, of states, which are as they are.
        order_by: ORDER BY; the keys' values are the last of `items`, hidden.
        rule: of a rule, what it does for its rows; the arguments are hidden `items`.
    """

    tree: syntax.SelectQuery
    variables: tuple[str, ...]
    items: tuple[Item, ...]
    filters: tuple[Expression, ...]
    joins: tuple[Expression, ...]
    pattern: Pattern | None
    windows: tuple[Window, ...]
    group_by: tuple[Expression, ...]
    having: Expression | None
    retention: timedelta | None
    in_context: InContext | None = None
    change: ContextChange | None = None
    once: bool = False
    order_by: tuple[SortOrder, ...] = ()
    rule: EventRule | None = None

    @property
    def kind(self) -> Kind:
        """The shape of the query."""
        if len(self.variables) > 1 or self.pattern is not None:
            return Kind.PATTERN
        if any(isinstance(window, CheckWindow) for window in self.windows):
            return Kind.AGGREGATION
        tested = [item.condition or item.value for item in self.items]
        return Kind.AGGREGATION if any(map(aggregates_of, (*tested, *_given(self.having)))) else Kind.SELECTION

    @property
    def reported(self) -> tuple[Expression, ...]:
        """What is said of a complete match: items, GROUP BY, HAVING."""
        items = [e for item in self.items for e in (item.value, *_given(item.condition))]
        return (*items, *self.group_by, *_given(self.having))

    @property
    def quantified(self) -> Mapping[str, bool]:
        """The quantified variables: name → whether they may bind several events."""
        return quantified_variables(self.pattern)

    @property
    def negated(self) -> frozenset[str]:
        """The variables under NOT."""
        return negated_variables(self.pattern)

    @property
    def matched(self) -> tuple[str, ...]:
        """The variables that a match binds."""
        return tuple(name for name in self.variables if name not in self.negated)


def _given(expression: Expression | None) -> Sequence[Expression]:
    return () if expression is None else (expression,)
