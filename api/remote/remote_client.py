"""The client of a server: what `kaicep serve` gives over HTTP, as calls and values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import urllib3

from ...pipeline.monitoring import EngineStatus, status_of
from .knowledge_client import KnowledgeClient
from .remote_answers import (
    RemoteCheck,
    RemoteQuery,
    RemoteRow,
    RemoteRows,
    RemoteSubmission,
    RemoteTrial,
    answer_of,
)
from .remote_connection import Connection, named
from .remote_events import following_rows
from .remote_jobs import Hearing, JobClient, begun, job_of, job_result
from .stream_client import StreamClient

__all__ = ["Client"]

_JSON_RESULTS = "application/sparql-results+json"

Form = Literal["text", "json", "mermaid", "dot", "svg"]


class Client(JobClient, StreamClient, KnowledgeClient):
    """A server of a project; threads may share it.

    Errors of the server are raised as those of kaicep, with place and hint: `QueryTypeError`, `OntologyError`, …

    Args:
        url: of the server, `http://127.0.0.1:8080`.
        token: that it knows; `None`: it demands none.
        timeout: seconds without an answer after which a request is given up.

    Raises:
        ConfigError: that is no address, or has a password in it; the token is none.

    Example:
        >>> client = Client("http://127.0.0.1:8080")  # doctest: +SKIP
        >>> client.submit("SELECT ?e.flow FILTER (?e.flow > 500)", label="high")  # doctest: +SKIP
        >>> for row in client.rows("high"):  # doctest: +SKIP
        ...     print(row.row)
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 300.0) -> None:
        self._connection = Connection(url, token, timeout)

    def queries(self) -> tuple[RemoteQuery, ...]:
        """The registered queries."""
        return tuple(answer_of(RemoteQuery, one) for one in self.get("/queries"))

    def query(self, label: str) -> RemoteQuery:
        """One of them."""
        return answer_of(RemoteQuery, self.get(f"/queries/{named(label)}"))

    def submit(
        self, text: str, *, label: str | None = None, retention: str | None = None, backfill: bool = False
    ) -> RemoteSubmission:
        """Register the queries of a document, until they are withdrawn.

        Args:
            text: χ-CEP.
            label: the name of its query that has none.
            retention: bounds the state of queries that no WINDOW bounds, such as `1h`.
            backfill: whether queries without WITHIN are answered over all that the archive has.

        Raises:
            QuerySyntaxError, QueryTypeError: it is refused, with the place and the way out.
            PipelineError: it contradicts what is registered.
        """
        body = {"text": text, "label": label, "retention": retention, "backfill": backfill}
        return answer_of(RemoteSubmission, self._connection.json("POST", "/queries", body))

    def withdraw(self, label: str) -> None:
        """Answer a query no more that was submitted."""
        self._connection.json("DELETE", f"/queries/{named(label)}")

    def park(self, label: str) -> tuple[str, ...]:
        """Answer a query no more until it is resumed, and lose nothing of it; what happened, in lines.

        Raises:
            PipelineError: there is none, or it is parked already, or has ended.
        """
        return tuple(self._connection.json("POST", f"/queries/{named(label)}/park")["said"])

    def resume(self, label: str) -> tuple[str, ...]:
        """Let a parked query go on; what happened, in lines."""
        return tuple(self._connection.json("POST", f"/queries/{named(label)}/resume")["said"])

    def check(self, text: str) -> RemoteCheck:
        """Check a document; what is wrong with it stands in the answer."""
        return RemoteCheck.of(self._connection.json("POST", "/check", text))

    def explain(self, text: str, *, form: Form = "text", subject: str = "plan") -> str:
        """How a document would be answered.

        Args:
            text: χ-CEP.
            form: `text`, `json`, or a picture: `mermaid`, `dot`, `svg`.
            subject: `plan`; or `automata`, `contexts`, `filters`, as pictures.
        """
        query = {"form": form, "subject": subject}
        return self._connection.request("POST", "/explain", text.encode(), {}, query).data.decode()

    def explain_query(self, label: str, *, form: Form = "text", subject: str = "plan") -> str:
        """How a registered query is answered; as `explain`."""
        query = {"form": form, "subject": subject}
        return self._connection.request("GET", f"/queries/{named(label)}/explain", query=query).data.decode()

    def matches(
        self, label: str, *, after: str | None = None, limit: int = 1000, last: int | None = None
    ) -> RemoteRows:
        """Rows of a query, the oldest first.

        Args:
            label: of the query.
            after: `next` of the rows before, or the `_id` of a row; `None`: from the first row.
            limit: so many at most.
            last: so many of the newest, instead.
        """
        path = f"/queries/{named(label)}/matches"
        return answer_of(RemoteRows, self.get(path, after=after, limit=limit if last is None else None, last=last))

    def rows(self, label: str, *, after: str | None = None) -> Iterator[RemoteRow]:
        """Rows of a query as they come, each once, over interruptions; for ever.

        Args:
            label: of the query.
            after: `next` of `matches`, or the `id` of a `RemoteRow`; `None`: those that are new from now on; `0`: all.
        """
        return following_rows(self._connection, f"/queries/{named(label)}/rows", after)

    def ask(self, text: str) -> RemoteRows:
        """Ask once what registered queries hold: STATE, PARTIAL and CONTEXTS."""
        return answer_of(RemoteRows, self._connection.json("POST", "/ask", text))

    def try_query(
        self,
        text: str,
        *,
        last: str | None = None,
        start: str | None = None,
        end: str | None = None,
        told: Hearing = lambda _: None,
    ) -> RemoteTrial:
        """What a document would have found in a time of the archive; waits until that is known.

        Args:
            text: χ-CEP.
            last: how far back from the newest event, such as `1h`.
            start: a moment, or `now - 1h`, instead.
            end: a moment behind the last event.
            told: hears how far it is; who is interrupted meanwhile cancels it.
        """
        body = {"text": text, "last": last, "from": start, "to": end}
        job = self._connection.json("POST", "/try", {name: value for name, value in body.items() if value is not None})
        return answer_of(RemoteTrial, job_result(self._connection, job["job"], told))

    def sparql(self, query: str, *, told: Hearing | None = None) -> RemoteRows | bool | str:
        """Ask the archive.

        Args:
            query: SPARQL.
            told: it is a job, which may take longer than other answers, and this hears of it; `None`: it is none.

        Returns:
            The solutions of a SELECT, each value as text; a boolean of ASK; Turtle of CONSTRUCT and DESCRIBE.
        """
        headers = {"Content-Type": "application/sparql-query", "Accept": f"{_JSON_RESULTS}, text/turtle;q=0.5"}
        found = self._asked("/sparql", query.encode(), headers, told)
        if not found.headers.get("Content-Type", "").startswith(_JSON_RESULTS):
            return found.data.decode()
        answer = json.loads(found.data)
        if "boolean" in answer:
            return bool(answer["boolean"])
        names, bindings = tuple(answer["head"]["vars"]), answer["results"]["bindings"]
        rows = ({name: one[name]["value"] if name in one else None for name in names} for one in bindings)
        return RemoteRows(names, tuple(rows))

    def _asked(
        self, path: str, body: bytes, headers: Mapping[str, str], told: Hearing | None
    ) -> urllib3.BaseHTTPResponse:
        if told is None:
            return self._connection.request("POST", path, body, headers)
        found = begun(self._connection, "POST", path, body, headers)
        job = job_of(found)
        if job is None:
            return found
        job_result(self._connection, job, told)
        return self._connection.request("GET", f"/jobs/{named(job)}/result")

    def post_events(self, stream: str, events: Sequence[Mapping[str, Any]]) -> int:
        """Post events to a stream; durable when this returns, and known by their identity when they come again.

        Returns:
            How many were taken: all.
        """
        body = self._connection.json("POST", f"/streams/{named(stream)}/events", list(events))
        return int(body["accepted"])

    def status(self) -> EngineStatus:
        """How the engine fares: what `kaicep status --json` prints.

        Raises:
            PipelineError: no engine has run yet, or it is of another version.
        """
        return status_of(self.get("/status"))

    def get(self, path: str, **query: object) -> Any:
        """What else the server tells as JSON: `/vocabulary`, `/examples`, …; see its `/openapi.json`."""
        return self._connection.json("GET", path, **query)
