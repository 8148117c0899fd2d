"""The mapping report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ...pipeline.profile import ClauseCount, ClauseKind
from ..mapping import IdMapping, MappingReport, PathReport, QueryReport, StreamReport, UnitMapping, VariableReport
from ..prefixed_text import with_prefixes

__all__ = ["mapping_lines"]

_SHOWN = 10


def mapping_lines(report: MappingReport, prefixes: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """The report in lines, what belongs to something indented below it.

    Args:
        report: of streams and queries.
        prefixes: prefix → namespace, by which IRIs are shortened.
    """
    lines = [line for stream in report.streams for line in _stream(stream)]
    lines += [line for query in report.queries for line in _query(query)]
    return [with_prefixes(line, prefixes) for line in lines]


def _stream(stream: StreamReport) -> Iterator[str]:
    rejected = f", {stream.rejected:,} records are none" if stream.rejected else ""
    yield f"stream {stream.stream}: {stream.events:,} events{rejected}"
    if stream.missing:
        names = (f"{name} ({hint})" if hint else name for name, hint in stream.missing)
        yield f"  declared, but in no event: {', '.join(names)}"
    if stream.undeclared:
        yield f"  in the events, but not declared: {_listed([name for name, _ in stream.undeclared])}"
    for ids in stream.ids:
        yield from _ids(ids)
    yield from (_units(units) for units in stream.units if units.saying < units.distinct)


def _units(units: UnitMapping) -> str:
    others = (
        f"the readings of the other {units.distinct - units.saying:,} count" if units.saying else "all readings count"
    )
    said = f"{units.saying:,} of {units.distinct:,} ids say their unit"
    return f"  warning: {units.attribute}: {said}: {others} as <{units.unit}>"


def _ids(ids: IdMapping) -> Iterator[str]:
    of = (
        f"{ids.known:,} of {ids.distinct:,} ids" if ids.complete else f"{ids.known:,} of the first {ids.distinct:,} ids"
    )
    classes = _listed([f"<{name}> {count:,}" for name, count in ids.classes])
    yield f"  {ids.attribute}: {of} known" + (f": {classes}" if classes else "")
    if not ids.unknown:
        return
    if ids.advice:
        yield f"    {ids.advice}"
    for example in ids.examples:
        near = f"did you mean {' or '.join(repr(name) for name in example.nearest)}?" if example.nearest else ""
        said = f", {example.reason or near}" if example.reason or near else ""
        yield f"    unknown: '{example.name}' ({example.events:,} events){said}"
    if ids.unknown > len(ids.examples):
        yield f"    … and {ids.unknown - len(ids.examples):,} more"


def _query(query: QueryReport) -> Iterator[str]:
    yield f"query {query.query}: {_rows(query)}"
    for variable in query.variables:
        yield from _variable(variable, explained=bool(query.reasons))
    for condition in query.rows.conditions:
        if condition.asked and not condition.looked_up:
            of = f"{condition.held:,} of {condition.asked:,} combinations"
            yield f"  {condition.clause} ({condition.text}): true of {of}"
    yield from (f"  no row: {reason}" if not reason.startswith(" ") else f"  {reason}" for reason in query.reasons)


def _rows(query: QueryReport) -> str:
    """How many matches became how many rows; what is the same is said once."""
    counts = query.rows
    among_matches, among_rows = (" and ".join(names) for names in query.choosing)
    of_matches = f"left by {among_matches}" if among_matches else "different matches"
    of_rows = f"left by {among_rows}" if among_rows else "different rows"
    steps = {
        "found": counts.found,
        of_matches: counts.standing,
        of_rows: counts.rows,
        "rows": counts.reported,
    }
    told: list[str] = []
    before: int | None = None
    for what, count in steps.items():
        if what == "rows" or (count != before and what != "found") or (what == "found" and count != counts.reported):
            told.append(f"{count:,} {what}")
        before = count
    return " → ".join(told)


def _variable(variable: VariableReport, *, explained: bool) -> Iterator[str]:
    empty = next((place for place, clause in enumerate(variable.clauses, 1) if not clause.left), None)
    yield f"  ?{variable.variable}: {' → '.join(_clause(clause) for clause in variable.clauses[:empty])}"
    for path in variable.paths:
        if not path.events:
            continue
        yield from _path(path)
        if not explained:
            yield from (f"      {line}" for line in path.unpopulated)


def _clause(clause: ClauseCount) -> str:
    match clause.kind:
        case ClauseKind.STREAM:
            return f"{clause.left:,} of {clause.text}"
        case ClauseKind.PATH:
            return f"{clause.left:,} PATH"
        case ClauseKind.WITHIN:
            return f"{clause.left:,} WITHIN"
        case ClauseKind.CONTEXT:
            return f"{clause.left:,} IN CONTEXT {clause.text}"
        case ClauseKind.FILTER | ClauseKind.IMPLIED:
            return f"{clause.left:,} {clause.kind.value} ({clause.text})"


def _path(path: PathReport) -> Iterator[str]:
    of_ids = (
        "" if path.distinct is None else f", for {path.holding or 0:,} of the stream's {path.distinct:,} individuals"
    )
    yield f"    PATH {{ {path.text} }}: holds for {path.held:,} of {path.events:,} events{of_ids}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
