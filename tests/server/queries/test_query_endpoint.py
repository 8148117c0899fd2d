"""Queries over HTTP: submitted, listed, explained, withdrawn; what is wrong is a problem document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256

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
    wrong = "SELECT ?e.flow FILTER (?e.flwo > 50)"
    assert ask(f"{url}/queries", "POST", wrong.encode("utf-8-sig")).json["place"]["column"] == 27
    found = ask(f"{url}/queries", "POST", wrong)
    assert (found.status, found.media_type) == (422, "application/problem+json")
    assert (found.json["place"]["line"], found.json["place"]["column"]) == (1, 27)
    assert ask(f"{url}/queries", "POST", "  ").json["detail"] == "there is no text"
    assert ask(f"{url}/queries", "POST", b"\xff").json["detail"].startswith("the text is no UTF-8")


def test_a_query_is_parked_and_resumed(url: str) -> None:
    """Its reason says by whom, as far as that is known."""
    parked = ask(f"{url}/queries/high/park", "POST")
    told = "high: parked when an engine starts, with what reads it, until it is resumed"
    assert (parked.status, parked.json["said"][-1]) == (200, told)
    found = ask(f"{url}/queries/high").json
    assert (found["state"], found["reason"]) == ("parked", "'high' was parked on request")
    again = ask(f"{url}/queries/high/park", "POST")
    assert (again.status, again.media_type, again.json["detail"], again.json["hint"]) == (
        409, "application/problem+json", "'high' is parked already", "kaicep resume high lets it go on"
    )  # fmt: skip
    resumed = ask(f"{url}/queries/high/resume", "POST")
    told = "high: goes on with what it has missed when an engine starts"
    assert (resumed.status, resumed.json) == (200, {"said": [told]})
    assert ask(f"{url}/queries/high").json["state"] == "waits"


def test_who_has_parked_a_query_is_who_the_token_is_of(settings: Settings) -> None:
    """It takes the role `submit`."""
    lines = [
        f'{name} = {{ role = "{role}", token = "sha256:{sha256(role.encode()).hexdigest()}" }}\n'
        for name, role in (("eve", "read"), ("ada", "submit"))
    ]
    with (settings.root / "kaicep.toml").open("a") as file:
        file.write("[server.tokens]\n" + "".join(lines))
    with serving(Settings.load(settings.root)) as url:
        assert ask(f"{url}/queries/high/park", "POST", Authorization="Bearer read").status == 403
        assert ask(f"{url}/queries/high/park", "POST", Authorization="Bearer submit").status == 200
        found = ask(f"{url}/queries/high", Authorization="Bearer read").json
    assert found["reason"] == "'high' was parked by ada"


def test_what_cannot_be_done(url: str) -> None:
    assert ask(f"{url}/queries/high", "DELETE").status == 409
    assert ask(f"{url}/queries/high/resume", "POST").status == 409
    assert ask(f"{url}/queries/nobody/resume", "POST").status == 404
    assert ask(f"{url}/queries/nobody/park", "POST").status == 404
    assert ask(f"{url}/queries/high/explain?form=poem").status == 422
    assert ask(f"{url}/queries/high/explain?form=text&subject=automata").status == 400
