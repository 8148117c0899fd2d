"""Queries over HTTP: submitted, listed, explained, withdrawn; what is wrong is a problem document."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from kaicep.config import Settings
from support.command_line import HIGH, write_project
from support.servers import ask, serving


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A project of this module's own, without an engine."""
    with serving(Settings.load(write_project(tmp_path_factory.mktemp("queries")))) as found:
        yield found


def test_a_query_comes_and_goes(url: str) -> None:
    done = ask(f"{url}/queries", "POST", HIGH, Content_Type="text/plain")
    assert (done.status, done.json, done.headers["location"]) == (
        201,
        {"labels": ["query1"], "warnings": []},
        "/queries/query1",
    )
    found = ask(f"{url}/queries/query1").json
    assert (found["state"], found["submitted"], found["text"]) == ("waits", True, f"CREATE QUERY query1 AS {HIGH}")
    assert [one["label"] for one in ask(f"{url}/queries").json] == ["high", "query1"]
    assert ask(f"{url}/queries/query1/explain").text.startswith("query query1")
    picture = ask(f"{url}/queries/query1/explain?form=mermaid")
    assert picture.media_type == "text/vnd.mermaid"
    assert ask(f"{url}/queries/query1", "DELETE").status == 204
    assert ask(f"{url}/queries/query1").status == 404
    assert ask(f"{url}/queries/query1", "DELETE").status == 404


def test_a_submission_may_be_json(url: str) -> None:
    body = json.dumps({"text": HIGH, "label": "hot", "retention": "1h"})
    assert ask(f"{url}/queries", "POST", body, Content_Type="application/json").json["labels"] == ["hot"]
    again = ask(f"{url}/queries", "POST", body, Content_Type="application/json")
    assert (again.status, "'hot' already" in again.json["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"text": 1}', "text: "),
        ('{"text": "SELECT", "lable": "x"}', "lable: "),
        ("{", "body: "),
        ('{"text": "SELECT ?e.flow", "retention": "soon"}', "retention: "),
    ],
)
def test_a_submission_that_means_nothing(url: str, body: str, said: str) -> None:
    found = ask(f"{url}/queries", "POST", body, Content_Type="application/json")
    assert found.status == 400
    assert found.json["detail"].startswith(said)


def test_what_is_wrong_is_told_with_its_place(url: str) -> None:
    found = ask(f"{url}/queries", "POST", "SELECT ?e.flow FILTER (?e.flwo > 50)")
    assert (found.status, found.media_type) == (422, "application/problem+json")
    assert (found.json["place"]["line"], found.json["place"]["column"]) == (1, 27)
    assert ask(f"{url}/queries", "POST", "  ").json["detail"] == "there is no text"
    assert ask(f"{url}/queries", "POST", b"\xff").json["detail"].startswith("the text is no UTF-8")


def test_what_cannot_be_done(url: str) -> None:
    assert ask(f"{url}/queries/high", "DELETE").status == 409
    assert ask(f"{url}/queries/high/resume", "POST").status == 409
    assert ask(f"{url}/queries/nobody/resume", "POST").status == 404
    assert ask(f"{url}/queries/high/explain?form=poem").status == 422
    assert ask(f"{url}/queries/high/explain?form=text&subject=automata").status == 400
