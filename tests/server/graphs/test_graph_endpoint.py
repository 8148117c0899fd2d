"""The Graph Store Protocol over HTTP, with its refusals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kaicep.config import Settings
from support.command_line import PROJECT, wait_for
from support.servers import ask, serving

TURTLE = {"Content_Type": "text/turtle"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the graphs of a dataset: those of modules are tested where they are made."""
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "kaicep.toml").write_text(f"{PROJECT}\n[server.datasets]\nnotes = {{ update = true }}\n")
    with serving(Settings.load(folder)) as found:
        yield f"{found}/datasets/notes/graphs"


def test_names_beyond_ascii_are_escaped_in_the_address(url: str) -> None:
    """Headers have no such letters."""
    made = ask(f"{url}?graph=http://e/%E6%9C%A8%2520", "PUT", "<urn:a> <urn:b> <c> .", **TURTLE)
    assert (made.status, made.headers["location"]) == (201, "http://e/%E6%9C%A8%20")
    assert ask(f"{url}?graph=http://e/%E6%9C%A8%2520", "DELETE").status == 204


def test_a_graph_is_written_read_and_deleted(url: str) -> None:
    made = ask(f"{url}?graph=urn:g", "PUT", "<urn:a> <urn:b> <c> .", **TURTLE)
    assert (made.status, made.headers["location"]) == (201, "urn:g")
    found = ask(f"{url}?graph=urn:g", Accept="application/n-triples")
    assert (found.status, found.text) == (200, "<urn:a> <urn:b> <urn:c> .\n")
    assert ask(f"{url}?graph=urn:g", "PUT", "<urn:d> <urn:e> 1 .", **TURTLE).status == 204
    assert ask(f"{url}?graph=urn:g", "HEAD").headers["content-type"] == "text/turtle; charset=utf-8"
    assert ask(url).json == [{"graph": "urn:g", "triples": 1}]
    assert ask(f"{url}?graph=urn:g", "DELETE").status == 204
    assert [ask(f"{url}?graph=urn:g", method).status for method in ("GET", "HEAD", "DELETE")] == [404, 404, 404]


def test_a_graph_may_be_named_by_its_address(url: str) -> None:
    """Percent signs are part of it."""
    made = ask(f"{url}/a%2Fb/c%20d", "PUT", "<> <urn:b> 1 .", **TURTLE)
    assert (made.status, made.headers["location"]) == (201, f"{url}/a%2Fb/c%20d")
    assert ask(f"{url}/a%2Fb/c%20d", Accept="application/n-triples").text.startswith(f"<{url}/a%2Fb/c%20d> ")
    assert ask(f"{url}/a%2Fb/c%20d", "DELETE").status == 204


def test_a_graph_without_a_name_gets_one(url: str) -> None:
    made = ask(url, "POST", "<urn:a> <urn:b> 1 .", **TURTLE)
    assert made.status == 201
    assert ask(made.headers["location"]).status == 200
    assert ask(made.headers["location"], "DELETE").status == 204


def test_the_default_graph(url: str) -> None:
    assert ask(f"{url}?default", "PUT", "<urn:a> <urn:b> <urn:c> .", **TURTLE).status == 204
    assert ask(f"{url}?default", Accept="application/n-triples").text == "<urn:a> <urn:b> <urn:c> .\n"


def test_who_does_not_want_to_wait_has_a_job(url: str) -> None:
    """What is wrong with the head of the request is told at once, what is wrong with the document by the job."""
    server = url.partition("/datasets")[0]
    asked = ask(f"{url}?graph=urn:later", "PUT", "<urn:a> <urn:b> 1 .", Prefer="respond-async", **TURTLE)
    assert (asked.status, asked.headers["preference-applied"]) == (202, "respond-async")
    job = f"{server}{asked.headers['location']}"
    wait_for(lambda: ask(job).json["state"] == "done")
    assert ask(job).json["result"] == {"graph": "urn:later", "new": True}
    assert ask(f"{url}?graph=urn:later").status == 200
    broken = ask(f"{url}?graph=urn:later", "PUT", "<urn:a> <urn:b", Prefer="respond-async", **TURTLE)
    job = f"{server}{broken.headers['location']}"
    wait_for(lambda: ask(job).json["state"] == "failed")
    assert (ask(job).json["problem"]["status"], ask(job).json["problem"]["place"]["column"]) == (400, 9)
    assert ask(f"{url}?graph=urn:g", "PUT", "x", Prefer="respond-async", Content_Type="image/png").status == 415
    assert ask(f"{url}?graph=urn:later", "DELETE").status == 204


@pytest.mark.parametrize(
    ("method", "names", "headers", "status"),
    [
        ("PUT", "", TURTLE, 400),
        ("DELETE", "", {}, 400),
        ("GET", "?graph=urn:g&graph=urn:h", {}, 400),
        ("GET", "?graph=urn:g&default", {}, 400),
        ("GET", "?graph=no%20iri", {}, 400),
        ("GET", "?default", {"Accept": "image/png"}, 406),
        ("PUT", "?graph=urn:g", {"Content_Type": "image/png"}, 415),
        ("PATCH", "?graph=urn:g", TURTLE, 405),
        ("PUT", "?graph=urn:g", {**TURTLE, "Origin": "https://evil.example"}, 403),
    ],
)
def test_every_refusal_is_a_problem(url: str, method: str, names: str, headers: dict[str, str], status: int) -> None:
    found = ask(f"{url}{names}", method, "<urn:a> <urn:b> 1 .", **headers)
    assert (found.status, found.media_type) == (status, "application/problem+json")


def test_what_is_broken_has_its_place(url: str) -> None:
    found = ask(f"{url}?graph=urn:g", "PUT", "<urn:a> <urn:b", **TURTLE)
    assert (found.status, found.json["place"]["column"]) == (400, 9)
