"""A SPARQL 1.1 endpoint over HTTP (SPARQL 1.1 Protocol): queries and updates in, answers or the reason why not out."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import urlencode, urlsplit, urlunsplit

import pyoxigraph as ox
import urllib3

from ...errors import ArchiveError, Place
from .store import StoreUnavailableError

AUTHORIZATION = "KAICEP_ENDPOINT_AUTHORIZATION"
"""Environment variable with the text of the `Authorization` header, if the endpoint wants one."""

_RESULTS = ox.QueryResultsFormat.JSON
_TRIPLES = ox.RdfFormat.N_TRIPLES
_ACCEPT = f"{_RESULTS.media_type}, {_TRIPLES.media_type};q=0.9"
_CONNECT_S, _ANSWER_S = 5.0, 300.0
_POLL_S = 0.05
_REFUSED = {401: "wants to know who asks", 403: "refuses", 404: "has nothing there", 405: "takes no such request"}
_SHOWN = 300

Answer = ox.QuerySolutions | ox.QueryBoolean | ox.QuadParser


class AskedWrongError(ArchiveError):
    """The endpoint does not understand a query."""


@dataclass
class Endpoint:
    """Where SPARQL is asked.

    Args:
        queries: URL that takes queries.
        updates: URL that takes updates.
        answer_timeout: seconds that it has to answer.
    """

    queries: str
    updates: str
    answer_timeout: float = _ANSWER_S
    _pool: urllib3.PoolManager = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Updates say what there shall be, so one whose answer was lost may be sent again; who sends decides when.
        self._pool = urllib3.PoolManager(retries=False)

    def ask(
        self,
        text: str,
        options: Sequence[tuple[str, str]] = (),
        *,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Answer:
        """Answer a query.

        Args:
            text: without prefixes of ours.
            options: further parameters of the protocol, such as ("default-graph-uri", …).
            timeout: seconds.
            cancelled: when it is set, the answer is not waited for any longer.

        Raises:
            StoreUnavailableError: there is no answer.
            AskedWrongError: the query is not understood.
            ArchiveError: it takes too long, or was cancelled.
        """
        body = urlencode([("query", text), *options]).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": _ACCEPT}
        if cancelled is None:
            return self._answer(self._post(self.queries, body, headers, timeout))
        return self._answer(self._cancellable(body, headers, timeout, cancelled))

    def update(self, text: str) -> None:
        """Do an update.

        Raises:
            StoreUnavailableError: it is not done, or nobody knows.
        """
        response = self._post(self.updates, text.encode(), {"Content-Type": "application/sparql-update"}, None)
        if not 200 <= response.status < 300:
            self._complain(self.updates, response)

    def close(self) -> None:
        """Close its connections."""
        self._pool.clear()

    def _cancellable(
        self, body: bytes, headers: Mapping[str, str], timeout: float | None, cancelled: threading.Event
    ) -> urllib3.BaseHTTPResponse:
        found: Future[urllib3.BaseHTTPResponse] = Future()

        def post() -> None:
            try:
                found.set_result(self._post(self.queries, body, headers, timeout))
            except ArchiveError as error:
                found.set_exception(error)

        # A daemon: nothing interrupts a request that the endpoint has begun to answer, and nobody waits for it.
        threading.Thread(target=post, name="kaicep-endpoint", daemon=True).start()
        while not wait([found], _POLL_S).done:
            if cancelled.is_set():
                raise ArchiveError("the query was cancelled", place=Place("query"), hint="ask again")
        return found.result()

    def _post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout: float | None
    ) -> urllib3.BaseHTTPResponse:
        address, own = _authorized(url)
        allowed = urllib3.Timeout(connect=_CONNECT_S, read=self.answer_timeout if timeout is None else timeout)
        try:
            return self._pool.request("POST", address, body=body, headers={**headers, **own}, timeout=allowed)
        except urllib3.exceptions.ReadTimeoutError as error:
            if timeout is not None:
                raise ArchiveError(
                    f"no answer within {timeout:g} s",
                    place=Place("query"),
                    hint="ask for a shorter time range, or allow more time",
                ) from error
            raise self._unreachable(url, f"no answer within {self.answer_timeout:g} s") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self._unreachable(url, _reason(error)) from error

    @staticmethod
    def _unreachable(url: str, reason: str) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"the SPARQL endpoint cannot be reached: {reason}",
            place=Place(_shown(url)),
            hint="start it, or correct endpoint under [archive]",
        )

    def _answer(self, response: urllib3.BaseHTTPResponse) -> Answer:
        if response.status == 400:
            raise AskedWrongError(
                f"the query cannot be answered: {_said(response)}",
                place=Place("query"),
                hint="look at the part that the message names",
            )
        if response.status != 200:
            self._complain(self.queries, response)
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        try:
            if (results := ox.QueryResultsFormat.from_media_type(kind)) is not None:
                return ox.parse_query_results(response.data, format=results)
            if (triples := ox.RdfFormat.from_media_type(kind)) is not None:
                return ox.parse(response.data, format=triples)
            reason = f"'{kind or 'nothing'}' is no result of SPARQL"
        except (SyntaxError, ValueError) as error:
            reason = str(error)
        raise StoreUnavailableError(
            f"the SPARQL endpoint answers what cannot be read: {reason}",
            place=Place(_shown(self.queries)),
            hint="see whether endpoint under [archive] is the URL that takes queries",
        )

    @staticmethod
    def _complain(url: str, response: urllib3.BaseHTTPResponse) -> NoReturn:
        what = _REFUSED.get(response.status, "fails")
        said = _said(response)
        hints = {
            401: f"set the environment variable {AUTHORIZATION}",
            403: f"let it be written, or set {AUTHORIZATION}",
        }
        raise StoreUnavailableError(
            f"the SPARQL endpoint {what} (HTTP {response.status}){f': {said}' if said else ''}",
            place=Place(_shown(url)),
            hint=hints.get(response.status, "see its log, and endpoint and endpoint_update under [archive]"),
        )


def update_url(queries: str) -> str:
    """Guess the URL of updates from that of queries: `…/query` and `…/sparql` stand beside `…/update`."""
    parts = urlsplit(queries)
    folder, _, name = parts.path.rpartition("/")
    return urlunsplit(parts._replace(path=f"{folder}/update")) if name in {"query", "sparql"} else queries


def _authorized(url: str) -> tuple[str, dict[str, str]]:
    """The URL without a user, and the header that says who asks."""
    parts = urlsplit(url)
    given = os.environ.get(AUTHORIZATION)
    if given:
        return _shown(url), {"Authorization": given}
    if parts.username is None:
        return url, {}
    user = f"{parts.username}:{parts.password or ''}"
    return _shown(url), dict(urllib3.make_headers(basic_auth=user))


def _shown(url: str) -> str:
    """The URL without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _said(response: urllib3.BaseHTTPResponse) -> str:
    """The first line of what it says."""
    lines = response.data.decode(errors="replace").strip().splitlines()
    return lines[0][:_SHOWN] if lines else ""


def _reason(error: Exception) -> str:
    """What the operating system says of it, without the names of Python's objects."""
    cause = error.__cause__ or error.__context__
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(error).rpartition(": ")[2] or type(error).__name__
