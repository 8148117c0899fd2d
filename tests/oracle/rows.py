"""Rows: what a query reports, in output order."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import polars as pl
import polars_hash as plh
from kaicep.language.nodes.expression import Aggregate, Binding
from kaicep.language.nodes.pattern import (
    Alternative,
    Conjunction,
    CorrelationWindow,
    Group,
    Pattern,
    SlidingWindow,
    Timer,
)
from kaicep.language.nodes.pattern import Sequence as Links
from kaicep.language.nodes.query import Kind, Output, Query

from . import after_match
from . import aggregates as _aggregates  # noqa: F401  # teaches expressions to aggregate
from .conditions import shape_of
from .events import Event
from .expressions import Candidate, Scope, holds, item, ordered
from .matches import matches
from .values import EPOCH, Iri, Value, canonical, lexical, shown
from .windows import contents


@dataclass(frozen=True)
class Report:
    """One match or window.

    Attributes:
        time: the moment at which it became true.
        scope: what its items speak of.
        events: all its events, in total order.
        runs: the events that `_events` names, by variable.
        window: start and end, of an aggregate row; that of a context may have no start.
        group: the values of GROUP BY.
    """

    time: datetime
    scope: Scope
    events: Sequence[Candidate]
    runs: Mapping[str, Sequence[Candidate]]
    window: tuple[datetime | None, datetime] | None = None
    group: tuple[Value | None, ...] = ()


def rows(
    query: Query,
    candidates: Mapping[str, Sequence[Candidate]],
    events: Mapping[str, Sequence[Event]] | None = None,
    within: Callable[[datetime], bool] = lambda _: True,
    end: datetime | None = None,
) -> list[dict[str, Any]]:
    """The rows of a query, in output order, once each.

    Args:
        query: the query.
        candidates: of every variable, in total order.
        events: all events of the streams in FROM that lie within the bounds; left out: the candidates are all.
        within: whether a moment lies within the bounds.
        end: the greatest time stamp of all sources.
    """
    found = standing(query, reports(query, candidates, events or of_candidates(query, candidates), within, end))
    return listed(query, [(row_of(query, report), report.group) for report in found])


def reports(
    query: Query,
    candidates: Mapping[str, Sequence[Candidate]],
    events: Mapping[str, Sequence[Event]],
    within: Callable[[datetime], bool],
    end: datetime | None,
) -> list[Report]:
    """All that a query could report, before HAVING, AFTER MATCH, DISTINCT and LIMIT."""
    if query.kind is Kind.AGGREGATION:
        return list(aggregations(query, candidates))
    return list(selections(query, candidates, events, within, end))


def standing(query: Query, found: Sequence[Report]) -> list[Report]:
    """The reports that HAVING and AFTER MATCH leave, in output order."""
    holding = [r for r in found if stands(query, r)]
    return after_match.standing(query, sorted(holding, key=lambda r: output_order(query, r)))


def listed(
    query: Query, found: Sequence[tuple[dict[str, Any], tuple[Value | None, ...]]], upto: datetime | None = None
) -> list[dict[str, Any]]:
    """The rows that DISTINCT, LIMIT and OUTPUT leave of these, each with its group, in output order.

    Args:
        query: theirs.
        found: all of them.
        upto: the streams go on behind that moment; `None`: they have ended.
    """
    once: dict[str, dict[str, Any]] = {}
    groups: dict[str, tuple[Value | None, ...]] = {}
    for row, group in (one for one in found if upto is None or one[0]["_time"] <= upto):
        once.setdefault(row["_id"], row)
        groups.setdefault(row["_id"], group)
    reported = list(once.values())
    reported = (first_of_their_kind(query, reported) if query.distinct else reported)[: query.limit]
    upto = None if len(reported) == query.limit else upto
    return reported if query.output_rate is None else handed_over(query.output_rate, reported, groups, upto)


def handed_over(
    rate: Output,
    found: Sequence[dict[str, Any]],
    groups: Mapping[str, tuple[Value | None, ...]],
    upto: datetime | None = None,
) -> list[dict[str, Any]]:
    """What OUTPUT hands over, in the order of the ends of periods; the end of the streams ends every period.

    Streams that go on end none: what is handed over is that of periods that are over up to a moment.
    """
    periods: dict[tuple[object, int], list[int]] = {}
    before: dict[object, int] = {}
    for place, row in enumerate(found):
        group = groups[row["_id"]]
        number = before.get(group, 0)
        before[group] = number + 1
        period = number // rate.every if isinstance(rate.every, int) else (row["_time"] - EPOCH) // rate.every
        periods.setdefault((group, period), []).append(place)
    handed: list[tuple[int, int]] = []
    for (_, period), places in periods.items():
        match rate.which:
            case "FIRST":
                handed.append((places[0], places[0]))
            case _ if upto is not None and not is_over(rate, period, places, upto):
                pass
            case _ if isinstance(rate.every, int):
                end = places[-1] if len(places) == rate.every else len(found)
                handed += [(end, place) for place in (places if rate.which == "ALL" else places[-1:])]
            case _:
                handed += [(place, place) for place in (places if rate.which == "ALL" else places[-1:])]
    return [found[place] for _, place in sorted(handed)]


def is_over(rate: Output, period: int, places: Sequence[int], upto: datetime) -> bool:
    """Whether a period of OUTPUT takes no row behind a moment."""
    if isinstance(rate.every, int):
        return len(places) == rate.every
    return (upto + timedelta(microseconds=1) - EPOCH) // rate.every > period


def first_of_their_kind(query: Query, found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows whose selected items no earlier row has; unbound equals unbound, NaN equals NaN."""
    selected = [i.name for i in query.items if not i.hidden]
    first: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in found:
        values = [row[name] for name in selected]
        first.setdefault(tuple(map(_told_apart, values)), row)
    return list(first.values())


