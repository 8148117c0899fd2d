"""Whoever does not want to wait for an answer has a job instead (RFC 7240, 4.1: `Prefer: respond-async`)."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse

__all__ = ["JOB_BEGUN", "JOB_PREFERENCE", "job_answer", "prefers_job"]

_WANTED = "respond-async"
JOB_PREFERENCE: dict[str, Any] = {
    "name": "Prefer",
    "in": "header",
    "description": "`respond-async`: the answer is a job, at `Location`.",
    "schema": {"type": "string"},
    "example": _WANTED,
}
"""The header, as OpenAPI describes it."""
JOB_BEGUN: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "A job does it, at `Location`: whoever asked does not want to wait (`Prefer`).",
        "content": {"application/json": {"schema": {"type": "object"}, "example": {"job": "9f86d081884c7d65"}}},
    },
}
"""The answer, likewise."""


def prefers_job(request: Request) -> bool:
    """Whether whoever asks does not want to wait."""
    said = ",".join(request.headers.getlist("Prefer")).lower()
    return _WANTED in (one.partition(";")[0].strip() for one in said.split(","))


def job_answer(job: str) -> JSONResponse:
    """202, with the address of the job of an id."""
    return JSONResponse({"job": job}, 202, {"Location": f"/jobs/{job}", "Preference-Applied": _WANTED})
