"""Why a query has no row: the first place where everything vanished, and what is known of it.

Source: the empty-answer problem, and why-not questions asked of operators (Chapman and Jagadish 2009, the frontier
picky manipulation: the one behind which nothing is left).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ...language.nodes import Kind
from ...pipeline.profile import (
    AttributeProfile,
    ClauseCount,
    ClauseKind,
    FlowProfile,
    QueryProfile,
    StreamProfile,
    VariableProfile,
)
from ...pipeline.sinks import iso
from .id_mapping import IdMapping

__all__ = ["explain_empty_answer"]

_Reported = Mapping[str, tuple[tuple[tuple[str, str], ...], tuple[IdMapping, ...]]]


def explain_empty_answer(
    query: QueryProfile,
    profile: FlowProfile,
    reported: _Reported,
    unpopulated: Mapping[str, Sequence[str]],
    *,
    ended: bool,
) -> Iterator[str]:
    """Say why a query has no row.

    Args:
        query: what became of its events.
        profile: what was counted of streams and the other queries.
        reported: stream → its attributes without values, its ids.
        unpopulated: event variable → what its PATHs ask for and nothing in the knowledge has.
        ended: whether the streams have ended.
    """
    needed = [v for v in query.variables if not v.negated]
    empty = [v for v in needed if not v.candidates]
    for variable in empty:
        yield from _vanished(variable, profile, reported, unpopulated.get(variable.variable, ()))
    if not empty:
        yield from _of_matches(query, ended=ended)


def _vanished(
    variable: VariableProfile, profile: FlowProfile, reported: _Reported, unpopulated: Sequence[str]
) -> Iterator[str]:
    """The clause behind which no event is left."""
    place = next(i for i, clause in enumerate(variable.clauses) if not clause.left)
    clause, name = variable.clauses[place], f"?{variable.variable}"
    if clause.kind is ClauseKind.STREAM:
        yield from _no_events(variable, profile, reported)
        return
    before = variable.clauses[place - 1].left
    stream = profile.streams.get(variable.stream, StreamProfile())
    match clause.kind:
        case ClauseKind.WITHIN:
            yield f"{name}: none of {before:,} events lies in WITHIN, {clause.text}{_span(stream)}"
        case ClauseKind.CONTEXT:
            yield f"{name}: none of {before:,} events lies in a window of {clause.text}"
        case ClauseKind.FILTER | ClauseKind.IMPLIED:
            what = "FILTER" if clause.kind is ClauseKind.FILTER else "what JOIN asks of each event"
            yield f"{name}: {what} ({clause.text}) is true of none of {before:,} events{_values(clause, stream)}"
            yield from _unseen(clause, reported.get(variable.stream, ((), ()))[0])
        case _:
            yield from _no_path(variable, before, reported.get(variable.stream, ((), ()))[1], unpopulated)


def _no_events(variable: VariableProfile, profile: FlowProfile, reported: _Reported) -> Iterator[str]:
    stream = profile.streams.get(variable.stream)
    if stream is None:
        yield f"?{variable.variable}: query {variable.stream}, which it reads, has no row"
    elif stream.rejected and not stream.events:
        missing = [
            f"'{name}' is in none of them" + (f" ({hint})" if hint else "")
            for name, hint in reported.get(variable.stream, ((), ()))[0]
        ]
        why = f": {', '.join(missing)}" if missing else ""
        yield f"?{variable.variable}: none of {stream.rejected:,} records of stream {variable.stream} is an event{why}"
    elif stream.events:
        yield f"?{variable.variable}: all {stream.events:,} events of stream {variable.stream} came too late"
    else:
        yield f"?{variable.variable}: stream {variable.stream} has brought no record"


def _no_path(
    variable: VariableProfile, before: int, ids: Sequence[IdMapping], unpopulated: Sequence[str]
) -> Iterator[str]:
    for path in variable.paths:
        statistics, text = path.statistics, " ".join(path.subquery.text.split())
        if statistics.held:
            continue
        of_keys = (
            ""
            if statistics.distinct is None
            else f", {statistics.holding or 0:,} of the stream's {statistics.distinct:,} individuals"
        )
        yield f"?{variable.variable}: PATH {{ {text} }} holds of none of {before:,} events{of_keys}"
        if path.unsatisfiable:
            yield f"  it never does: {path.unsatisfiable}"
    if all(path.statistics.held for path in variable.paths):
        yield f"?{variable.variable}: each PATH holds of some events, but together they hold of none of {before:,}"
    yield from (f"  {line}" for line in unpopulated)
    for found in ids:
        if found.unknown:
            advice = f": {found.advice}" if found.advice else ""
            yield f"  {found.unknown:,} of {found.distinct:,} ids of '{found.attribute}' are unknown{advice}"
    if not unpopulated and not any(found.unknown for found in ids):
        yield "  all ids are known: ask `kaicep why` with one of the events which triple is missing"


def _of_matches(query: QueryProfile, *, ended: bool) -> Iterator[str]:
    counts = query.rows
    candidates = ", ".join(f"{v.candidates:,} of ?{v.variable}" for v in query.variables)
    if not counts.found:
        wait = "" if ended else ", or what there is waits for later events"
        match query.query.kind:
            case Kind.AGGREGATION:
                yield f"no window is complete that holds one of {candidates}{wait}"
            case Kind.PATTERN:
                yield f"no match: there are candidates, {candidates}, but none that go together{wait}"
                yield from (f"  {line}" for line in _apart(query))
            case Kind.SELECTION:
                yield f"candidates ({candidates}) wait for later events"
    elif not counts.standing:
        what = "windows" if query.query.kind is Kind.AGGREGATION else "matches"
        yield f"HAVING, or the comparison of an item, is true of none of {counts.found:,} {what} ({candidates})"
    elif not counts.rows:
        yield f"LIMIT and DISTINCT leave none of {counts.standing:,} rows"
    else:
        yield f"OUTPUT keeps {counts.rows:,} rows back" + ("" if ended else " until their period ends")


def _apart(query: QueryProfile) -> Iterator[str]:
    """Why candidates do not go together: conditions that are never true, else the clauses that the query has."""
    asked = [c for c in query.rows.conditions if c.asked]
    never = [c for c in asked if not c.held]
    for condition in never:
        found = "no two of them are equal in it" if condition.looked_up else "true of none"
        of = "" if condition.looked_up else f" of {condition.asked:,} combinations"
        yield f"{condition.clause} ({condition.text}): {found}{of}"
    if never:
        return
    node = query.query
    absent = ", ".join(f"?{v.variable}" for v in query.variables if v.negated)
    clauses = {
        "SEQ for their order": node.pattern is not None,
        f"NOT for no event of {absent}": bool(absent),
        "JOIN for values": bool(node.joins),
        "HAVING for values": any(c.clause == "HAVING" for c in query.rows.conditions),
        "WINDOW for distance": bool(node.windows),
    }
    given = [clause for clause, there in clauses.items() if there]
    known = "each condition is true of some; " if any(not c.looked_up for c in asked) else ""
    yield f"{known}the query asks by {', '.join(given)}: try without one"


def _values(clause: ClauseCount, stream: StreamProfile) -> str:
    """What the events have of the attributes that a condition looks at."""
    said = [text for name in clause.columns if (text := _range(name, stream.attributes.get(name)))]
    return f"; {', '.join(said)}" if said else ""


def _range(name: str, found: AttributeProfile | None) -> str:
    if found is None or found.least is None:
        return ""
    return f"{name} is {_shown(found.least)} to {_shown(found.greatest)}"


def _unseen(clause: ClauseCount, missing: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, hint in missing:
        if name in clause.columns:
            yield f"  no event has '{name}'" + (f": {hint}" if hint else "")


def _span(stream: StreamProfile) -> str:
    times = [(a.least, a.greatest) for a in stream.attributes.values() if isinstance(a.least, datetime)]
    return f"; they are of {_shown(times[0][0])} to {_shown(times[0][1])}" if times else ""


def _shown(value: object) -> str:
    match value:
        case datetime():
            return iso(value)
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)