def _told_apart(v: object) -> object:
    if isinstance(v, list):
        return tuple(map(_told_apart, v))
    return "NaN" if isinstance(v, float) and math.isnan(v) else (type(v), v)


def of_candidates(query: Query, candidates: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Event]]:
    """The events of the candidates, by stream."""
    found: dict[str, list[Event]] = {}
    for source in query.sources:
        found.setdefault(source.stream.name, []).extend(c.event for c in candidates[source.variable])
    return found


def selections(
    query: Query,
    candidates: Mapping[str, Sequence[Candidate]],
    events: Mapping[str, Sequence[Event]],
    within: Callable[[datetime], bool],
    end: datetime | None,
) -> Iterator[Report]:
    """One report per match; with one variable every candidate is a match."""
    for match in matches(query, candidates, events, within, end):
        group = tuple(item(expression, match.scope) for expression in query.group_by)
        yield Report(match.time, match.scope, match.events, match.runs, group=group)


def aggregations(query: Query, candidates: Mapping[str, Sequence[Candidate]]) -> Iterator[Report]:
    """One report per window and group."""
    (source,) = query.sources
    (window,) = [w for w in query.windows if not isinstance(w, CorrelationWindow)]
    every = candidates[source.variable]
    for key, group in groups(query, source.variable, every).items():
        before: Scope | None = None
        for content in contents(window, group, every):
            last = {source.variable: content.last}
            scope = Scope(last, {source.variable: content.members}, before=before)
            before = replace(scope, before=None)
            runs = {source.variable: (content.last,)}
            yield Report(content.time, scope, content.members, runs, (content.start, content.end), key)


def groups(query: Query, variable: str, every: Sequence[Candidate]) -> dict[tuple[Value | None, ...], list[Candidate]]:
    """The candidates by the values of PARTITION BY and GROUP BY; unbound values are a group."""
    found: dict[tuple[Value | None, ...], list[Candidate]] = {}
    for candidate in every:
        scope = Scope({variable: candidate}, {variable: (candidate,)})
        parts = [candidate.event.values.get(column) for names in query.partition_by for _, column in names]
        key = (*parts, *(item(expression, scope) for expression in query.group_by))
        found.setdefault(key, []).append(candidate)
    return found


def stands(query: Query, report: Report) -> bool:
    """Whether HAVING and the comparisons of the short form are true."""
    conditions = [i.condition for i in query.items if i.condition is not None]
    conditions += [query.having] if query.having is not None else []
    return all(holds(condition, report.scope) for condition in conditions)


def selected_bindings(query: Query, report: Report) -> tuple[Value | None, ...]:
    """The values of the semantic variables that the items speak of, and the keys of a change."""
    keys = query.change.keys if query.change is not None else ()
    used = [binding for i in query.items if not i.hidden or i.name in keys for binding in bindings_in(i.value)]
    once = {(binding.variable, binding.name): binding for binding in used}
    return tuple(item(binding, report.scope) for binding in once.values())


def bindings_in(node: object) -> Iterator[Binding]:
    """The semantic variables of an expression; those inside an aggregate belong to its events."""
    if isinstance(node, Binding):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from bindings_in(part)
    elif is_dataclass(node) and not isinstance(node, Aggregate):
        for part in fields(node):
            yield from bindings_in(getattr(node, part.name))


