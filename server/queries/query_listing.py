"""The registered queries of a project with their texts, and what the engine says of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pyoxigraph as ox

from ...api import Project
from ...api.clients import list_queries
from ...config import Settings
from ...errors import KaicepError
from ...language.nodes import Query
from ...pipeline.control import SubmittedDocument, SubmittedQueries, folder_of, registrations_at_start
from ...pipeline.flow import Registration
from ...pipeline.monitoring import QueryStatus
from ..problem import ProblemError

__all__ = ["ListedQuery", "QueryKind", "listed_queries", "with_status"]

QueryKind = Literal["query", "rule", "contexts"]


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query as it is registered.

    Attributes:
        label: that it is asked by.
        kind: `query`, `rule` (CREATE RULE), or `contexts`, one that begins or ends contexts.
        state: `registered`, `running`, `ended`, `parked`, `behind`; `waits` for an engine.
        matches: rows so far, over restarts.
        submitted: whether it was submitted, and can be withdrawn.
        text: its own; `None`: nobody knows, since the engine was given it by hand.
        named: whether it has a name; only then its rows are kept, and can be asked for.
        columns: the items of its rows.
        reads: the streams and queries that it reads.
        reason: why it is parked.
        latency: seconds that its rows may take, as the project file says.
        priority: likewise.
    """

    label: str
    kind: QueryKind = "query"
    state: str = "waits"
    matches: int = 0
    submitted: bool = False
    text: str | None = None
    named: bool = False
    columns: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reason: str | None = None
    latency: float | None = None
    priority: int = 0


def listed_queries(_: ox.Store, settings: Settings, *, lives: bool) -> list[ListedQuery]:
    """The queries of the project file, then those that were submitted.

    Args:
        settings: of the project.
        lives: whether an engine runs, which knows better what becomes of each.

    Raises:
        ProblemError: 409, a query of the project file is wrong.
    """
    try:
        documents = SubmittedQueries(folder_of(settings)).documents()
        project = Project.of(settings)
        registered, refused = registrations_at_start(project, documents)
    except KaicepError as error:
        raise ProblemError(409, error) from error
    found = [_of(one, settings) for one in registered]
    submitted = {label: document for document in documents for label in document.queries}
    found += [_refused(label, submitted[label], error) for label, error in refused.items()]
    found = [replace(one, submitted=one.label in submitted) for one in found]
    return found if lives else _stopped(found, settings)


def with_status(queries: Iterable[ListedQuery], told: Mapping[str, QueryStatus], *, lives: bool) -> list[ListedQuery]:
    """Queries with what an engine has said of them last, and those that it alone knows.

    Args:
        queries: as they are registered.
        told: by label.
        lives: whether the engine runs still; else only its counts are true.
    """
    known = {one.label: one for one in queries}
    for label, status in told.items():
        if label in known:
            known[label] = replace(known[label], matches=status.matches)
        elif lives and status.state != "withdrawn":
            known[label] = ListedQuery(label, matches=status.matches)
        if lives and label in known:
            known[label] = replace(known[label], state=status.state, reason=status.reason or known[label].reason)
    fresh = "registered" if lives else "waits"
    return [replace(one, state=fresh) if one.state == "waits" else one for one in known.values()]


def _of(registration: Registration, settings: Settings) -> ListedQuery:
    query, service = registration.query, settings.queries.service(registration.label)
    kind: QueryKind = "rule" if query.rule is not None else "query" if query.change is None else "contexts"
    return ListedQuery(
        registration.label,
        kind,
        text=_text(query),
        named=query.name is not None,
        columns=tuple(item.name for item in query.items if not item.hidden),
        reads=tuple(dict.fromkeys(source.stream.name for source in query.sources)),
        latency=None if service.latency is None else service.latency.total_seconds(),
        priority=service.priority,
    )


def _text(query: Query) -> str:
    document = query.document
    return query.normal if document is None else document.text[query.span.start : query.span.end].rstrip("; \n")


def _refused(label: str, document: SubmittedDocument, error: KaicepError) -> ListedQuery:
    return ListedQuery(label, state="parked", text=document.text, reason=f"refused: {error.message}")


def _stopped(queries: Sequence[ListedQuery], settings: Settings) -> list[ListedQuery]:
    """Queries as the last engine has left them."""
    rows, _ = list_queries(settings)
    left = {row["query"]: row for row in rows}
    return [
        replace(one, state=left[one.label]["state"], reason=left[one.label]["parked"]) if one.label in left else one
        for one in queries
    ]
