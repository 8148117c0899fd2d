"""A document over whole streams that end: the rows of its last query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from kaicep.config import Settings
from kaicep.expressions import SIGNATURES
from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes.query import Query
from kaicep.language.nodes.vocabulary import Vocabulary

from .admission import admitted, delivered
from .bounds import now_of, within
from .candidates import candidates
from .documents import Document
from .events import Annotation, Event
from .expressions import Candidate
from .knowledge import knowledge_of
from .matches import matches
from .shedding import shares

Streams = Mapping[str, Sequence[Mapping[str, object]]]


class Oracle:
    """A project: its knowledge closed, its annotations read."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.settings = Settings.parse(content)
        self.knowledge = knowledge_of(content)
        self.annotations = {name: Annotation(name, self.settings, self.knowledge) for name in self.settings.streams}

    @property
    def vocabulary(self) -> Vocabulary:
        """What a query may speak of."""
        types = {name: annotation.stream_type for name, annotation in self.annotations.items()}
        return Vocabulary(types, SIGNATURES, self.settings.prefixes, self.knowledge, tuple(types))

    def evaluate(
        self,
        text: str,
        streams: Streams,
        registered_at: datetime | None = None,
        retention: timedelta | None = None,
    ) -> list[dict[str, Any]]:
        """The rows of the last query of the document; see `Project.evaluate`."""
        queries = [query for _, query in check_document(text, self.vocabulary, retention=retention)]
        return self.answer(queries, streams, registered_at)

    def answer(
        self, queries: Sequence[Query], streams: Streams, registered_at: datetime | None = None
    ) -> list[dict[str, Any]]:
        """The same of checked queries."""
        answer = self._document(queries, streams, registered_at).answer()
        hidden = {i.name for i in queries[-1].items if i.hidden}
        return [{name: value for name, value in row.items() if name not in hidden} for row in answer]

    def _document(self, queries: Sequence[Query], streams: Streams, registered_at: datetime | None) -> Document:
        events = {name: admitted(a, streams.get(name, ())) for name, a in self.annotations.items()}
        came = {name: delivered(a, streams.get(name, ())) for name, a in self.annotations.items()}
        return Document(queries, self.knowledge, events, came, registered_at, shares=shares(queries, self.settings))

    def calls(self, text: str, streams: Streams, registered_at: datetime | None = None) -> list[dict[str, Any]]:
        """What the rules of a document call; see `Rows.calls`."""
        queries = [query for _, query in check_document(text, self.vocabulary)]
        return [call.shown for call in self._document(queries, streams, registered_at).calls()]

    def densest(self, text: str, streams: Streams, registered_at: datetime | None = None) -> int:
        """How many matches become true with one event, at the most, of the only query of a document.

        Before HAVING, AFTER MATCH, DISTINCT and LIMIT choose among them.
        """
        ((_, query),) = check_document(text, self.vocabulary)
        events = {name: admitted(a, streams.get(name, ())) for name, a in self.annotations.items()}
        names = {s.stream.name for s in query.sources}
        came = [e for name in names for e in delivered(self.annotations[name], streams.get(name, ()))]
        now = now_of(came, registered_at)
        selected, seen = self._selected(query, events, now)
        end = max((e.time for e in came), default=None)
        found = matches(query, selected, seen, lambda moment: within(query.bounds, moment, now), end)
        return max(Counter(match.events[-1].event.id for match in found).values(), default=0)

    def _selected(
        self, query: Query, events: Mapping[str, list[Event]], now: datetime | None
    ) -> tuple[dict[str, list[Candidate]], dict[str, list[Event]]]:
        """The candidates of each variable, and all events of the streams in FROM that lie within the bounds."""
        names = {s.stream.name for s in query.sources}
        seen = {name: [e for e in events[name] if within(query.bounds, e.time, now)] for name in names}
        return {s.variable: candidates(s, seen[s.stream.name], self.knowledge) for s in query.sources}, seen


def evaluate(
    content: Mapping[str, Any], text: str, streams: Streams, registered_at: datetime | None = None
) -> list[dict[str, Any]]:
    """The rows of the last query of a document over whole streams that end.

    Args:
        content: a project file's content.
        text: a χ-CEP document.
        streams: raw tuples by stream, in order of arrival.
        registered_at: the moment of registration; by default before the first event.
    """
    return Oracle(content).evaluate(text, streams, registered_at)