def output_order(query: Query, report: Report) -> tuple[object, ...]:
    """By time, last event, the one that began earliest, the longest, events, the sides of ORs, then bindings."""
    first, last = report.events[0], report.events[-1]
    orders = [candidate.event.order for candidate in report.events]
    group = report.group if query.kind is Kind.AGGREGATION else ()
    ties = [ordered(v) for v in (*group, *selected_bindings(query, report))]
    runs = [] if query.kind is Kind.AGGREGATION else [[c.event.order for c in run] for run in report.runs.values()]
    taken = list(sides(query.pattern, report)) if query.pattern is not None else []
    return report.time, last.event.order, first.event.order, -len(orders), orders, taken, ties, runs


def sides(part: Pattern, report: Report, *, repeated: bool = False) -> Iterator[list[int]]:
    """Which side of each OR, in the order of the text, the match takes; in a repetition, which side each event."""
    if isinstance(part, Alternative):
        own = [set(shape_of(branch).groups) for branch in part.branches]
        side_of = {c.event.id: i for v, run in report.runs.items() for i, of in enumerate(own) if v in of for c in run}
        taken = [side_of.get(c.event.id, len(own)) for c in report.events]
        yield taken if repeated else [min(taken)]
        for branch in part.branches:
            yield from sides(branch, report, repeated=repeated)
    elif isinstance(part, Group):
        yield from sides(part.pattern, report, repeated=repeated or part.quantifier.maximum != 1)
    elif isinstance(part, Conjunction | Links):
        for inner in part.parts:
            yield from sides(inner, report, repeated=repeated)


def row_of(query: Query, report: Report, window: Sequence[str] = ()) -> dict[str, Any]:
    """The row: items, `_time`, `_events`, `_window` and `_id`; `window`: what tells apart the rows of two contexts."""
    row: dict[str, Any] = {i.name: shown(item(i.value, report.scope)) for i in query.items}
    row["_time"] = report.time
    row["_events"] = {variable: [c.event.id for c in run] for variable, run in report.runs.items()}
    if report.window is not None:
        row["_window"] = {"start": report.window[0], "end": report.window[1]}
    row["_id"] = identity(query, report, window)
    return row


def identity(query: Query, report: Report, context: Sequence[str] = ()) -> str:
    """A digest of the query, the events, the group, the window, the bindings that it selects and the context.

    XXH3 of texts that U+001F separates: the ids by variable (U+001E between those of a run), the group's values, start
    and end of the window in microseconds unless it is a sliding one, the bindings; behind the ids the moment, where a
    timer is last. Twice 64 bits: the seeds are the
    first two words of the SHA-256 of the query's name (without one: of its normalised text). Each is written by 16
    bits, the lowest first.
    """
    ids = ["\x1e".join(candidate.event.id for candidate in run) for run in report.runs.values()]
    sliding = any(isinstance(w, SlidingWindow) for w in query.windows)  # follows from its event
    window = [] if sliding else [canonical(moment) for moment in report.window or ()]
    values = [digested(value) for value in report.group]
    moment = [canonical(report.time)] if is_timed(query) else []
    bindings = [digested(value) for value in selected_bindings(query, report)]
    return digest(query.identity, "\x1f".join([*ids, *moment, *values, *window, *bindings, *context]))


def is_timed(query: Query) -> bool:
    """Whether the moment of a last timer tells rows of the same events apart."""
    return isinstance(query.pattern, Links) and isinstance(query.pattern.parts[-1], Timer)


@cache
def digest(name: str, said: str) -> str:
    """XXH3 of a text, under the name of a query."""
    words = hashlib.sha256(name.encode()).digest()
    seeds = [int.from_bytes(words[at : at + 8], "little") for at in (0, 8)]
    text = plh.col("text").nchash
    row = pl.DataFrame({"text": [said]})
    halves = [row.select(text.xxh3_64(seed=seed)).item() for seed in seeds]
    return "".join(f"{(half >> bits) & 0xFFFF:04x}" for half in halves for bits in (0, 16, 32, 48))


def digested(value: Value | None) -> str:
    """A value's lexical form; text cannot imitate the separator, nor what stands for unbound."""
    if value is None:
        return "\x00"
    text = lexical(value)
    return re.sub(r"[\x00\x1f\\]", r"\\\g<0>", text) if isinstance(value, str) and not isinstance(value, Iri) else text
