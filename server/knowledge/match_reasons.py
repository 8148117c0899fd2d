"""Why there is a row: its events, what held of each, and the contexts that it lies in."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...errors import KaicepError
from ...explain import explanation_dict, row_dict
from ...language.nodes import Query
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ..plain_json import plain_value
from ..problem import ProblemError
from ..rows import MatchReader

__all__ = ["reasons_of_match"]

_MOST = 20
"""So many events of a row are explained; the others are named."""


def reasons_of_match(_: ox.Store, settings: Settings, label: str, row: str) -> dict[str, Any]:
    """Why a query has found a row.

    Args:
        settings: of the project.
        label: of the query, which is registered and has a name.
        row: its `_id`.

    Returns:
        `match`, the row; `events` (`id`, `stream`, `time`, `attributes`, `variable`), in order of time; `reasons`, a
        tree for each of the first 20, as `kaicep why --format json` has it; `contexts`, the windows that the row lies
        in, null without; `notes`: what cannot be explained, and why.

    Raises:
        ProblemError: 404, no row has that id; 409, the query's text is not known.
    """
    found = MatchReader(settings).row(label, row)
    if found is None:
        raise ProblemError(404, f"no row of '{label}' has the id '{row}'", "copy _id of one of its rows")
    project = Project.of(settings)
    registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    query = next((one.query for one in registered if one.label == label), None)
    if query is None or query.document is None:
        raise ProblemError(409, f"the text of '{label}' is not known", "it is registered no more, or is parked")
    explained = _Reasons(project, query)
    for variable, ids in found.row["_events"].items():
        for event in ids:
            explained.add(variable, event)
    explained.events.sort(key=lambda event: str(event["time"]))
    contexts = None if query.in_context is None else explained.contexts(row)
    return {
        "match": dict(found.row),
        "events": explained.events,
        "reasons": explained.reasons,
        "contexts": contexts,
        "notes": explained.notes,
    }


class _Reasons:
    """The events of a row, explained one after the other.

    Args:
        project: its archive has them.
        query: that has found the row.
    """

    def __init__(self, project: Project, query: Query) -> None:
        self._project, self._query = project, query
        document = query.document
        # Up to the query's own end: prefixes and sets before it are known, and it is the last one.
        self._text = "" if document is None else document.text[: query.span.end]
        self._streams = {source.variable: source.stream.name for source in query.sources}
        self.events: list[dict[str, Any]] = []
        self.reasons: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def add(self, variable: str, event: str) -> None:
        """Explain an event."""
        stream = self._streams.get(variable, "")
        told: dict[str, Any] = {"id": event, "stream": stream, "time": None, "attributes": {}, "variable": variable}
        self.events.append(told)
        if len(self.reasons) >= _MOST:
            self.notes.append(f"{event} is not explained: the first {_MOST} events are")
            return
        try:
            found = self._project.why(self._text, event, stream=stream, variable=variable)
        except KaicepError as error:
            self.notes.append(f"{event}: {error}")
            return
        attributes = {name: plain_value(value) for name, value in found.attributes.items()}
        annotators = self._project.annotators
        time = None if stream not in annotators else attributes.get(annotators[stream].stream_type.time)
        told |= {"attributes": attributes, "time": time}
        self.reasons.append(explanation_dict(found))

    def contexts(self, row: str) -> dict[str, Any] | None:
        """The windows of contexts that the row lies in, and who opened them."""
        try:
            return row_dict(self._project.why_row(row))
        except KaicepError as error:
            self.notes.append(f"its contexts: {error}")
            return None
