"""The plan of a query: its sources and filters, its operator, what chooses among its matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import assert_never

from ...language import moment_text
from ...language.nodes import (
    COMPANION,
    AfterMatchKind,
    Alternative,
    BatchWindow,
    CheckWindow,
    Conjunction,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    Element,
    EventRule,
    Group,
    HoppingWindow,
    Kind,
    Link,
    Negation,
    Pattern,
    Query,
    Sequence,
    SessionWindow,
    SlidingWindow,
    Source,
    Timer,
    Window,
    action_text,
    expression_text,
)
from ...pipeline.flow import Registration
from ...planner import Range, bounds_in_words, duration_in_words
from .context_plan import describe_contexts
from .plan_node import PlanNode
from .sharing_plan import describe_sharing

_OVER_ALL = ", in one window over all groups"
_LINKS = {
    Link.ANY: "then, passing over any events,",
    Link.NEXT: "then the next that fits,",
    Link.STRICT: "then at once",
}


def describe_query(
    query: Query,
    semantics: Mapping[str, PlanNode],
    within: Range | None = None,
    past: Iterable[PlanNode] = (),
    others: Iterable[Registration] = (),
) -> PlanNode:
    """Explain how a query is answered.

    Args:
        query: checked.
        semantics: event variable → what its semantic filter does; nothing for a variable without PATHs.
        within: the bounds as they were fixed at registration; `None` before it.
        past: how the past is answered.
        others: registered queries, among which are those that derive its contexts.

    Returns:
        The query; its children are contexts, sources with filters, WITHIN, operator, windows, output, past, warnings.
    """
    others = tuple(others)
    fixed = "" if within is None else f", which is {within}"
    items = ", ".join(f"{i.name} {i.type}" for i in query.items if not i.hidden)
    children = [
        *describe_contexts(query, others),
        *(_source(source, semantics.get(source.variable)) for source in query.sources),
        PlanNode("within", f"{bounds_in_words(query.bounds)}{fixed}"),
        *(_operator(query) if query.rule is None else _actions(query.rule)),
        *describe_sharing(query, others),
        *([PlanNode("output", items)] if items else []),
        *past,
        *(PlanNode("warning", warning) for warning in query.warnings),
    ]
    if query.rule is not None:
        return PlanNode(f"rule {query.rule.name}", f"on {query.sources[0].stream.name}", tuple(children))
    return PlanNode(f"query {query.name or '(unnamed)'}", query.kind.value, tuple(children))


def _actions(rule: EventRule) -> Iterator[PlanNode]:
    """What a rule does for each row, and in which order among others."""
    yield from (PlanNode("does", action_text(action)) for action in rule.actions)
    priority = "without priority" if rule.priority is None else f"priority {rule.priority}"
    coupling = "after all rows of one time (deferred)" if rule.deferred else "with each row (immediate)"
    yield PlanNode("when", f"{coupling}, {priority}")


def _source(source: Source, semantics: PlanNode | None) -> PlanNode:
    tests = [PlanNode("filter on columns", expression_text(test)) for test in source.filters]
    if semantics is not None:
        tests.append(PlanNode("semantic filter", children=(semantics,)))
    none = PlanNode("", "every event is a candidate")
    return PlanNode("", f"?{source.variable} from {source.stream.name}", tuple(tests) or (none,))


_HANDED = {"ALL": "all rows, at the end", "FIRST": "the first row", "LAST": "the last row, at the end"}


def _operator(query: Query) -> Iterator[PlanNode]:
    match query.kind:
        case Kind.SELECTION:
            yield PlanNode("operator", "reports each candidate")
        case Kind.AGGREGATION:
            yield PlanNode("operator", "aggregates the candidates of each window")
        case Kind.PATTERN:
            yield PlanNode("operator", "correlates candidates")
        case _:
            assert_never(query.kind)
    if query.pattern is not None:
        yield PlanNode("sequence", _pattern(query.pattern))
    yield from (PlanNode("join", expression_text(join)) for join in query.joins)
    yield from (PlanNode("window", _window(window)) for window in query.windows)
    names = [columns[0][1] for columns in query.partition_by]
    yield from (PlanNode("partition", f"by {name}") for name in names if not name.endswith(COMPANION))
    if query.group_by:
        yield PlanNode("group", f"by {', '.join(expression_text(e) for e in query.group_by)}")
    tests = [*(item.condition for item in query.items), query.having]
    yield from (PlanNode("only while", expression_text(test)) for test in tests if test is not None)
    yield from _reporting(query)


def _kept(extent: timedelta | int) -> str:
    return f"{extent} events" if isinstance(extent, int) else duration_in_words(extent)


def _reporting(query: Query) -> Iterator[PlanNode]:
    """What chooses among matches and rows, in the order in which it does."""
    after = query.after_match
    if after.is_mode:
        keys = "".join(f"; ?{v} apart by {expression_text(key)}" for v, key in after.by)
        kept = "".join(f"; ?{v} waits for {_kept(extent)}" for v, extent in after.keep)
        yield PlanNode("pairs by mode", f"{after.kind.value}{keys}{kept}")
    elif after.kind is not AfterMatchKind.KEEP_ALL:
        yield PlanNode("after a match", after.kind.value + (f" ?{after.variable}" if after.variable else ""))
    if query.distinct:
        yield PlanNode("distinct", "a row whose items were reported is not reported again")
    if query.limit is not None:
        yield PlanNode("ends after", f"{query.limit} {'match' if query.limit == 1 else 'matches'}")
    if query.output_rate is not None:
        every = query.output_rate.every
        matches = f"{every} {'match' if every == 1 else 'matches'}"
        period = duration_in_words(every) if isinstance(every, timedelta) else matches
        yield PlanNode("hands over", f"{_HANDED[query.output_rate.which]} of every {period}")


def _pattern(pattern: Pattern) -> str:
    match pattern:
        case Element(variable=variable, quantifier=quantifier):
            return f"?{variable}" if quantifier is None else f"a run of ?{variable}"
        case Negation(variable=variable, duration=duration):
            return f"no ?{variable}" + ("" if duration is None else f" for {duration_in_words(duration)}")
        case Timer(duration=duration, until=None):
            return f"the moment {duration_in_words(duration)} later"
        case Timer(duration=duration, until=until):
            return f"every {duration_in_words(duration)} until ?{until}"
        case Group(pattern=inner):
            return f"repetitions of ({_pattern(inner)})"
        case Conjunction(parts=parts):
            return "(" + " and, in any order, ".join(_pattern(part) for part in parts) + ")"
        case Alternative(branches=branches):
            return "(" + " or ".join(_pattern(branch) for branch in branches) + ")"
        case Sequence(parts=parts, links=links):
            words = [_pattern(part) for part in parts]
            return words[0] + "".join(f" {_LINKS[link]} {w}" for link, w in zip(links, words[1:], strict=True))
        case _:
            assert_never(pattern)


def _window(window: Window) -> str:
    match window:
        case CorrelationWindow(variables=variables, width=width):
            return f"{', '.join(f'?{v}' for v in variables)} lie within {duration_in_words(width)}"
        case SlidingWindow(variable=variable, extent=extent, shared=shared):
            return f"at each ?{variable}, the last {_extent(extent)}" + _OVER_ALL * shared
        case CheckWindow(variable=variable, condition=condition, extent=extent, shared=shared):
            bound = "" if extent is None else f", of the last {_extent(extent)}"
            return f"at each ?{variable}, the latest for which {expression_text(condition)}{bound}" + _OVER_ALL * shared
        case BatchWindow(variable=variable, extent=extent, start=start):
            since = {None: "the epoch", "first": "the first candidate"}
            counted = since[start] if start is None or isinstance(start, str) else moment_text(start)
            return f"?{variable} in batches of {_extent(extent)}, counted from {counted}"
        case HoppingWindow(variable=variable, size=size, step=step):
            return f"?{variable} in windows of {_extent(size)}, one every {_extent(step)}"
        case CumulateWindow(variable=variable, size=size, step=step):
            return f"?{variable} in windows that grow by {_extent(step)} up to {_extent(size)}"
        case SessionWindow(variable=variable, gap=gap):
            return f"?{variable} in sessions that a gap of {_extent(gap)} ends"
        case ContextWindow(variable=variable):
            return f"all ?{variable} of a window of the contexts, when that ends"
        case _:
            assert_never(window)


def _extent(extent: timedelta | int) -> str:
    if isinstance(extent, timedelta):
        return duration_in_words(extent)
    return "1 event" if extent == 1 else f"{extent} events"
