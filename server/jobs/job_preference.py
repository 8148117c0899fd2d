"""Whoever does not want to wait for an answer has a job instead (RFC 7240, 4.1: `Prefer: respond-async`)."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse

from .job_queue import Job

__all__ = ["JOB_PREFERENCE", "job_answer", "prefers_job"]

_WANTED = "respond-async"
JOB_PREFERENCE: dict[str, Any] = {
    "name": "Prefer",
    "in": "header",
    "description": "`respond-async`: the answer is a job, at `Location`.",
    "schema": {"type": "string"},
    "example": _WANTED,
}
"""The header, as OpenAPI describes it."""


def prefers_job(request: Request) -> bool:
    """Whether whoever asks does not want to wait."""
    said = ",".join(request.headers.getlist("Prefer")).lower()
    return _WANTED in (one.partition(";")[0].strip() for one in said.split(","))


def job_answer(job: Job) -> JSONResponse:
    """202, with the address of the job."""
    return JSONResponse({"job": job.id}, 202, {"Location": f"/jobs/{job.id}", "Preference-Applied": _WANTED})
