"""`/check` and `/explain`: what is found out about a text that is not registered."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from ...config import Settings
from ..access import may
from ..problem_document import answers
from ..request_parameters import EXPLAINED_FORM, EXPLAINED_SUBJECT
from .project_processes import ProjectProcesses
from .query_check import CheckedText, TextProblem, check_text
from .query_endpoint import EXPLAINED, text_of
from .query_explanation import ExplainedSubject, ExplanationForm, explain_text

__all__ = ["check_routes"]

_TEXT = "SELECT ?e.flow FILTER (?e.flwo > 50)"
_BODY = {
    "description": "χ-CEP.",
    "required": True,
    "content": {"text/plain": {"schema": {"type": "string"}, "example": _TEXT}},
}
_SHOWN = (
    "query:1:27: unknown attribute 'flwo' of stream 'air'\n"
    f"  1 | {_TEXT}\n"
    "    |                           ^^^^ did you mean 'flow'?"
)
_PROBLEM = TextProblem("unknown attribute 'flwo' of stream 'air'", "did you mean 'flow'?", 1, 27, 1, 31, _SHOWN)
_FOUND = answers(
    200, "Whether it is valid, and what is wrong with it.", CheckedText(valid=False, problems=(_PROBLEM,)), CheckedText
)


def check_routes(settings: Settings, processes: ProjectProcesses) -> APIRouter:
    """The routes for texts as somebody types them.

    Args:
        settings: of the project.
        processes: that look at the text.
    """
    routes = APIRouter(tags=["queries"])
    body: dict[str, Any] = {"requestBody": _BODY}

    @routes.post(
        "/check",
        summary="Check a text",
        dependencies=[may("read")],
        openapi_extra=body,
        responses=_FOUND,
    )
    async def check(request: Request) -> CheckedText:
        """Always 200: what is wrong with it stands in the answer, with line and column."""
        return await run_in_threadpool(processes.ask, check_text, await text_of(request, settings, empty=True))

    @routes.post(
        "/explain",
        summary="How a text would be answered",
        dependencies=[may("read")],
        response_class=Response,
        openapi_extra=body,
        responses=EXPLAINED,
    )
    async def explain(
        request: Request,
        form: Annotated[ExplanationForm, EXPLAINED_FORM] = "text",
        subject: Annotated[ExplainedSubject, EXPLAINED_SUBJECT] = "plan",
    ) -> Response:
        """As it would be if it were registered now; nothing is."""
        text = await text_of(request, settings)
        found = await run_in_threadpool(processes.ask, explain_text, text, form, subject)
        return Response(found.content, media_type=found.media_type)

    return routes
