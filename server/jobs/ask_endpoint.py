"""`/ask`: what registered queries hold, between two batches."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from ...config import Settings
from ..access import may
from ..problem_document import answers
from ..queries import ProjectProcesses, text_of
from .asked_states import AskedRows, ask_once

__all__ = ["ask_routes"]

_TEXT = "SELECT COUNT(?p) AS n FROM (?p, PARTIAL(orders))"
_BODY = {
    "description": "χ-CEP.",
    "required": True,
    "content": {"text/plain": {"schema": {"type": "string"}, "example": _TEXT}},
}
_FOUND = answers(200, "The rows.", AskedRows(("n",), ({"n": 3},)), AskedRows)


def ask_routes(settings: Settings, processes: ProjectProcesses) -> APIRouter:
    """The route for questions that are asked once.

    Args:
        settings: of the project.
        processes: that ask the engine.
    """
    routes = APIRouter(tags=["queries"])

    @routes.post(
        "/ask",
        summary="Ask what queries hold",
        dependencies=[may("read")],
        openapi_extra={"requestBody": _BODY},
        responses=_FOUND,
    )
    async def ask(request: Request) -> AskedRows:
        """STATE, PARTIAL and CONTEXTS of registered queries, as `kaicep ask`; nothing is registered, no batch waits."""
        return await run_in_threadpool(processes.ask, ask_once, await text_of(request, settings))

    return routes
