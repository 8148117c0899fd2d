"""What a chart of a query draws: values that it compares, by what they are of, its thresholds, its rows as marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import polars as pl
import pyarrow as pa
import pyoxigraph as ox

from ...annotator import AnnotatedBatch
from ...api import Project
from ...archive import ReadView, open_read_view
from ...archive.log import concatenated
from ...config import Settings
from ...errors import ArchiveError, PipelineError
from ...expressions import threshold_of
from ...language.nodes import Query, Source
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ...pipeline.results import EventSeries, Line, Panel, panels_of_matches, series_by_variable
from ...semfilter import SemanticFilter
from ...semfilter.runtime import FilterOptions
from ...storage import Telling, untold
from ..plain_json import plain_value
from ..problem import ProblemError
from ..time_parameter import moment_parameter

__all__ = ["query_chart", "thinned"]

_POINTS = 600
"""So many points of a line: more than a screen shows apart."""
_MARKS = 2_000
_AT_ONCE = 250_000
"""So many events are read between two words, about."""


def query_chart(
    _: ox.Store, settings: Settings, label: str, start: str, end: str | None, told: Telling = untold
) -> dict[str, Any]:
    """The chart of a registered query over a time of the archive.

    Args:
        settings: of the project.
        label: of the query.
        start: a moment, or `now - 1h`; now is the time of the newest event.
        end: a moment behind the last event; `None`: the newest one.
        told: hears how far it is: `reading`, `drawing`.

    Returns:
        `series` (`name`, `unit`, `points`: pairs of time and value, thinned), of what the query looks at and its rows
        are of; `threshold`: values that FILTERs compare with; `matches` (`id`, `time`), the newest 2,000; `from`, `to`.

    Raises:
        ProblemError: 400, a moment is none; 404, nothing is kept yet; 409, the query's text is not known.
    """
    project = Project.of(settings)
    registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    query = next((one.query for one in registered if one.label == label), None)
    if query is None:
        raise ProblemError(409, f"the text of '{label}' is not known", "it is parked, or was given to kaicep run")
    with _opened(project) as archive:
        begin, until = _moments(archive, start, end)
        events = _events(project, query, archive, (begin, until), told)
        told("drawing", 0.0)
        rows = archive.matches.log.read(label, begin, until) if query.name is not None else None
        found = _panel(project, query, rows, events)
        marks = [] if rows is None else rows.select(["_id", "_time"]).slice(max(0, rows.num_rows - _MARKS)).to_pylist()
    attribute = "" if found is None else found.title.partition(" ")[0]
    return {
        "series": [] if found is None else [_series(line, found) for line in found.lines],
        "threshold": sorted(_thresholds(query, attribute)),
        "matches": [{"id": row["_id"], "time": plain_value(row["_time"])} for row in marks],
        "from": plain_value(begin),
        "to": plain_value(until),
    }


def thinned(points: pl.DataFrame, most: int) -> pl.DataFrame:
    """Points of a line, fewer than so many: of each stretch the least and the greatest value, as they came.

    Args:
        points: columns `time` and `value`, in order of time.
        most: how many.
    """
    if points.height <= most:
        return points
    parts = most // 2
    part = (pl.int_range(pl.len()) * parts // pl.len()).alias("part")
    numbered = points.with_columns(part, pl.int_range(pl.len()).alias("place"))
    ends = [pl.col("place").get(getattr(pl.col("value"), name)()).alias(name) for name in ("arg_min", "arg_max")]
    places = numbered.group_by("part").agg(*ends).select(pl.concat_list("arg_min", "arg_max").explode())
    chosen = places.to_series().unique().sort()
    return points[chosen.to_list()]


def _opened(project: Project) -> ReadView:
    try:
        return open_read_view(project.settings, project.knowledge, project.shapes, store=False)
    except ArchiveError as error:
        raise ProblemError(404, error) from error


def _moments(archive: ReadView, start: str, end: str | None) -> tuple[datetime, datetime | None]:
    known = archive.log.extent()
    if known is None:
        raise ProblemError(404, "the archive holds no event yet", "let an engine read some")
    begin = moment_parameter("from", start, known[1])
    return begin, None if end is None else moment_parameter("to", end, known[1])


def _events(
    project: Project, query: Query, archive: ReadView, span: tuple[datetime, datetime | None], told: Telling
) -> Mapping[str, EventSeries]:
    """By variable the events of its stream whose PATHs hold."""
    names = [name for name in dict.fromkeys(s.stream.name for s in query.sources) if name in project.annotators]
    columns = {
        name: frozenset(c for a in project.shapes[name].attributes for c in (a.name, a.individual) if c is not None)
        for name in names
    }
    paths = {source.variable: _paths(project, query, source) for source in query.sources if source.stream.name in names}
    for one in paths.values():
        columns[one.source.stream.name] |= one.columns
    found = _read(archive, names, span, columns, told) if names else {}
    series = series_by_variable(
        query, project.annotators, {name: AnnotatedBatch.of_events(table) for name, table in found.items()}
    )
    return {variable: replace(one, table=paths[variable].select(one.table)) for variable, one in series.items()}


def _read(
    archive: ReadView,
    names: Sequence[str],
    span: tuple[datetime, datetime | None],
    columns: Mapping[str, frozenset[str]],
    told: Telling,
) -> dict[str, pa.Table]:
    """The events of some streams, piece by piece, so that it is known how many of them are read."""
    scan, (start, end) = archive.scan(names), span
    borders = [start, *scan.borders(start, end, _AT_ONCE), end]
    pieces = []
    for place, (begin, until) in enumerate(pairwise(borders)):
        told("reading", place / (len(borders) - 1))
        pieces.append(scan.read(begin, until, columns))
    return {name: concatenated(*(piece[name] for piece in pieces)) for name in names}


def _paths(project: Project, query: Query, source: Source) -> SemanticFilter:
    """Selects each event once, whatever its PATHs bind."""
    once = replace(source, bindings=())
    options = FilterOptions(table_size=0)
    return SemanticFilter(once, project.shape(source.stream), project.knowledge, options, query.document)


def _panel(project: Project, query: Query, rows: pa.Table | None, events: Mapping[str, EventSeries]) -> Panel | None:
    """What is drawn of the first attribute that the query looks at; `None`: there is nothing numeric."""
    table = _sink_form(query, rows)
    try:
        return panels_of_matches(table, events, project.settings.prefixes, None, None)[0]
    except PipelineError:
        return None


def _sink_form(query: Query, rows: pa.Table | None) -> pa.Table:
    """Rows of the log as queries give them, as far as a plot looks at them."""
    variables = [source.variable for source in query.sources]
    kind = pa.struct([(variable, pa.list_(pa.string())) for variable in variables])
    time = pa.timestamp("us", tz="UTC")
    if rows is None or not rows.num_rows:
        return pa.table({"_time": pa.array([], time), "_events": pa.array([], kind), "_id": pa.array([], pa.string())})
    events = [
        {variable: row.get(f"?{variable}") or [] for variable in variables}
        for row in rows.select([name for name in rows.column_names if name.startswith("?")]).to_pylist()
    ]
    columns = {"_time": rows["_time"], "_events": pa.array(events, kind), "_id": rows["_id"]}
    items = [item.name for item in query.items if not item.hidden and item.name in rows.column_names]
    return pa.table({**{name: rows[name] for name in items}, **columns})


def _series(line: Line, panel: Panel) -> dict[str, Any]:
    attribute, _, unit = panel.title.partition(" [")
    points = thinned(line.points.select("time", "value"), _POINTS)
    return {
        "name": f"{attribute} {line.label}".strip(),
        "unit": unit.partition("]")[0] or None,
        "points": [[plain_value(time), plain_value(value)] for time, value in points.iter_rows()],
    }


def _thresholds(query: Query, attribute: str) -> set[float]:
    """What FILTERs compare the attribute with that is drawn."""
    conditions: Sequence[Any] = [condition for source in query.sources for condition in source.filters]
    found = [threshold_of(condition) for condition in conditions]
    return {one.value for one in found if one is not None and one.column.rpartition(".")[2] in ("", attribute)}
