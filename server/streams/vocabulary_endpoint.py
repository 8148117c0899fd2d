"""`/vocabulary`, `/examples` and `/contexts`: what a query may speak of, queries to start from, and what holds."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter

from ...api.remote import RemoteContextSet
from ...config import Settings
from ...pipeline import query_files, read_document
from ..access import may
from ..problem_document import answers
from ..queries import ProjectProcesses
from ..request_parameters import ContextTime
from .context_windows import context_windows
from .query_vocabulary import query_vocabulary

__all__ = ["vocabulary_routes"]

_VOCABULARY = {
    "streams": [{"name": "air", "attributes": [{"name": "flow", "type": "double", "unit": None, "property": None}]}],
    "classes": [
        {"iri": "urn:ex:Thermometer", "prefixed": "ex:Thermometer", "label": "thermometer", "labels": ["thermometer"]}
    ],
    "properties": [{"iri": "urn:ex:in", "prefixed": "ex:in", "label": None, "labels": []}],
    "functions": [{"name": "ABS", "signature": "ABS(number)", "doc": "The number without its sign."}],
    "keywords": ["FROM", "SELECT", "WHERE"],
    "prefixes": {"ex": "urn:ex:"},
    "contexts": [{"set": "door", "contexts": ["shut", "open"]}],
}
_CONTEXTS = [
    {
        "set": "door",
        "contexts": [{"name": "shut", "default": True}, {"name": "open", "default": False}],
        "key": ["room"],
        "from": "2026-06-01T07:00:00Z",
        "to": "2026-06-01T09:30:00Z",
        "windows": [
            {"context": "open", "key": {"room": "urn:ex:r1"}, "from": "2026-06-01T08:00:00Z", "to": None},
        ],
    }
]
_EXAMPLE = {"label": "High", "text": "SELECT ?e.flow FILTER (?e.flow > 50)"}


def vocabulary_routes(settings: Settings, processes: ProjectProcesses) -> APIRouter:
    """The routes for those who write queries.

    Args:
        settings: of the project.
        processes: that load the project.
    """
    routes = APIRouter(tags=["queries"])

    @routes.get(
        "/vocabulary",
        summary="What a query may speak of",
        dependencies=[may("read")],
        responses=answers(200, "The words of the project.", _VOCABULARY),
    )
    def vocabulary() -> dict[str, Any]:
        """Streams, their attributes, classes and properties with their labels, functions, keywords: for completion."""
        return processes.ask(query_vocabulary)

    @routes.get(
        "/examples",
        summary="Queries to start from",
        dependencies=[may("read")],
        responses=answers(200, "Names and texts.", [_EXAMPLE]),
    )
    def examples() -> list[dict[str, str]]:
        """The query files of the project, each by its name in words."""
        return [{"label": _in_words(path.stem), "text": read_document(path)} for path in query_files(settings)]

    @routes.get(
        "/contexts",
        summary="When contexts held",
        dependencies=[may("read")],
        response_model=list[RemoteContextSet],
        responses=answers(200, "The sets, with their windows.", _CONTEXTS),
    )
    def contexts(last: ContextTime = "24h") -> list[dict[str, Any]]:
        """The sets of contexts, and the windows of each context in the last time of the archive, 24 h say.

        They are a cut of what the whole archive tells, up to its newest event, `to`: a window that began before the
        time, `from`, has its true begin. 503: the archive is so large that it has to be read first; ask again.
        """
        return processes.ask(context_windows, last)

    return routes


def _in_words(stem: str) -> str:
    """A file's name without the number that orders it: `Stale air` of `1_stale_air`."""
    words = re.sub(r"^\d+[_-]+", "", stem).replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]
