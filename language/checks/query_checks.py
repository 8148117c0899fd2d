"""What a query as a whole must be (docs/semantics.md 4.2): no refusal here is about a single name or type."""

from __future__ import annotations

from collections.abc import Callable

from ..nodes import (
    Aggregate,
    Alternative,
    Binding,
    Call,
    Column,
    ConstantParameter,
    Element,
    Expression,
    Group,
    Intrinsic,
    Kind,
    Link,
    Pattern,
    Quantifier,
    Sequence,
    aggregates_of,
    event_variables,
    plain_columns,
    quantified_parts,
    walk,
    walk_pattern,
)
from .boundedness import check_bounded
from .closing_clauses import check_after_match, check_grouping, check_limit, check_output, check_partition
from .contexts import check_decided
from .mode_checks import check_mode
from .pattern_checks import check_negations
from .query_draft import Draft
from .resolution import Scope
from .select_items import is_list
from .timer_checks import check_timers
from .window_checks import check_windows


def check(scope: Scope, draft: Draft) -> None:
    """Refuse a query that cannot mean anything, or whose state could grow without bound.

    Raises:
        QueryTypeError: with the place and the way out.
    """
    for one in CHECKS:
        one(scope, draft)


def check_filters(scope: Scope, draft: Draft) -> None:
    """FILTER tests one event."""
    for expression in draft.filters:
        found = aggregates_of(expression)
        if found:
            hint = f"write HAVING {scope.quote(expression.span)}, or JOIN for a run"
            if draft.rule is not None:
                hint = "aggregate in a query, and let the rule be ON that"
            raise scope.error(found[0].span, "a FILTER tests one event and knows no aggregates", hint)
        variables = event_variables(expression)
        if len(variables) > 1:
            message = f"this FILTER mentions {' and '.join(f'?{v}' for v in variables)}"
            raise scope.error(expression.span, message, f"write JOIN ({scope.quote(expression.span)})")
        if not variables:
            word = "FILTER" if draft.rule is None else "IF"
            raise scope.error(expression.span, f"this {word} mentions no event", "compare an attribute: ?e.attribute")


def check_joins(scope: Scope, draft: Draft) -> None:
    """JOIN relates several events, of several variables or of a quantified one."""
    quantified = draft.quantified
    for expression in draft.joins:
        variables = event_variables(expression)
        if len(variables) > 1 or (variables and variables[0] in quantified):
            continue
        written = scope.quote(expression.span)
        if not variables:
            hint = "compare attributes of two events"
        elif draft.kind is Kind.AGGREGATION or aggregates_of(expression):
            hint = f"a condition on a window's aggregates is HAVING {written}"
        else:
            hint = f"write FILTER ({written})"
        what = f"only ?{variables[0]}" if variables else "no event"
        raise scope.error(expression.span, f"this JOIN mentions {what}", hint)


def check_repetitions(scope: Scope, draft: Draft) -> None:
    """RUNNING and PREV stand in JOIN, and look back in a repetition; PREV of a single variable is OLD."""
    quantified = draft.quantified
    for expression in (*draft.reported, *draft.filters):
        for node in walk(expression):
            match node:
                case Aggregate(running=True):
                    raise scope.error(node.span, "RUNNING is for JOIN", "leave RUNNING out: the run is complete here")
                case Call(function=Intrinsic.PREV):
                    hint = "it looks back in a run; leave WINDOW out: without one it is the value at the event before"
                    hint = hint if draft.windows and draft.pattern is None else "it looks back in a run, event by event"
                    raise scope.error(node.span, "PREV is for JOIN", hint)
    for expression in (*draft.reported, *draft.joins):
        for node in walk(expression):
            word = _word_of_repetition(scope, node)
            if isinstance(node, Aggregate) and not node.running and draft.kind is Kind.AGGREGATION:
                continue  # a window has several events
            if word is not None and (variable := event_variables(node)[0]) not in quantified:
                message = f"{word} is about a run, and ?{variable} is one event"
                raise scope.error(node.span, message, f"quantify it: SEQ (… ?{variable}+ …)")


def _word_of_repetition(scope: Scope, node: Expression) -> str | None:
    """The word that asks for a quantified variable; `None`: the node asks for none."""
    match node:
        case Call(function=Intrinsic.PREV):
            return "PREV"
        case Aggregate(running=True):
            return "RUNNING"
        case Aggregate(function=function) if _counts_events(scope, node):
            return f"{function} with a count"
    return None


def _counts_events(scope: Scope, node: Aggregate) -> bool:
    """Whether it is told to count events, as FIRST with an offset."""
    taken = scope.names.signature(node.function).parameters[: len(node.parameters)]
    return any(isinstance(parameter, ConstantParameter) and parameter.counts_events for parameter in taken)


