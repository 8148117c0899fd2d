"""`/try` and `/jobs`: long work, how far it is, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...config import Settings
from ..access import may
from ..problem_document import PROBLEM_RESPONSES, answers
from ..request_body import parse_body, read_body
from ..request_parameters import JobId
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
_JOB = Job("9f86d081884c7d659a2feaa0c55ad015", "try", "running", datetime(2026, 6, 1, 8, tzinfo=UTC), 0.25)
_DONE = Job(_JOB.id, "try", "done", _JOB.created, 1.0, _RESULT)


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
        responses=answers(202, "The job, which is at `Location`.", {"job": _JOB.id}, dict[str, str]),
    )
    async def try_query(request: Request, response: Response) -> dict[str, str]:
        """What it would have found in the last hour, or of any time; nothing is registered.

        It is a job, whose result has the first 1,000 rows, the calls that rules would make, and the mapping report.
        """
        body = await read_body(request, settings.server.body_size, settings.server.body_timeout)
        trial = parse_body(_Trial, body, 'send {"text": "SELECT …", "last": "1h"}')
        span = TrialSpan(trial.last, trial.start, trial.end)
        span.check()
        job = jobs.begin("try", try_past, settings, trial.text, span)
        response.headers["Location"] = f"/jobs/{job.id}"
        return {"job": job.id}

    @routes.get(
        "/jobs",
        summary="List the jobs",
        dependencies=[may("read")],
        responses=answers(200, "The jobs.", [_JOB], list[Job]),
    )
    def all_jobs() -> list[Job]:
        """The newest first, without their results; those that are over for an hour are gone."""
        return jobs.jobs()

    @routes.get(
        "/jobs/{id}",
        summary="One job",
        dependencies=[may("read")],
        responses=answers(200, "The job; with its `result`, where it is done.", _DONE, Job),
    )
    def one_job(id: JobId) -> Job:  # noqa: A002 - so the address calls it
        """How far it is, and what came of it."""
        return jobs.job(id)

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
        """At once; one that is over is forgotten."""
        jobs.cancel(id)

    return routes
