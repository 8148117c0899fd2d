"""`/try` and `/jobs`: long work, how far it is, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from ...config import Settings
from ...errors import error_of
from ..access import may
from ..problem import ProblemError
from ..problem_document import PROBLEM_RESPONSES, answers
from ..request_body import parse_body, read_body
from ..request_parameters import JobId
from ..sparql import GRAPH_TYPES, RESULT_TYPES, with_charset
from .job_kind import TRIAL
from .job_queue import Job, JobQueue
from .past_trial import TrialSpan, try_past

__all__ = ["job_routes"]

_TEXT = "SELECT ?e.sensor AS sensor, ?e.flow AS flow FILTER (?e.flow > 50)"
_RESULT = {
    "query": "query",
    "columns": ["sensor", "flow", "_time", "_events", "_id"],
    "rows": [],
    "count": 0,
    "calls": {},
    "events": {"air": 1200},
    "mapping": {"streams": [], "queries": []},
    "warnings": [],
}
_JOB = Job(
    "9f86d081884c7d659a2feaa0c55ad015",
    "upload",
    "running",
    datetime(2026, 6, 1, 8, tzinfo=UTC),
    0.05,
    stage="reasoning",
    about="https://example.org/rooms",
)
_DONE = Job("60303ae22b998861bce3b28f33eec1be", "try", "done", _JOB.created, 1.0, _RESULT, about=_TEXT)
_DOCUMENTS = {
    RESULT_TYPES[0]: '{"head": {"vars": ["s"]}, "results": {"bindings": []}}',
    "text/csv": "s\r\nurn:ex:s1\r\n",
    GRAPH_TYPES[0]: "<urn:ex:s1> a <urn:ex:Thermometer> .\n",
}
_RESULTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "What was asked for: JSON, or a document.",
        "content": {
            "application/json": {"example": _RESULT},
            **{media: {"schema": {"type": "string"}, "example": text} for media, text in _DOCUMENTS.items()},
        },
    },
    **PROBLEM_RESPONSES,
}


class _Trial(BaseModel):
    """What is tried: over the last hour, say, or from a moment to another one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": _TEXT, "last": "1h"}]})

    text: str = Field(min_length=1, description="χ-CEP; of several queries the rows of the last one are told.")
    last: str | None = Field(None, description="How far back from the newest event, such as 1h or 1d.")
    start: str | None = Field(None, alias="from", description="A moment, or now - 1h; now is the newest event's time.")
    end: str | None = Field(None, alias="to", description="A moment behind the last event.")


_BODY = {
    "description": "What is tried, and over which time.",
    "required": True,
    "content": {
        "application/json": {"schema": _Trial.model_json_schema(), "example": {"text": _TEXT, "last": "1h"}},
    },
}


def job_routes(settings: Settings, jobs: JobQueue) -> APIRouter:
    """The routes of long work.

    Args:
        settings: of the project.
        jobs: that do it.
    """
    routes = APIRouter(tags=["jobs"])

    @routes.post(
        "/try",
        status_code=202,
        summary="Try a query on the archive",
        dependencies=[may("read")],
        openapi_extra={"requestBody": _BODY},
        responses=answers(202, "The job, which is at `Location`.", {"job": _DONE.id}, dict[str, str]),
    )
    async def try_query(request: Request, response: Response) -> dict[str, str]:
        """What it would have found in the last hour, or of any time; nothing is registered.

        It is a job, whose result has the first 1,000 rows, the calls that rules would make, and the mapping report.
        """
        body = await read_body(request, settings.server.body_size, settings.server.body_timeout)
        trial = parse_body(_Trial, body, 'send {"text": "SELECT …", "last": "1h"}')
        span = TrialSpan(trial.last, trial.start, trial.end)
        span.check()
        job = jobs.begin(TRIAL, try_past, settings, trial.text, span, about=trial.text)
        response.headers["Location"] = f"/jobs/{job.id}"
        return {"job": job.id}

    @routes.get(
        "/jobs",
        summary="List the jobs",
        dependencies=[may("read")],
        responses=answers(200, "The jobs.", [_JOB], list[Job]),
    )
    def all_jobs() -> list[Job]:
        """The newest first, without their results; those that are over for an hour, or of a server before, are gone."""
        return jobs.jobs()

    @routes.get(
        "/jobs/{id}",
        summary="One job",
        dependencies=[may("read")],
        responses=answers(200, "The job; with its `result`, where it is done.", _DONE, Job),
    )
    def one_job(id: JobId) -> Job:  # noqa: A002 - so the address calls it
        """How far it is, what it is at, and what came of it."""
        return jobs.job(id)

    @routes.get(
        "/jobs/{id}/result",
        summary="What came of a job",
        dependencies=[may("read")],
        response_class=Response,
        responses=_RESULTS,
    )
    def result(id: JobId) -> Response:  # noqa: A002 - likewise
        """What had been answered without `Prefer`, or what the job tells; of one that has failed its problem."""
        job = jobs.job(id)
        if job.state == "failed":
            problem = {"error": "KaicepError", "place": None, "hint": None, **(job.problem or {})}
            raise ProblemError(problem["status"], error_of({**problem, "message": problem["detail"]}))
        if job.state != "done":
            raise ProblemError(409, f"the job is {job.state}", "GET /jobs/ID tells when it is done")
        document = jobs.document(id)
        if document is None:
            return JSONResponse(job.result)
        return FileResponse(document, media_type=with_charset(job.result["media_type"]))

    @routes.delete(
        "/jobs/{id}",
        status_code=204,
        summary="End a job",
        dependencies=[may("read")],
        response_class=Response,
        response_description="The job is ended, or forgotten.",
        responses=PROBLEM_RESPONSES,
    )
    def cancel(id: JobId) -> None:  # noqa: A002 - likewise
        """At once, and nothing of it has happened; one that is over is forgotten.

        A change that has begun, its stage is `writing` then, is finished.
        """
        jobs.cancel(id)

    return routes
