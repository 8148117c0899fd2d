"""Requests to a server, and its problem documents as errors of kaicep."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import urllib3
from pydantic import TypeAdapter

from ...errors import ConfigError, KaicepError, PipelineError, error_of

__all__ = ["REFUSED", "Connection", "RemoteError", "error_of_fields", "error_of_problem", "named"]

_PROBLEM = "application/problem+json"
_TYPE = "urn:kaicep:error:"
REFUSED = 400
_TOKEN = re.compile(r"[!-~]+")
"""Of letters that headers have."""

Value = TypeVar("Value")


class RemoteError(PipelineError):
    """A server is not there, does not answer as one of kaicep, or refuses for a reason that has no kind of its own.

    Attributes:
        status: of HTTP; 0: there was no answer.
    """

    status = 0


class Connection:
    """The requests of one client; threads may share it.

    Args:
        url: of the server.
        token: that is shown; `None`: none is needed.
        timeout: seconds without an answer, or a part of one, after which it is given up.

    Raises:
        ConfigError: that is no address, or has a password in it; the token is none. Neither is repeated.
    """

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        if "@" in url.rpartition("://")[2].partition("/")[0]:
            said = "the address of the server has a password in it, which is sent to nobody"
            raise ConfigError(said, hint="write http://HOST:PORT, and give the token apart, as token= or KAICEP_TOKEN")
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"'{url}' is no address of a server", hint="write http://HOST:PORT, or https://…")
        if token is not None and _TOKEN.fullmatch(token) is None:
            said = "the token has a space, a line break, or a letter that no header has"
            raise ConfigError(said, hint="take the token alone: read from a file, it may end with a line break")
        self.url = url.rstrip("/")
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(connect=10.0, read=timeout))

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        *,
        stream: bool = False,
        refused: bool = True,
    ) -> urllib3.BaseHTTPResponse:
        """Send a request.

        Args:
            method: of HTTP.
            path: begins with `/`; names in it are quoted, see `named`.
            body: of the request.
            headers: beside the token.
            query: parameters; those that are `None` are left out.
            stream: whether the answer is read as it comes.
            refused: whether a refusal is raised.

        Raises:
            KaicepError: the server refuses; the error is the one that it met.
            RemoteError: it does not answer.
        """
        sent = {**self._headers, **(headers or {})}
        if "Accept" in sent:  # else whoever names no JSON is told what is wrong as text, without its place
            sent["Accept"] += f", {_PROBLEM}"
        chosen = {name: value for name, value in (query or {}).items() if value is not None}
        address = f"{self.url}{path}" + (f"?{urlencode(chosen)}" if chosen else "")
        try:
            found = self._pool.request(method, address, body=body, headers=sent, preload_content=not stream)
            if refused and found.status >= REFUSED:
                raise error_of_problem(found.status, found.headers.get("Content-Type", ""), found.data)
        except urllib3.exceptions.HTTPError as error:
            raise RemoteError(
                f"{self.url} does not answer: {error}", hint="see that kaicep serve runs there, and its address"
            ) from error
        return found

    def json(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """The JSON that a request is answered by; a body that is a text is sent as such.

        Raises:
            KaicepError: as `request`.
        """
        headers = {"Accept": "application/json"}
        content: bytes | None = None
        if isinstance(body, str):
            content, headers["Content-Type"] = body.encode(), "text/plain; charset=utf-8"
        elif body is not None:
            content, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        found = self.request(method, path, content, headers, query)
        if not found.data:
            return None
        try:
            return json.loads(found.data)
        except ValueError as error:
            raise RemoteError(
                f"{self.url} is no server of kaicep: {path} is no JSON",
                hint="see its address",
            ) from error

    def value(self, kind: type[Value], path: str, **query: object) -> Value:
        """The value of a kind that is at a path; what a newer server says beyond it is passed over.

        Raises:
            KaicepError: as `request`, or it is no value of that kind.
        """
        return self.value_of(kind, self.json("GET", path, **query), path)

    def value_of(self, kind: type[Value], content: Any, path: str) -> Value:
        """The value of a kind that JSON from a path describes, likewise.

        Raises:
            RemoteError: it is no value of that kind.
        """
        try:
            return TypeAdapter(kind).validate_python(content)
        except ValueError as error:
            raise RemoteError(
                f"{self.url} answers {path} otherwise than this version of kaicep reads it",
                hint="let both be of one version",
            ) from error


def named(name: str) -> str:
    """A name as a part of a path."""
    return quote(name, safe="")


def error_of_problem(status: int, content_type: str, body: bytes) -> KaicepError:
    """The error that a problem document describes."""
    try:
        told = json.loads(body) if content_type.startswith(_PROBLEM) else None
    except ValueError:
        told = None
    if not isinstance(told, dict):
        wrong = RemoteError(f"the server answers with status {status}", hint="see that it is one of kaicep")
        wrong.status = status
        return wrong
    kind = str(told.get("type", "")).removeprefix(_TYPE)
    return error_of_fields({**told, "error": kind, "message": told.get("detail", "")}, status)


def error_of_fields(told: Mapping[str, Any], status: int = 0) -> KaicepError:
    """The error that a server tells of; one that has no kind of its own is a `RemoteError`.

    Args:
        told: `error`, its kind, `message`, and `hint`, `place` and `notes` where there are some.
        status: of HTTP.
    """
    found = error_of({"hint": None, "place": None, **told})
    if type(found) is KaicepError:
        other = RemoteError(found.message, place=found.place, hint=found.hint)
        other.status = status
        for note in told.get("notes", ()):
            other.add_note(note)
        return other
    return found
