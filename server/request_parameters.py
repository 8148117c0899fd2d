"""What parameters of requests mean, with an example of each: once for all routes that take them, as OpenAPI says it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Path, Query

__all__ = [
    "ADDRESS_PARAMETER",
    "DOCUMENT_LABEL",
    "EXPLAINED_FORM",
    "EXPLAINED_SUBJECT",
    "GRAPH_PARAMETERS",
    "AlarmId",
    "AlarmLimit",
    "BehindPlace",
    "ChartEnd",
    "ChartStart",
    "ContextTime",
    "EventLimit",
    "GapLength",
    "IndividualClass",
    "IndividualIri",
    "IndividualLimit",
    "IndividualText",
    "JobId",
    "LastEventHeader",
    "LastEventId",
    "MatchId",
    "MatchQuery",
    "NewestRows",
    "ParentClass",
    "QueryLabel",
    "RowLimit",
    "StreamName",
]

_ROW, _JOB, _ALARM = (
    "5a1b6b4d2b6c4f0e8d3f6d2a1c9e7b58",
    "9f86d081884c7d659a2feaa0c55ad015",
    "6274690b3f3fe073c8e2f68e3cd6daab",
)

QueryLabel = Annotated[str, Path(description="The query's label, as `GET /queries` lists it.", examples=["high"])]
StreamName = Annotated[str, Path(description="The stream's name in the project file.", examples=["air"])]
JobId = Annotated[str, Path(description="The job's id, as the answer that began it says.", examples=[_JOB])]
AlarmId = Annotated[str, Path(description="The alarm's id, as `GET /alarms` lists it.", examples=[_ALARM])]
MatchId = Annotated[str, Path(description="The `_id` of a row.", examples=[_ROW])]

MatchQuery = Annotated[str, Query(description="The label of the query that has the row.", examples=["high"])]
BehindPlace = Annotated[
    str | None,
    Query(
        description="A place: `next` of the answer before, or the `_id` of a row. 0: before all.", examples=["1-0-0"]
    ),
]
RowLimit = Annotated[int, Query(ge=1, le=10_000, description="So many rows at most.", examples=[100])]
NewestRows = Annotated[
    int | None,
    Query(ge=1, le=10_000, description="The newest so many rows, in place of those behind `after`.", examples=[20]),
]
_HAD = "The id of the event that came last, or `next` of `matches`; rows behind it come first. 0: all of them."
LastEventHeader = Annotated[str | None, Header(alias="Last-Event-ID", description=_HAD, examples=["1-0-0"])]
LastEventId = Annotated[
    str | None, Query(description=f"{_HAD} For clients that set no header, which is heeded before.", examples=["1-0-0"])
]

EventLimit = Annotated[int, Query(ge=1, le=1_000, description="The newest so many events.", examples=[20])]
AlarmLimit = Annotated[int, Query(ge=1, le=1_000, description="So many alarms at most.", examples=[100])]
ContextTime = Annotated[str, Query(description="How far back from the newest event.", examples=["24h"])]
GapLength = Annotated[
    str | None,
    Query(
        description="How long a time without events is a gap. Without it: a 200th of the time that the archive spans.",
        examples=["1h"],
    ),
]
ChartStart = Annotated[
    str,
    Query(
        alias="from",
        description="A moment, or how far back from the newest event, whose time is now.",
        examples=["now - 24h", "2026-06-01T08:00Z"],
    ),
]
ChartEnd = Annotated[
    str | None,
    Query(
        alias="to",
        description="A moment behind the last event, likewise. Without it: the newest event.",
        examples=["2026-06-01T09:00Z"],
    ),
]

ParentClass = Annotated[
    str | None,
    Query(
        description="The IRI of a class: those right below it. Without it: those below none.", examples=["urn:ex:Room"]
    ),
]
IndividualText = Annotated[
    str | None, Query(description="A text that stands in a label, or in the IRI.", examples=["room 1"])
]
IndividualClass = Annotated[
    str | None, Query(alias="class", description="The IRI of a class that they are in.", examples=["urn:ex:Room"])
]
IndividualIri = Annotated[
    str | None, Query(description="The IRI of one individual, which is told with its triples.", examples=["urn:ex:r1"])
]
IndividualLimit = Annotated[int, Query(ge=1, le=1_000, description="So many individuals at most.", examples=[50])]

EXPLAINED_FORM = Query(description="Words, JSON, or a picture in one of three forms.", examples=["svg"])
EXPLAINED_SUBJECT = Query(
    description="The plan; or the automata of patterns, the contexts, what is asked of single events, as pictures.",
    examples=["plan"],
)


def _written(name: str, text: str, example: str, **others: Any) -> dict[str, Any]:
    """A parameter of an operation that reads it from the request itself."""
    return {
        "name": name,
        "in": "query",
        "description": text,
        "schema": {"type": "string"},
        "example": example,
        **others,
    }


DOCUMENT_LABEL = _written("label", "The name of its query that has none, where the body is the text alone.", "high")
GRAPH_PARAMETERS = (
    _written("graph", "The graph's name.", "https://example.org/rooms", schema={"type": "string", "format": "iri"}),
    _written("default", "The default graph, without a value.", "", allowEmptyValue=True),
)
ADDRESS_PARAMETER = _written(
    "local", "What follows the address of the graphs in that of this one.", "rooms", required=True, **{"in": "path"}
)
