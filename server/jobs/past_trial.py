"""A document over a piece of the archive's past: what it would have found, before it is submitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from ...api import Project
from ...archive import ReadView, open_read_view
from ...archive.log import LogScan
from ...cep.output import reported_schema
from ...config import Settings
from ...errors import ArchiveError, PipelineError
from ...explain import mapping_dict, report_mapping
from ...language.nodes import Query
from ...pipeline import labelled, queries_read
from ...pipeline.flow import Batch, Dataflow, Registration, request_of
from ...pipeline.flow.rules import CALLS, shown_calls
from ...pipeline.sinks import rows
from ...storage import Telling
from ..plain_json import plain_value
from ..problem import ProblemError
from ..time_parameter import moment_before, moment_parameter
from .logged_batch import batch_of_log, columns_of_log

__all__ = ["TrialSpan", "try_past"]

_AT_ONCE = 100_000
"""So many events are in memory, about."""
_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class TrialSpan:
    """A piece of the past.

    Attributes:
        last: a duration back from the newest event, such as `1h`; `None`: `start` and `end` say it.
        start: a moment, or `now - 1h`; `None`: the first event.
        end: a moment behind the last event; `None`: the newest event.
    """

    last: str | None = None
    start: str | None = None
    end: str | None = None

    def check(self) -> None:
        """Refuse what says nothing, or two things.

        Raises:
            ProblemError: 400.
        """
        if self.last is not None and (self.start is not None or self.end is not None):
            raise ProblemError(400, "last, and from or to, contradict each other", "leave one of them out")
        if self.last is None and self.start is None and self.end is None:
            raise ProblemError(400, "nothing says of what time", "add last, such as 1h; or from and to")
        self.moments(datetime.now(UTC))

    def moments(self, newest: datetime) -> tuple[datetime | None, datetime | None]:
        """Its begin, and its end, which is exclusive; `None`: there is no bound.

        Raises:
            ProblemError: 400, a moment is none, or they are not in order.
        """
        if self.last is not None:
            return moment_before("last", self.last, newest), None
        start = None if self.start is None else moment_parameter("from", self.start, newest)
        end = None if self.end is None else moment_parameter("to", self.end, newest)
        if start is not None and end is not None and start >= end:
            raise ProblemError(400, "to is not behind from", "name the begin with from, the end with to")
        return start, end


def try_past(told: Telling, settings: Settings, text: str, span: TrialSpan, shown: int = _SHOWN) -> dict[str, Any]:
    """Answer a document over what the archive has of a time, as if it had been registered before.

    Args:
        told: hears how far it is: `loading`, `answering`.
        settings: of the project.
        text: χ-CEP; of several queries the rows of the last one are told.
        span: of the past.
        shown: so many rows are told; the others are counted.

    Returns:
        Of the last query `query`, its label, `columns`, the first `rows` and the `count` of all; `calls` of rules by
        action, `events` that were read by stream, the `mapping` report, and the `warnings` of the document.

    Raises:
        KaicepError: the document is wrong, or there is no archive.
    """
    told("loading", 0.0)
    project = Project.of(settings)
    read = labelled(queries_read(project, text))
    own = project.registrations(text, "query", [one.query for one in read])
    if not own:
        raise PipelineError("the document asks nothing", hint="add a query, such as SELECT …")
    dataflow = project.dataflow(isolated=True)
    for registration in (*read, *own):
        dataflow.register(registration)
    with open_read_view(settings, project.knowledge, project.shapes, store=False) as archive:
        found = _Found(own[-1], shown)
        for batch, done in _batches(archive, dataflow, span):
            found.take(dataflow, batch)
            told("answering", done)
    for one in (*read, *own):
        dataflow.queries.check(one.label)
    report = report_mapping(project, dataflow.profile, [one.label for one in own])
    warnings = [warning for one in own for warning in one.query.warnings]
    return {**found.told(), "mapping": plain_value(mapping_dict(report)), "warnings": warnings}


class _Found:
    """What a trial has found so far.

    Args:
        asked: the query whose rows are told.
        shown: so many of them.
    """

    def __init__(self, asked: Registration, shown: int) -> None:
        self._asked, self._shown = asked, shown
        self._columns = _columns(asked.query)
        self._rows: list[dict[str, Any]] = []
        self._count = 0
        self._calls: Counter[str] = Counter()
        self._events: Counter[str] = Counter()

    def take(self, dataflow: Dataflow, batch: Batch) -> None:
        """Process a batch."""
        self._events.update({stream: events.events.num_rows for stream, events in batch.events.items()})
        result = dataflow.process(batch)
        for matches in result.rows_of(self._asked.label):
            self._count += matches.num_rows
            self._rows += rows(matches.slice(0, self._shown - len(self._rows)))
        calls = result.calls
        self._calls.update(calls["action"].to_pylist())
        if self._asked.query.rule is not None:
            own = [call for call in shown_calls(calls) if call["rule"] == self._asked.query.rule.name]
            self._count += len(own)
            self._rows += own[: self._shown - len(self._rows)]

    def told(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "query": self._asked.label,
            "columns": self._columns,
            "rows": [{name: plain_value(row.get(name)) for name in self._columns} for row in self._rows],
            "count": self._count,
            "calls": dict(self._calls),
            "events": dict(self._events),
        }


def _columns(query: Query) -> list[str]:
    """Of the rows of a query; of a rule those of what it would call."""
    if query.rule is not None:
        return list(CALLS.names)
    return list(reported_schema(query).names)


def _batches(archive: ReadView, dataflow: Dataflow, span: TrialSpan) -> Iterator[tuple[Batch, float]]:
    """The events of a time as batches, in order of time, and how much of it lies behind with each."""
    known = archive.log.extent()
    if known is None:
        raise ArchiveError("the archive holds no event yet", hint="let an engine read some")
    start, end = span.moments(known[1])
    annotators = dataflow.annotators
    columns = {name: columns_of_log(annotators[name]) for name in request_of(dataflow, None, None).columns}
    scan: LogScan = archive.scan(columns)
    borders = [start, *scan.borders(start, end, _AT_ONCE), end]
    for place, (begin, until) in enumerate(pairwise(borders), 1):
        tables = scan.read(begin, until, columns)
        events = {name: batch_of_log(annotators[name], table) for name, table in tables.items() if table.num_rows}
        yield Batch(events), place / len(borders)
    yield Batch(ends=True), 1.0