def check_negated_joins(scope: Scope, draft: Draft) -> None:
    """RUNNING and PREV look back from an event that is taken, and none of a NOT is."""
    for expression in draft.joins:
        named = draft.negated & set(event_variables(expression))
        looks = [n for n in walk(expression) if _word_of_repetition(scope, n) in ("PREV", "RUNNING")]
        if named and looks:
            name = f"?{min(named)}"
            message = f"this looks back in a run, and {name} stands under NOT: no such event is taken"
            raise scope.error(looks[0].span, message, "compare with FIRST, LAST, MIN or MAX of the run")


def check_lists(scope: Scope, draft: Draft) -> None:
    """LIST gives several values, which nothing else takes."""
    whole = [item.value for item in draft.items if item.condition is None and is_list(scope.names, item.value)]
    for expression in (*draft.reported, *draft.joins):
        for node in walk(expression):
            if is_list(scope.names, node) and not any(node is known for known in whole):
                hint = "write it as an item of SELECT; a condition takes FIRST, LAST, MIN, MAX or COUNT"
                raise scope.error(node.span, "LIST is for SELECT, by itself", hint)


def check_reports_before(scope: Scope, draft: Draft) -> None:
    """OLD of an aggregate looks at the report before, of a window."""
    for expression in (*draft.reported, *draft.joins):
        for node in aggregates_of(expression):
            if draft.kind is Kind.PATTERN and node.argument is not None and aggregates_of(node.argument):
                hint = f"take it of an attribute, or of ?{node.variable} alone with a WINDOW"
                raise scope.error(node.span, "a change of an aggregate is between reports of a window", hint)


def check_untils(scope: Scope, draft: Draft) -> None:
    """UNTIL tests the events that would be taken, before PATHs are asked of them."""
    for part, quantifier in quantified_parts(draft.pattern):
        if quantifier.until is None:
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
            if is_list(scope.names, node):
                raise scope.error(node.span, "LIST is for SELECT, by itself", "a condition takes FIRST, LAST or COUNT")


def check_window_attributes(scope: Scope, draft: Draft) -> None:
    """Beside FOR they are known of the events that lie in a window, and what a run takes next depends on more."""
    if draft.in_context is None or not draft.in_context.required or draft.pattern is None:
        return
    asked = (n for e in (*draft.reported, *draft.filters, *draft.joins) for n in walk(e) if isinstance(n, Binding))
    found = next((node for node in asked if (node.variable, node.name) in scope.used_windows), None)
    mode = [] if draft.tree.policy is None or draft.tree.policy.mode is None else [f"POLICY {draft.tree.policy.mode}"]
    for what in (*mode, *map(_growing, walk_pattern(draft.pattern))) if found is not None else ():
        if what is not None and found is not None:
            message = f"attributes of windows beside FOR, in a pattern with {what}"
            hint = "leave FOR out, so that all events of a match lie in the window; or ask for them in another query"
            raise scope.error(found.span, message, hint)


def _growing(part: Pattern) -> str | None:
    """What of a pattern takes events by what others were taken before, or leaves variables unbound."""
    match part:
        case Element(quantifier=Quantifier()) | Group():
            return "a repetition"
        case Alternative():
            return "OR"
        case Sequence(links=links) if Link.NEXT in links:
            return "->"
    return None


def check_reported(scope: Scope, draft: Draft) -> None:
    """What is reported has one value in a match."""
    negated, quantified = draft.negated, draft.quantified
    for expression in draft.reported:
        for node in walk(expression):
            if isinstance(node, Column | Binding | Aggregate) and node.variable in negated:
                message = f"?{node.variable} stands under NOT: there is no such event to report"
                raise scope.error(node.span, message, "report another variable")
        for column in plain_columns(expression):
            if quantified.get(column.variable):
                written = scope.quote(column.span)
                message = f"{written} has a value for each event of the run ?{column.variable}"
                raise scope.error(column.span, message, f"FIRST({written}), LAST({written}) or LIST({written})?")


CHECKS: tuple[Callable[[Scope, Draft], None], ...] = (
    check_filters,
    check_joins,
    check_repetitions,
    check_negated_joins,
    check_lists,
    check_reports_before,
    check_untils,
    check_window_attributes,
    check_reported,
    check_after_match,
    check_mode,
    check_grouping,
    check_partition,
    check_windows,
    check_negations,
    check_timers,
    check_bounded,
    check_limit,
    check_output,
    check_decided,
)
"""In this order: of a query with several faults, the first is told."""
