"""`/queries`: what is registered, submitted, explained, parked, resumed and withdrawn."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from ...config import Settings
from ...settings import Duration
from ..access import current_client, may
from ..problem import ProblemError
from ..problem_document import PROBLEM_RESPONSES, answers
from ..request_body import parse_body, read_body
from ..request_parameters import DOCUMENT_LABEL, EXPLAINED_FORM, EXPLAINED_SUBJECT, QueryLabel
from ..sparql import content_type_of
from .project_processes import ProjectProcesses
from .query_catalog import QueryCatalog
from .query_changes import Submitted, park_query, resume_query, submit_document, withdraw_query
from .query_explanation import ExplainedSubject, ExplanationForm, explain_registered
from .query_listing import ListedQuery

__all__ = ["EXPLAINED", "query_routes", "text_of"]

_TEXT = "SELECT ?e.sensor AS sensor, ?e.flow AS flow FILTER (?e.flow > 50)"
_QUERY = ListedQuery(
    "high",
    "query",
    "running",
    42,
    submitted=True,
    text=f"CREATE QUERY high AS {_TEXT}",
    named=True,
    columns=("sensor", "flow"),
    reads=("air",),
)
_BODY = {
    "description": "Queries: their text alone, or as JSON with what else there is to say.",
    "required": True,
    "content": {
        "text/plain": {"schema": {"type": "string"}, "example": _TEXT},
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "text": {"type": "string", "description": "χ-CEP."},
                    "label": {"type": "string", "description": "The name of its query that has none."},
                    "retention": {
                        "type": "string",
                        "description": "Bounds the state of queries that no WINDOW bounds, such as 1h.",
                    },
                    "backfill": {
                        "type": "boolean",
                        "description": "Whether queries without WITHIN are answered over all that the archive has.",
                    },
                },
            },
            "example": {"text": _TEXT, "label": "high"},
        },
    },
}
_PLAN = {"label": "query high", "text": "selection", "children": [{"label": "", "text": "?e from air", "children": []}]}
_PARKED = {"said": ["high: parked from the next batch on, with what reads it"]}
_RESUMED = {"said": ["high: goes on with what it has missed"]}
_PICTURES = {
    "text/vnd.mermaid": 'flowchart TB\n  high["query high"]\n',
    "text/vnd.graphviz": 'digraph {\n  high [label="query high"]\n}\n',
    "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><text>query high</text></svg>',
}
EXPLAINED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "In words, as JSON, or as a picture.",
        "content": {
            "text/plain": {"schema": {"type": "string"}, "example": "query high\n  candidates of ?e: events of air"},
            "application/json": {"schema": {"type": "object"}, "example": _PLAN},
            **{media: {"schema": {"type": "string"}, "example": picture} for media, picture in _PICTURES.items()},
        },
    },
    **PROBLEM_RESPONSES,
}


class _Submission(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    label: str | None = None
    retention: Duration | None = None
    backfill: bool = False


def query_routes(settings: Settings, processes: ProjectProcesses, catalog: QueryCatalog) -> APIRouter:
    """The routes of `/queries` but those of rows.

    Args:
        settings: of the project.
        processes: that do what is asked.
        catalog: of what is registered.
    """
    routes, server = APIRouter(tags=["queries"]), settings.server

    @routes.get(
        "/queries",
        summary="List the registered queries",
        dependencies=[may("read")],
        responses=answers(200, "The queries.", [_QUERY], list[ListedQuery]),
    )
    def queries() -> list[ListedQuery]:
        """Those of the project file and those that were submitted: queries, rules, and what changes contexts."""
        return catalog.queries()

    @routes.post(
        "/queries",
        status_code=201,
        summary="Submit queries",
        dependencies=[may("submit")],
        openapi_extra={"requestBody": _BODY, "parameters": [DOCUMENT_LABEL]},
        responses=answers(201, "Their labels, and warnings.", Submitted(("high",), ()), Submitted),
    )
    async def submit(request: Request) -> Response:
        """Registered by the running engine from its next batch on, else by the next one; until it is withdrawn.

        A query without a name gets one, since only rows of named queries are kept. What is wrong with the text is told
        with its place (422), and what it contradicts (409).
        """
        asked = await _submission(request)
        taken = [one.label for one in await run_in_threadpool(catalog.queries)]
        done = await run_in_threadpool(
            processes.change,
            submit_document,
            asked.text,
            asked.label,
            asked.retention,
            taken,
            backfill=asked.backfill,
        )
        location = {"Location": f"/queries/{quote(done.labels[0], safe='')}"} if done.labels else {}
        return JSONResponse({"labels": done.labels, "warnings": done.warnings}, 201, location)

    async def _submission(request: Request) -> _Submission:
        media, _ = content_type_of(request.headers.get("Content-Type"))
        if media != "application/json":
            return _Submission(text=await text_of(request, settings), label=request.query_params.get("label"))
        body = await read_body(request, server.body_size, server.body_timeout)
        return parse_body(_Submission, body, 'send {"text": "SELECT …", "label": "…"}', 400)

    @routes.get(
        "/queries/{label}",
        summary="One query",
        dependencies=[may("read")],
        responses=answers(200, "The query.", _QUERY, ListedQuery),
    )
    def query(label: QueryLabel) -> ListedQuery:
        """How it is registered, and how it fares."""
        return catalog.query(label)

    @routes.delete(
        "/queries/{label}",
        status_code=204,
        summary="Withdraw a query",
        dependencies=[may("submit")],
        response_class=Response,
        response_description="The query is withdrawn.",
        responses=PROBLEM_RESPONSES,
    )
    def withdraw(label: QueryLabel) -> None:
        """It is answered no more, from the next batch on; its rows stay. Only what was submitted can be withdrawn."""
        if not catalog.query(label).submitted:
            hint = "take it out of [queries] of the project file, and start the engine again"
            raise ProblemError(409, f"'{label}' was not submitted: it is the project's", hint)
        processes.change(withdraw_query, label)

    @routes.post(
        "/queries/{label}/park",
        summary="Let a query wait until it is resumed",
        dependencies=[may("submit")],
        responses=answers(200, "What becomes of it.", _PARKED),
    )
    def park(label: QueryLabel) -> dict[str, list[str]]:
        """It is answered no more, from the next batch on, and neither is what reads it; resumed, it has all its rows.

        Its reason says by which token.
        """
        catalog.query(label)
        return {"said": processes.change(park_query, label, current_client.get().token)}

    @routes.post(
        "/queries/{label}/resume",
        summary="Let a parked query go on",
        dependencies=[may("submit")],
        responses=answers(200, "What becomes of it.", _RESUMED),
    )
    def resume(label: QueryLabel) -> dict[str, list[str]]:
        """With all that it has missed, and so do those that it reads and that read it."""
        catalog.query(label)
        return {"said": processes.change(resume_query, label)}

    @routes.get(
        "/queries/{label}/explain",
        summary="How a query is answered",
        dependencies=[may("read")],
        response_class=Response,
        responses=EXPLAINED,
    )
    def explain(
        label: QueryLabel,
        form: Annotated[ExplanationForm, EXPLAINED_FORM] = "text",
        subject: Annotated[ExplainedSubject, EXPLAINED_SUBJECT] = "plan",
    ) -> Response:
        """Its plan; or its automata, its contexts, what is asked of single events, as pictures."""
        catalog.query(label)
        found = processes.ask(explain_registered, label, form, subject)
        return Response(found.content, media_type=found.media_type)

    return routes


async def text_of(request: Request, settings: Settings, *, empty: bool = False) -> str:
    """A text that is the body of a request, whatever type the request gives it: curl calls all a form.

    Args:
        request: whose body it is.
        settings: of the project.
        empty: whether there may be none.

    Raises:
        ProblemError: 400, it is no UTF-8, or empty; 408, 413, see `read_body`.
    """
    server = settings.server
    body = await read_body(request, server.body_size, server.body_timeout)
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(400, f"the text is no UTF-8: {error}", "send UTF-8") from error
    if not (empty or text.strip()):
        raise ProblemError(400, "there is no text", "send the query as the body of the request")
    return text
