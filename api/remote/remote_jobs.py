"""Long work of a server: begun, heard of until it has ended, and ended when nobody waits for it any more."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, TypeVar

import urllib3

from ...errors import KaicepError
from .remote_answers import RemoteJob, answer_of
from .remote_connection import Connection, error_of_fields, named

__all__ = ["Hearing", "JobClient", "asked_value", "begun", "job_of", "job_result"]

Hearing = Callable[[RemoteJob], object]
"""Hears how far a job is; what it raises cancels the job."""

Value = TypeVar("Value")

_LATER = {"Prefer": "respond-async"}
_POLLS_S = (0.05, 0.1, 0.2)
_POLL_S = 0.5


class JobClient:
    """The calls about long work; a `Client` has them."""

    _connection: Connection

    def jobs(self) -> tuple[RemoteJob, ...]:
        """Long work, the newest first, without results."""
        return tuple(answer_of(RemoteJob, one) for one in self._connection.json("GET", "/jobs"))

    def job(self, name: str) -> RemoteJob:
        """One of them."""
        return _job(self._connection, name)

    def cancel(self, name: str) -> None:
        """End one, nothing of which has happened then; one that is over is forgotten.

        Raises:
            PipelineError: it is a change that has begun, and is finished; or of somebody else.
        """
        self._connection.json("DELETE", f"/jobs/{named(name)}")

    def finish(self, name: str, told: Hearing = lambda _: None) -> Any:
        """Wait for a job, also one that another client has begun; its result.

        Args:
            name: its id.
            told: hears how far it is; who is interrupted meanwhile cancels it.

        Raises:
            KaicepError: it has failed, by the error that it met, or was cancelled; or the server knows none of that id.
        """
        return job_result(self._connection, name, told)


def begun(
    connection: Connection,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    query: Mapping[str, object] | None = None,
) -> urllib3.BaseHTTPResponse:
    """Ask for something without waiting for it: the answer, if the server has one at once; otherwise see `job_of`."""
    return connection.request(method, path, body, {**_LATER, **(headers or {})}, query)


def job_of(found: urllib3.BaseHTTPResponse) -> str | None:
    """The id of the job that does what was asked for; `None`: it is done already."""
    return found.headers["Location"].rpartition("/")[2] if found.status == 202 else None


def asked_value(
    connection: Connection, kind: type[Value], path: str, query: Mapping[str, object], told: Hearing | None
) -> Value:
    """The value of a kind at a path, by a job if somebody hears of it; see `Connection.value`."""
    if told is None:
        return connection.value(kind, path, **query)
    found = begun(connection, "GET", path, query=query)
    job = job_of(found)
    return connection.value_of(kind, found.json() if job is None else job_result(connection, job, told), path)


def job_result(connection: Connection, name: str, told: Hearing) -> Any:
    """The result of a job as soon as it is done; see `JobClient.finish`."""
    try:
        for pause in chain(_POLLS_S, repeat(_POLL_S)):
            job = _job(connection, name)
            told(job)
            if job.state not in ("waiting", "running"):
                return _result(job)
            time.sleep(pause)
    except KaicepError:
        raise
    except BaseException as stop:  # whoever waits does so no more: as by Ctrl-C
        with suppress(KaicepError):
            stop.add_note(_cancelled(connection, name))
        raise


def _job(connection: Connection, name: str) -> RemoteJob:
    return answer_of(RemoteJob, connection.json("GET", f"/jobs/{named(name)}"))


def _result(job: RemoteJob) -> Any:
    if job.state == "done":
        return job.result
    problem = job.problem or {"detail": "it was cancelled"}
    raise error_of_fields({"error": "PipelineError", **problem, "message": problem["detail"]})


def _cancelled(connection: Connection, name: str) -> str:
    """Cancel a job; what has become of it, in words."""
    try:
        connection.json("DELETE", f"/jobs/{named(name)}")
    except KaicepError as error:
        return f"the job {name} goes on: {error}"
    return "it was cancelled at the server: nothing has changed there"
