"""The mapping report: whether what events hold, what annotations declare and what the model knows go together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...annotator import Annotator
from ...cep import RowCounts
from ...errors import did_you_mean
from ...language.nodes import AfterMatchKind, Query
from ...pipeline import Catalog
from ...pipeline.profile import ClauseCount, FlowProfile, PathProfile, QueryProfile, StreamProfile, VariableProfile
from .empty_answer import explain_empty_answer
from .id_mapping import IdMapping, map_ids
from .individual_names import IndividualNames
from .unit_mapping import UnitMapping, map_units
from .unpopulated_terms import unpopulated_terms

__all__ = ["MappingReport", "PathReport", "QueryReport", "StreamReport", "VariableReport", "report_mapping"]


_SHOWN = 3


@dataclass(frozen=True, slots=True)
class StreamReport:
    """How the tuples of a stream go with its annotation.

    Attributes:
        stream: its name.
        events: tuples that are events.
        rejected: tuples that are none.
        missing: declared attributes that no tuple has a value of, and what there may be instead (or empty).
        undeclared: names that tuples have and nobody declares, with how many values.
        ids: of each attribute that stands for individuals; of none where no knowledge is loaded.
        units: of each attribute whose individuals may say their unit.
    """

    stream: str
    events: int
    rejected: int
    missing: tuple[tuple[str, str], ...]
    undeclared: tuple[tuple[str, int], ...]
    ids: tuple[IdMapping, ...]
    units: tuple[UnitMapping, ...] = ()


@dataclass(frozen=True, slots=True)
class PathReport:
    """Of how much a PATH holds.

    Attributes:
        text: of the PATH.
        events: that were asked about; earlier clauses have dropped the others.
        held: those of which it holds.
        distinct: distinct keys, most often individuals, that the events of the stream have; `None`: not counted.
        holding: those of which it holds.
        unpopulated: what it asks for and nothing in the knowledge has.
    """

    text: str
    events: int
    held: int
    distinct: int | None
    holding: int | None
    unpopulated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VariableReport:
    """What became of the events of one event variable, clause by clause; the first clause is the stream."""

    variable: str
    clauses: tuple[ClauseCount, ...]
    paths: tuple[PathReport, ...]


@dataclass(frozen=True, slots=True)
class QueryReport:
    """What became of the events of a query.

    Attributes:
        query: its label.
        variables: in the order of FROM.
        rows: how many matches became how many rows.
        reasons: why there is no row; empty: there are some.
        choosing: the clauses that choose among matches, or windows, and those that choose among rows.
    """

    query: str
    variables: tuple[VariableReport, ...]
    rows: RowCounts
    reasons: tuple[str, ...]
    choosing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class MappingReport:
    """Of all streams that brought tuples or are read by a query, and of all queries."""

    streams: tuple[StreamReport, ...]
    queries: tuple[QueryReport, ...]


def report_mapping(
    project: Catalog, profile: FlowProfile, labels: Collection[str] | None = None, *, ended: bool = True
) -> MappingReport:
    """Say how events, annotations and knowledge go together.

    Args:
        project: annotations and knowledge.
        profile: what was counted while the events passed.
        labels: the queries that are reported; by default all.
        ended: whether the streams have ended; otherwise rows may be waiting for later events.
    """
    names = IndividualNames(project.knowledge)
    streams = tuple(
        _stream(project.annotators[name], found, names, project)
        for name, found in profile.streams.items()
        if found.names or any(v.stream == name for q in profile.queries.values() for v in q.variables)
    )
    chosen = {label: query for label, query in profile.queries.items() if labels is None or label in labels}
    queries = tuple(_query(label, query, project, profile, streams, ended=ended) for label, query in chosen.items())
    return MappingReport(streams, queries)


def _stream(annotator: Annotator, profile: StreamProfile, names: IndividualNames, project: Catalog) -> StreamReport:
    declared = {source for a in annotator.annotation.attributes for source in a.sources}
    undeclared = {name: count for name, count in profile.names.items() if count and name not in declared}
    return StreamReport(
        annotator.annotation.stream,
        profile.events,
        profile.rejected,
        tuple(_missing(annotator, profile, list(undeclared))),
        tuple(sorted(undeclared.items(), key=lambda item: (-item[1], item[0]))),
        tuple(map_ids(annotator, profile, project.knowledge, names)) if project.knowledge.modules else (),
        tuple(map_units(annotator, profile, project.knowledge)),
    )


def _missing(annotator: Annotator, profile: StreamProfile, undeclared: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Attributes without a value; nothing is missing where there is no tuple."""
    if not profile.names:
        return
    missing = [
        a for a in annotator.annotation.attributes if a.sources and not any(profile.names.get(s) for s in a.sources)
    ]
    for attribute in missing:
        others = " or ".join(f"'{name}'" for name in undeclared[:_SHOWN])
        yield attribute.name, did_you_mean(attribute.name, undeclared) or (f"is it {others}?" if others else "")


def _query(
    label: str,
    query: QueryProfile,
    project: Catalog,
    profile: FlowProfile,
    streams: Sequence[StreamReport],
    *,
    ended: bool,
) -> QueryReport:
    variables = tuple(_variable(variable, project, query) for variable in query.variables)
    reasons: tuple[str, ...] = ()
    if not query.rows.reported:
        reported = {stream.stream: (stream.missing, stream.ids) for stream in streams}
        reasons = tuple(explain_empty_answer(query, profile, reported, _unpopulated(variables), ended=ended))
    return QueryReport(label, variables, query.rows, reasons, _choosing(query.query))


def _choosing(query: Query) -> tuple[tuple[str, ...], tuple[str, ...]]:
    among_matches = {
        "HAVING": query.having is not None,
        "comparisons of items": any(item.condition is not None for item in query.items),
        "AFTER MATCH": query.after_match.kind is not AfterMatchKind.KEEP_ALL and not query.after_match.is_mode,
        "POLICY": query.after_match.is_mode,
    }
    among_rows = {"DISTINCT": query.distinct, "LIMIT": query.limit is not None}
    matches, rows = (tuple(name for name, there in clauses.items() if there) for clauses in (among_matches, among_rows))
    return matches, rows


def _unpopulated(variables: Sequence[VariableReport]) -> dict[str, list[str]]:
    return {v.variable: [line for path in v.paths for line in path.unpopulated] for v in variables}


def _variable(variable: VariableProfile, project: Catalog, query: QueryProfile) -> VariableReport:
    stream = next(source.stream for source in query.query.sources if source.variable == variable.variable)
    shape = project.shape(stream)
    given = [*shape.types, *(root.iri for root in shape.properties)]
    return VariableReport(
        variable.variable, variable.clauses, tuple(_path(path, project, given) for path in variable.paths)
    )


def _path(path: PathProfile, project: Catalog, given: Sequence[str]) -> PathReport:
    found = path.statistics
    unpopulated = [] if found.held or found.holding else unpopulated_terms([path.subquery], project.knowledge, given)
    text = " ".join(path.subquery.text.split())
    return PathReport(text, found.events, found.held, found.distinct, found.holding, tuple(unpopulated))
