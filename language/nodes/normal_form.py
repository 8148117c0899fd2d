"""The normalised text of a query: one way to write it, every name resolved. It is χ-CEP again, and normal already."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import assert_never

from ..literals import duration_text, moment_text, quote
from .bounds import DEFAULT_BOUNDS, Bounds, Instant
from .context import ContextChange, ContextKey, ContextReference, InContext, Placement
from .expression import Aggregate, Binary, Binding, Call, Column, Constant, Expression, Intrinsic, Membership, Unary
from .integer_width import COMPANION
from .path_nodes import AllOf, AnyOf, Semantics, Subquery
from .pattern import (
    Alternative,
    BatchWindow,
    CheckWindow,
    Conjunction,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    Element,
    Group,
    HoppingWindow,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    SessionWindow,
    SlidingWindow,
    Timer,
    Window,
)
from .query import AfterMatch, AfterMatchKind, EventRule, Item, Query, RuleAction
from .types import XSD, StreamType, ValueType, is_individual, named_attribute


def normal_text(query: Query) -> str:
    """The normalised text of a query or rule, whatever its `normal` says; one line."""
    if query.rule is not None:
        return _rule(query, query.rule)
    clauses = [_head(query), "FROM " + ", ".join(f"(?{s.variable}, {s.stream.name})" for s in query.sources)]
    if query.in_context is not None:
        clauses.append(_in_context(query, query.in_context))
    if (query.bounds.lower, query.bounds.upper) != (DEFAULT_BOUNDS.lower, DEFAULT_BOUNDS.upper):
        clauses.append(bounds_text(query.bounds))
    for source in query.sources:
        clauses += _paths(source.semantics)
        clauses += [f"FILTER ({expression_text(f)})" for f in source.filters]
    clauses += [f"JOIN ({expression_text(join)})" for join in query.joins]
    if query.pattern is not None:
        clauses.append(f"SEQ ({_pattern(query.pattern)})")
    clauses += [f"WINDOW ({_window(window)})" for window in query.windows]
    clauses += _tail(query)
    return " ".join(clauses)


def _rule(query: Query, rule: EventRule) -> str:
    (source,) = query.sources
    clauses = [f"CREATE RULE {rule.name} ON {source.stream.name} AS ?{source.variable}"]
    clauses += [f"IF ({expression_text(f)})" for f in source.filters]
    clauses += [f"IF ASK {path.removeprefix('PATH ')}" for path in _paths(source.semantics)]
    clauses.append("DO " + ", ".join(map(action_text, rule.actions)))
    clauses += ["DEFERRED"] if rule.deferred else []
    clauses += [] if rule.priority is None else [f"PRIORITY {rule.priority}"]
    return " ".join(clauses)


def action_text(action: RuleAction) -> str:
    """An action of a rule as it is written."""
    if action.change is not None:
        return _change(action.change, action.items)
    items = ", ".join(_item(item) for item in action.items if not item.hidden)
    return f"{action.kind} {action.target}({items})"


def _change(change: ContextChange, items: tuple[Item, ...]) -> str:
    """A change of a context; its keys are always written."""
    values = {item.name: expression_text(item.value) for item in items}
    at = f" AT ({', '.join(values[key] for key in change.keys)})" if change.keys else ""
    shown = ", ".join(_item(item) for item in items if not item.hidden)
    return f"{change.kind.value} CONTEXT {_context(change.context)}{f' ({shown})' if shown else ''}{at}"


def _head(query: Query) -> str:
    """SELECT, or the change in its place."""
    if query.change is not None:
        return _change(query.change, query.items)
    items = ", ".join(_item(item) for item in query.items if not item.hidden)
    return f"SELECT {'DISTINCT ' if query.distinct else ''}{items}"


def _context(reference: ContextReference) -> str:
    variable = "" if reference.variable is None else f" AS ?{reference.variable}"
    return f"{reference.set}.{reference.context}{variable}"


def _in_context(query: Query, asked: InContext) -> str:
    required = " FOR " + ", ".join(f"?{variable}" for variable in asked.required) if asked.required else ""
    keys = {each.name: each.keys for each in query.context_sets}
    streams = {source.variable: source.stream for source in query.sources}
    places = {p.variable: p for p in asked.placements if not _is_usual(p, streams[p.variable], keys[p.set])}
    on = " ON (" + ", ".join(_place(p) for p in places.values()) + ")" if places else ""
    return f"IN CONTEXT {', '.join(map(_context, asked.contexts))}{required}{on}"


def _is_usual(placement: Placement, stream: StreamType, keys: tuple[ContextKey, ...]) -> bool:
    """Whether a placement is what it would be if ON said nothing."""
    usual = [named_attribute(stream, key.name) for key in keys]
    columns = [None if a is None else a.property if is_individual(a) else a.name for a in usual]
    return columns == [value.name if isinstance(value, Column) else "" for value in placement.keys]


def _place(placement: Placement) -> str:
    values = ", ".join(map(expression_text, placement.keys))
    return f"?{placement.variable}: " + (f"({values})" if len(placement.keys) > 1 else values)


def _item(item: Item) -> str:
    return f"{expression_text(item.condition or item.value)} AS {item.name}"


def bounds_text(bounds: Bounds) -> str:
    """WITHIN."""
    lower, upper = bounds.lower, bounds.upper
    opening = "(" if lower is not None and lower.inclusive else "["
    closing = ")" if upper is None or upper.inclusive else "]"
    return f"WITHIN {opening}{_instant(lower)}, {_instant(upper)}{closing}"


def _instant(instant: Instant | None) -> str:
    if instant is None:
        return ""
    if instant.moment is not None:
        return moment_text(instant.moment)
    if not instant.offset:
        return "now"
    sign = "-" if instant.offset < timedelta(0) else "+"
    return f"now {sign} {duration_text(abs(instant.offset))}"


def _paths(semantics: Semantics | None) -> list[str]:
    match semantics:
        case None:
            return []
        case AllOf(parts=parts):
            return [_path(part) for part in parts]
        case Subquery() | AnyOf():
            return [_path(semantics)]
        case _:
            assert_never(semantics)


def _path(semantics: Semantics) -> str:
    match semantics:
        case Subquery(text=text):
            return f"PATH {{ {text} }}"
        case AllOf(parts=parts):
            return " AND ".join(_path(part) for part in parts)
        case AnyOf(parts=parts):
            return " OR ".join(_path(part) for part in parts)
        case _:
            assert_never(semantics)


def _tail(query: Query) -> Iterable[str]:
    if query.partition_by:
        names = [columns[0][1] for columns in query.partition_by]
        yield "PARTITION BY " + ", ".join(name_text(name) for name in names if not name.endswith(COMPANION))
    if query.group_by:
        yield "GROUP BY " + ", ".join(expression_text(e) for e in query.group_by)
    if query.having is not None:
        yield f"HAVING ({expression_text(query.having)})"
    after = query.after_match
    if after.is_mode:
        yield f"POLICY {after.kind.value}{_waiting(after)}"
    elif after.kind is not AfterMatchKind.KEEP_ALL:
        yield f"AFTER MATCH {after.kind.value}" + (f" ?{after.variable}" if after.variable else "")
    if query.order_by:
        values = {item.name: expression_text(item.value) for item in query.items}
        yield "ORDER BY " + ", ".join(f"{'DESC' if o.descending else 'ASC'}({values[o.item]})" for o in query.order_by)
    if query.limit is not None:
        yield f"LIMIT {query.limit}"
    if query.output_rate is not None:
        every = query.output_rate.every
        yield f"OUTPUT {query.output_rate.which} EVERY " + (
            f"{every} matches" if isinstance(every, int) else duration_text(every)
        )


def _waiting(after: AfterMatch) -> str:
    keys = ", ".join(f"?{variable}: {expression_text(key)}" for variable, key in after.by)
    bounds = ", ".join(f"?{variable}: {_extent(extent)}" for variable, extent in after.keep)
    return (f" BY {keys}" if keys else "") + (f" KEEP {bounds}" if bounds else "")


def expression_text(expression: Expression) -> str:
    """An expression in normalised form, what is inside an operation in parentheses."""
    match expression:
        case Constant():
            return _constant(expression)
        case Column(variable=variable, name=name):
            return f"?{variable}.{name_text(name)}"
        case Binding(name=name):
            return f"?{name}"
        case Unary(operator=operator, operand=operand):
            return f"{operator}{'' if operator == '-' else ' '}{_inner(operand)}"
        case Binary(operator=operator, left=left, right=right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case Membership(operand=operand, options=options):
            return f"{_inner(operand)} IN ({', '.join(map(_constant, options))})"
        case Call(function=Intrinsic.CONVERT, arguments=(operand, _, _)):
            return expression_text(operand)  # its text is enough to convert it again
        case Call(function=Intrinsic.CONVERT, arguments=(operand, _, _, unit)):
            return f"CONVERT({expression_text(operand)}, {expression_text(unit)})"
        case Call(function="COALESCE", arguments=arguments) if (attribute := _window_attribute(arguments)) is not None:
            return attribute
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(expression_text, arguments))})"
        case Aggregate():
            return _aggregate(expression)
        case _:
            assert_never(expression)


def _window_attribute(arguments: tuple[Expression, ...]) -> str | None:
    """`?acc.x` where it is taken from the first of several event variables that a match binds."""
    plain = [a.argument if isinstance(a, Aggregate) and a.function == "FIRST" else a for a in arguments]
    names = {each.name if isinstance(each, Binding) and "." in each.name else None for each in plain}
    variables = {each.variable for each in plain if isinstance(each, Binding)}
    (name, *others) = names
    return f"?{name}" if name is not None and not others and len(variables) == len(plain) > 1 else None


def _inner(expression: Expression) -> str:
    text = expression_text(expression)
    match expression:
        case Call(function=Intrinsic.CONVERT, arguments=(operand, _, _)):
            shown = operand
        case _:
            shown = expression
    return f"({text})" if isinstance(shown, Binary | Membership | Unary) else text


def _aggregate(node: Aggregate) -> str:
    argument = f"?{node.variable}" if node.argument is None else expression_text(node.argument)
    running, distinct = "RUNNING " * node.running, "DISTINCT " * node.distinct
    parameters = "".join(f", {number}" for number in node.parameters)
    return f"{running}{node.function}({distinct}{argument}{parameters})"


def name_text(name: str) -> str:
    """A plain name, or an IRI as such."""
    return f"<{name}>" if ":" in name else name


def _constant(constant: Constant) -> str:
    match constant.value:
        case bool(value):
            return str(value).lower()
        case int() | float():
            return repr(constant.value) + ("" if constant.unit is None else f" <{constant.unit}>")
        case datetime() as value:
            return f'"{moment_text(value)}"^^<{XSD}dateTime>'
        case timedelta() as value:
            return f"-{duration_text(-value)}" if value < timedelta(0) else duration_text(value)
        case str(text) if constant.type is ValueType.IRI:
            return f"<{text}>"
        case str(text) if constant.type is ValueType.TERM:
            return text
        case str(text):
            return quote(text)
        case _:
            assert_never(constant.value)


def _pattern(pattern: Pattern) -> str:
    match pattern:
        case Element(variable=variable, quantifier=quantifier):
            return f"?{variable}" + ("" if quantifier is None else _quantifier(quantifier))
        case Negation(variable=variable, duration=duration):
            return f"NOT ?{variable}" + ("" if duration is None else f" FOR {duration_text(duration)}")
        case Timer(duration=duration, until=until):
            return (
                f"AFTER {duration_text(duration)}"
                if until is None
                else f"EVERY {duration_text(duration)} UNTIL ?{until}"
            )
        case Group(pattern=inner, quantifier=quantifier):
            return f"({_pattern(inner)}){_quantifier(quantifier)}"
        case Conjunction(parts=parts):
            return " AND ".join(_inner_pattern(part) for part in parts)
        case Alternative(branches=branches):
            return " OR ".join(_inner_pattern(branch) for branch in branches)
        case Sequence(parts=parts, links=links):
            texts = [_inner_pattern(part) for part in parts]
            return texts[0] + "".join(f" {link} {text}" for link, text in zip(links, texts[1:], strict=True))
        case _:
            assert_never(pattern)


def _inner_pattern(pattern: Pattern) -> str:
    text = _pattern(pattern)
    return f"({text})" if isinstance(pattern, Conjunction | Alternative | Sequence) else text


def _quantifier(quantifier: Quantifier) -> str:
    most = "" if quantifier.maximum is None else quantifier.maximum
    until = "" if quantifier.until is None else f" UNTIL ({expression_text(quantifier.until)})"
    return f"{{{quantifier.minimum},{most}; {quantifier.link}}}{'~' * quantifier.every_length}{until}"


def _extent(extent: timedelta | int) -> str:
    return f"{extent} events" if isinstance(extent, int) else duration_text(extent)


def _window(window: Window) -> str:
    match window:
        case CorrelationWindow(variables=variables, width=width, negated=negated):
            return f"{', '.join(f'?{v}' for v in (*variables, *negated))}, {duration_text(width)}"
        case SlidingWindow(variable=variable, extent=extent, shared=shared):
            return f"?{variable}, sliding, {_extent(extent)}" + ", SHARED" * shared
        case CheckWindow(variable=variable, condition=condition, extent=extent, shared=shared):
            bound = "" if extent is None else f", {_extent(extent)}"
            return f"?{variable}, CHECK ({expression_text(condition)}){bound}" + ", SHARED" * shared
        case BatchWindow(variable=variable, extent=extent, start=start):
            written = start if start is None or isinstance(start, str) else moment_text(start)
            return f"?{variable}, batch, {_extent(extent)}" + ("" if written is None else f", START {written}")
        case HoppingWindow(variable=variable, size=size, step=step):
            return f"?{variable}, hopping, {_extent(size)}, {_extent(step)}"
        case CumulateWindow(variable=variable, size=size, step=step):
            return f"?{variable}, cumulate, {_extent(size)}, {_extent(step)}"
        case SessionWindow(variable=variable, gap=gap):
            return f"?{variable}, session, {_extent(gap)}"
        case ContextWindow(variable=variable):
            return f"?{variable}, CONTEXT"
        case _:
            assert_never(window)
