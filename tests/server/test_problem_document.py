"""Every error is a problem document with the language's place and caret, or the text of one."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from kaicep.errors import ArchiveError, Place, QuerySyntaxError
from kaicep.server.problem_document import problem_response
from support.servers import ask


def test_a_place_is_told_with_its_caret() -> None:
    error = QuerySyntaxError("this is no query", place=Place.at("query", "SELECT ?", 7, 8), hint="name a variable")
    found = json.loads(bytes(problem_response(400, error).body))
    assert found == {
        "type": "urn:kaicep:error:QuerySyntaxError",
        "title": "Bad Request",
        "status": 400,
        "detail": "this is no query",
        "hint": "name a variable",
        "place": {"source": "query", "line": 1, "column": 8, "length": 1, "text": "SELECT ?"},
        "text": "query:1:8: this is no query\n  1 | SELECT ?\n    |        ^ name a variable",
    }


def test_notes_are_told() -> None:
    error = ArchiveError("it is damaged")
    error.add_note("and there is more")
    assert json.loads(bytes(problem_response(503, error).body))["notes"] == ["and there is more"]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", "application/problem+json"),
        ("*/*", "application/problem+json"),
        ("application/json", "application/problem+json"),
        ("application/json;q=0.9,text/plain", "application/problem+json"),
        ("text/csv, Application/Problem+JSON;q=0.1", "application/problem+json"),
        ("application/*, text/csv", "application/problem+json"),
        ("application/sparql-results+json,*/*;q=0.9", "text/plain"),
        ("text/turtle", "text/plain"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/plain"),
    ],
)
def test_whoever_names_forms_and_no_json_is_sent_text(plain_url: str, accept: str, form: str) -> None:
    found = ask(f"{plain_url}/nothing", Accept=accept)
    assert (found.status, found.media_type, found.headers["vary"]) == (404, form, "Accept")
    text = "there is nothing at /nothing: GET /openapi.json says what there is"
    assert (found.json["text"] if form != "text/plain" else found.text) == text


def test_a_text_has_notes_and_headers_too() -> None:
    error = ArchiveError("it is damaged")
    error.add_note("and there is more")
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"accept", b"text/csv")]}
    asyncio.run(problem_response(503, error, {"Retry-After": "5"})(scope, None, send))  # type: ignore[arg-type]  # none
    assert (b"retry-after", b"5") in sent[0]["headers"]
    assert sent[1]["body"] == b"it is damaged\nand there is more"


def test_what_is_not_there_is_a_problem_too(plain_url: str) -> None:
    found = ask(f"{plain_url}/nothing")
    assert (found.status, found.media_type) == (404, "application/problem+json")
    assert found.json["detail"] == "there is nothing at /nothing"
    found = ask(f"{plain_url}/health", "DELETE")
    assert (found.status, found.headers["allow"]) == (405, "GET, HEAD")
    assert found.json["detail"] == "DELETE is not for this resource"
    assert ask(f"{plain_url}/queries", "PUT").headers["allow"] == "GET, HEAD, POST"
    assert ask(f"{plain_url}/graphs/a/b", "PATCH").headers["allow"] == "DELETE, GET, HEAD, POST, PUT"
    assert ask(f"{plain_url}/", "PUT").headers["allow"] == "GET, HEAD"
