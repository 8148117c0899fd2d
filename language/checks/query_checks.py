"""What a query as a whole must be (docs/semantics.md 4.2): no refusal here is about a single name or type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta

from .. import syntax_tree as syntax
from ..nodes import (
    AfterMatchKind,
    Aggregate,
    Binding,
    Call,
    Column,
    CorrelationWindow,
    Element,
    Expression,
    Group,
    Item,
    Kind,
    Pattern,
    SlidingWindow,
    Window,
    aggregates_of,
    event_variables,
    plain_columns,
    walk,
    walk_pattern,
)
from ..source_text import Span
from .boundedness import loose
from .name_resolution import Scope
from .pattern_checks import negated, negations_at_ends
from .select_items import is_list
from .window_checks import variables_of


@dataclass(frozen=True, slots=True)
class Draft:
    """A query whose parts are checked each by itself.

    Attributes:
        tree: as written.
        retention: the bound that the caller puts on state.
        runs: the quantified variables: name → whether a run may be longer than one.
    """

    tree: syntax.SelectQuery
    items: tuple[Item, ...]
    filters: tuple[Expression, ...]
    joins: tuple[Expression, ...]
    pattern: Pattern | None
    windows: tuple[Window, ...]
    group_by: tuple[Expression, ...]
    having: Expression | None
    kind: Kind
    retention: timedelta | None
    runs: Mapping[str, bool]

    @property
    def reported(self) -> tuple[Expression, ...]:
        """What is said of a complete match: items, GROUP BY, HAVING."""
        items = [e for item in self.items for e in (item.value, item.condition) if e is not None]
        return (*items, *self.group_by, *([] if self.having is None else [self.having]))


def kind_of(streams: Mapping[str, object], items: Sequence[Item], having: Expression | None, *, seq: bool) -> Kind:
    """The shape of a query."""
    if len(streams) > 1 or seq:
        return Kind.PATTERN
    tested = [item.condition or item.value for item in items] + ([] if having is None else [having])
    return Kind.AGGREGATION if any(aggregates_of(e) for e in tested) else Kind.SELECTION


def check(scope: Scope, draft: Draft) -> None:
    """Refuse a query that cannot mean anything, or whose state could grow without bound.

    Raises:
        QueryTypeError: with the place and the way out.
    """
    for expression in draft.filters:
        _check_filter(scope, expression)
    for expression in draft.joins:
        _check_join(scope, draft, expression)
    _check_runs(scope, draft)
    _check_absent_looks(scope, draft)
    _check_lists(scope, draft)
    _check_untils(scope, draft)
    _check_reported(scope, draft)
    _check_grouping(scope, draft)
    _check_windows(scope, draft)
    _check_negations(scope, draft)
    _check_bounded(scope, draft)
    _check_numbers(scope, draft.tree)


def _check_filter(scope: Scope, expression: Expression) -> None:
    found = aggregates_of(expression)
    if found:
        hint = f"write HAVING {scope.quote(expression.span)}, or JOIN for a run"
        raise scope.error(found[0].span, "a FILTER tests one event and knows no aggregates", hint)
    variables = event_variables(expression)
    if len(variables) > 1:
        message = f"this FILTER mentions {' and '.join(f'?{v}' for v in variables)}"
        raise scope.error(expression.span, message, f"write JOIN ({scope.quote(expression.span)})")
    if not variables:
        raise scope.error(expression.span, "this FILTER mentions no event", "compare an attribute: ?e.attribute")


def _check_join(scope: Scope, draft: Draft, expression: Expression) -> None:
    variables = event_variables(expression)
    if len(variables) > 1 or (variables and variables[0] in draft.runs):
        return
    written = scope.quote(expression.span)
    if not variables:
        hint = "compare attributes of two events"
    elif draft.kind is Kind.AGGREGATION or aggregates_of(expression):
        hint = f"a condition on a window's aggregates is HAVING {written}"
    else:
        hint = f"write FILTER ({written})"
    what = f"only ?{variables[0]}" if variables else "no event"
    raise scope.error(expression.span, f"this JOIN mentions {what}", hint)


def _check_runs(scope: Scope, draft: Draft) -> None:
    for expression in (*draft.reported, *draft.filters):
        for node in walk(expression):
            if isinstance(node, Aggregate) and node.running:
                raise scope.error(node.span, "RUNNING is for JOIN", "leave RUNNING out: the run is complete here")
            if isinstance(node, Call) and node.function == "PREV":
                raise scope.error(node.span, "PREV is for JOIN", "it is the event before the one being tested in a run")
    for expression in (*draft.reported, *draft.joins):
        for node in walk(expression):
            _check_run(scope, draft, node)


def _check_absent_looks(scope: Scope, draft: Draft) -> None:
    """RUNNING and PREV look back from an event that is taken, and none of a NOT is."""
    absent = negated(draft.pattern)
    for expression in draft.joins:
        named = absent & set(event_variables(expression))
        looks = [n for n in walk(expression) if _looks_back(n)]
        if named and looks:
            name = f"?{min(named)}"
            message = f"this looks back in a run, and {name} stands under NOT: no such event is taken"
            raise scope.error(looks[0].span, message, "compare with FIRST, LAST, MIN or MAX of the run")


def _looks_back(node: Expression) -> bool:
    return (isinstance(node, Aggregate) and node.running) or (isinstance(node, Call) and node.function == "PREV")


def _check_run(scope: Scope, draft: Draft, node: Expression) -> None:
    match node:
        case Call(function="PREV"):
            word, variable = "PREV", event_variables(node)[0]
        case Aggregate(running=True, variable=variable):
            word = "RUNNING"
        case Aggregate(function=function, offset=offset, variable=variable) if offset:
            word = f"{function} with a count"
        case _:
            return
    if variable not in draft.runs:
        message = f"{word} is about a run, and ?{variable} is one event"
        raise scope.error(node.span, message, f"quantify it: SEQ (… ?{variable}+ …)")


def _check_lists(scope: Scope, draft: Draft) -> None:
    """LIST gives several values, which nothing else takes."""
    whole = [item.value for item in draft.items if item.condition is None and is_list(item.value)]
    for expression in (*draft.reported, *draft.joins):
        for node in walk(expression):
            if is_list(node) and not any(node is known for known in whole):
                hint = "write it as an item of SELECT; a condition takes FIRST, LAST, MIN, MAX or COUNT"
                raise scope.error(node.span, "LIST is for SELECT, by itself", hint)


def _check_untils(scope: Scope, draft: Draft) -> None:
    for part in () if draft.pattern is None else walk_pattern(draft.pattern):
        quantifier = part.quantifier if isinstance(part, Element | Group) else None
        if quantifier is None or quantifier.until is None:
            continue
        own = {p.variable for p in walk_pattern(part) if isinstance(p, Element)}
        if not own & set(event_variables(quantifier.until)):
            names = " or ".join(f"?{name}" for name in sorted(own))
            hint = f"compare an attribute of {names}"
            raise scope.error(quantifier.until.span, "this UNTIL says nothing of what is repeated", hint)
        for node in walk(quantifier.until):
            if isinstance(node, Binding):
                hint = "compare attributes; JOIN knows what a PATH binds"
                raise scope.error(node.span, "UNTIL is asked of events that no PATH was asked of", hint)
            if is_list(node):
                raise scope.error(node.span, "LIST is for SELECT, by itself", "a condition takes FIRST, LAST or COUNT")


def _check_reported(scope: Scope, draft: Draft) -> None:
    absent = negated(draft.pattern)
    for expression in draft.reported:
        for node in walk(expression):
            if isinstance(node, Column | Binding | Aggregate) and node.variable in absent:
                message = f"?{node.variable} stands under NOT: there is no such event to report"
                raise scope.error(node.span, message, "report another variable")
        for column in plain_columns(expression):
            if draft.runs.get(column.variable):
                written = scope.quote(column.span)
                message = f"{written} has a value for each event of the run ?{column.variable}"
                raise scope.error(column.span, message, f"FIRST({written}), LAST({written}) or LIST({written})?")
    _check_after_match(scope, draft, absent)


def _check_after_match(scope: Scope, draft: Draft, absent: AbstractSet[str]) -> None:
    after = draft.tree.after_match
    if after is None:
        return
    if draft.kind is Kind.AGGREGATION and after.kind is not AfterMatchKind.KEEP_ALL:
        hint = "leave it out, or choose windows that do not overlap: batch, session"
        raise scope.error(after.span, "AFTER MATCH is for matches of events, and this query reports windows", hint)
    variable = after.variable
    if variable is not None:
        scope.stream(variable)
        if variable.name in absent:
            raise scope.error(variable.span, f"?{variable.name} stands under NOT", "skip to a variable that is matched")


def _check_grouping(scope: Scope, draft: Draft) -> None:
    for expression in draft.group_by:
        found = aggregates_of(expression)
        if found:
            raise scope.error(
                found[0].span, "GROUP BY knows no aggregates yet", "group by attributes or by what a PATH binds"
            )
    counted = any(aggregates_of(e) for e in draft.reported)
    if draft.group_by and not counted and draft.tree.output is None:
        span = draft.group_by[0].span
        raise scope.error(
            span, "GROUP BY without an aggregate groups nothing", "add one, such as COUNT(?e), or leave it out"
        )
    if draft.tree.partition_by is not None and draft.kind is Kind.AGGREGATION:
        span = draft.tree.partition_by.names[0].span
        variable = next(iter(scope.streams))
        hint = f"write GROUP BY ?{variable}.{scope.quote(span)}"
        raise scope.error(span, "PARTITION BY is for matches of several events", hint)


def _check_windows(scope: Scope, draft: Draft) -> None:
    seen: set[str] = set()
    for window in draft.windows:
        if not isinstance(window, CorrelationWindow):
            if window.variable in seen:
                message = f"?{window.variable} has a window already"
                raise scope.error(window.span, message, "write a query for each window")
            seen.add(window.variable)
            _check_fitting(scope, draft, window)
    if draft.kind is Kind.AGGREGATION and not seen:
        found = next(a for e in draft.reported for a in aggregates_of(e))
        hint = f"add one: WINDOW (?{found.variable}, sliding, 5min)"
        raise scope.error(found.span, f"{found.function} has no window", hint)
    absent = negated(draft.pattern)
    for window in draft.windows:
        for name in sorted(set(variables_of(window)) & absent):
            message = f"?{name} stands under NOT and is in no WINDOW"
            raise scope.error(window.span, message, "name the variables that are matched")


def _check_fitting(scope: Scope, draft: Draft, window: Window) -> None:
    if draft.kind is Kind.PATTERN and (draft.pattern is not None or not isinstance(window, SlidingWindow)):
        names = ", ".join(f"?{name}" for name in scope.streams if name not in negated(draft.pattern))
        hint = f"for a pattern write WINDOW ({names}, 5min)"
        raise scope.error(window.span, "this window is for aggregates of one variable", hint)


def idle_windows(scope: Scope, draft: Draft) -> tuple[str, ...]:
    """A warning for each window that changes no answer."""
    if draft.kind is not Kind.SELECTION:
        return ()
    hint = "no aggregate uses it; leave it out, or add one such as COUNT(…)"
    return tuple(str(scope.error(window.span, "this window has no effect", hint)) for window in draft.windows)


def _check_negations(scope: Scope, draft: Draft) -> None:
    if draft.pattern is None or any(isinstance(w, CorrelationWindow) for w in draft.windows):
        return
    for node in negations_at_ends(draft.pattern):
        name = f"NOT ?{node.variable}"
        message = f"{name} at an end of the pattern has no interval"
        raise scope.error(node.span, message, f"add a WINDOW, or say for how long: {name} FOR 5min")


def unbounded(scope: Scope, draft: Draft) -> str | None:
    """A variable whose events would have to be remembered for ever; `None`: WINDOWs bound them all."""
    if draft.kind is not Kind.PATTERN:
        return None
    matched = _matched(scope, draft)
    if len(matched) == 1 and not draft.runs.get(matched[0]):
        return None
    return loose(matched, draft.runs, draft.pattern, draft.windows)


def _matched(scope: Scope, draft: Draft) -> list[str]:
    absent = negated(draft.pattern)
    return [name for name in scope.streams if name not in absent]


def _check_bounded(scope: Scope, draft: Draft) -> None:
    loose = unbounded(scope, draft)
    if loose is None or draft.retention is not None:
        return
    names = ", ".join(f"?{name}" for name in _matched(scope, draft))
    span = _reason(draft)
    if not draft.windows:
        message = "this could remember events without bound: there is no WINDOW"
    else:
        message = f"this could remember events without bound: no WINDOW ties ?{loose}"
    raise scope.error(span, message, f"add WINDOW ({names}, 5min), or submit the query with a retention")


def _reason(draft: Draft) -> Span:
    """What needs the memory: SEQ, else the first JOIN, else FROM."""
    for clauses in (draft.tree.sequences, draft.tree.joins, draft.tree.sources):
        if clauses:
            return clauses[0].span
    return draft.tree.span


def _check_numbers(scope: Scope, tree: syntax.SelectQuery) -> None:
    if tree.limit is not None and tree.limit.count < 1:
        raise scope.error(tree.limit.span, "LIMIT 0 ends the query before its first match", "LIMIT takes 1 or more")
    if tree.output is not None and not tree.output.every.value:
        raise scope.error(tree.output.span, "OUTPUT EVERY nothing", "it takes a duration above 0, or 1 match or more")
