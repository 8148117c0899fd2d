"""Every error is a problem document with the language's place and caret."""

from __future__ import annotations

import json

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


def test_what_is_not_there_is_a_problem_too(plain_url: str) -> None:
    found = ask(f"{plain_url}/nothing")
    assert (found.status, found.media_type) == (404, "application/problem+json")
    assert found.json["detail"] == "there is nothing at /nothing"
    found = ask(f"{plain_url}/health", "DELETE")
    assert (found.status, found.headers["allow"]) == (405, "GET, HEAD")
    assert found.json["detail"] == "DELETE is not for this resource"
    assert ask(f"{plain_url}/queries", "PUT").headers["allow"] == "GET, POST"
    assert ask(f"{plain_url}/graphs/a/b", "PATCH").headers["allow"] == "DELETE, GET, HEAD, POST, PUT"
    assert ask(f"{plain_url}/", "PUT").headers["allow"] == "GET, HEAD"
