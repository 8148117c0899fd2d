"""The Graph Store Protocol over HTTP, with its refusals."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.config import Settings
from support.command_line import PROJECT, wait_for, write_project
from support.servers import ask, serving

TURTLE = {"Content_Type": "text/turtle"}
FORM = {"Content_Type": "multipart/form-data; boundary=cut"}
RDF_XML, JSON_LD = {"Content_Type": "application/rdf+xml"}, {"Content_Type": "application/ld+json"}
OWL = "http://www.w3.org/2002/07/owl#"
RDF = (
    '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">'
    '<r:Description r:about="urn:s"><e:p>&x;</e:p></r:Description></r:RDF>'
)


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
    assert ask(f"{url}/a%0Ab", "PUT", "<> <urn:b> 1 .", **TURTLE).headers["location"] == f"{url}/a%0Ab"
    assert [ask(f"{url}/a%0Ab", method).status for method in ("GET", "DELETE", "GET")] == [200, 204, 404]


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
        ("GET", "?default", {"Accept": "image/png, application/problem+json"}, 406),
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


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of the ontology modules of a project."""
    folder = write_project(tmp_path_factory.mktemp("modules"))
    with (folder / "kaicep.toml").open("a") as file:
        file.write('[server]\nbody_size = "20 kB"\n')
    with serving(Settings.load(folder)) as found:
        yield f"{found}/graphs"


def test_a_form_of_several_documents_is_one_graph(modules: str) -> None:
    """As a browser sends files, and curl with --form."""
    body = (
        "--cut\r\nContent-Disposition: form-data; name=a; filename=a.ttl\r\nContent-Type: text/turtle\r\n\r\n"
        "<urn:a> <urn:b> 'ä' .\r\n--cut\r\nContent-Disposition: form-data; name=b; filename=b.nt\r\n"
        "Content-Type: application/n-triples\r\n\r\n<urn:c> <urn:d> <urn:e> .\r\n--cut--\r\n"
    )
    made = ask(modules, "POST", body.encode(), **FORM)
    assert made.status == 201
    found = ask(made.headers["location"], Accept="application/n-triples").text.splitlines()
    assert sorted(found) == ['<urn:a> <urn:b> "ä" .', "<urn:c> <urn:d> <urn:e> ."]
    assert ask(modules, "POST", body.replace("<urn:e>", "<urn").encode(), **FORM).status == 400
    assert ask(made.headers["location"], "DELETE").status == 204


def test_a_file_that_is_sent_to_two_names_of_the_server_is_one_module(modules: str) -> None:
    """By its address, or by its name there; a name of another host is another graph."""
    port = modules.rpartition(":")[2].partition("/")[0]
    other = {"Host": f"localhost:{port}"}
    made = ask(f"{modules}/rooms.ttl", "PUT", "<> <urn:b> <urn:c> .", **TURTLE)
    assert (made.status, made.headers["location"]) == (201, f"{modules}/rooms.ttl")
    assert ask(f"{modules}/rooms.ttl", "PUT", "<> <urn:b> <urn:c>, <urn:d> .", **TURTLE, **other).status == 204
    (known,) = ask(modules).json
    assert (known["module"], known["triples"]) == (f"{modules}/rooms.ttl", 2)
    there = f"http://localhost:{port}/graphs/rooms.ttl"
    found = [
        ask(f"{modules}?graph={there}", **other),
        ask(f"{modules}/rooms.ttl", **other),
        ask(f"{modules}/rooms.ttl"),
    ]
    assert [(one.status, one.body) for one in found] == 3 * [(200, found[0].body)]
    assert ask(f"{modules}?graph={there}").status == 404
    assert ask(f"{modules}?graph=https://e.example/graphs/rooms.ttl", "DELETE").status == 404
    assert ask(f"{modules}?graph={there}", "DELETE", **other).status == 204
    assert ask(modules).json == []


def test_nothing_that_a_document_names_is_fetched(modules: str) -> None:
    """Imports are done without; entities and contexts from elsewhere are refused. Who has them is not even asked."""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        there = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/there"
        imports = f"<urn:o> a <{OWL}Ontology> ; <{OWL}imports> <{there}> ."
        assert ask(f"{modules}?graph=urn:o", "PUT", imports, **TURTLE).status == 201
        for place in (there, "file:///etc/passwd"):
            outside = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{place}">]>{RDF}'
            assert ask(f"{modules}?graph=urn:x", "PUT", outside, **RDF_XML).status == 400
        assert ask(f"{modules}?graph=urn:x", "PUT", f'<!DOCTYPE r SYSTEM "{there}">{RDF}', **RDF_XML).status == 400
        context = f'{{"@context": "{there}", "@id": "urn:s", "p": 1}}'
        assert ask(f"{modules}?graph=urn:x", "PUT", context, **JSON_LD).status == 400
        assert [one["module"] for one in ask(modules).json] == ["urn:o"]
        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    assert ask(f"{modules}?graph=urn:o", "DELETE").status == 204


def test_a_document_that_is_too_large_is_refused(modules: str) -> None:
    found = ask(f"{modules}?graph=urn:g", "PUT", "#" * 20_001, **TURTLE)
    assert (found.status, found.json["hint"]) == (413, "send less at once, or let body_size under [server] be more")
    assert ask(f"{modules}?graph=urn:g", "PUT", "#" * 20_000, **TURTLE).status == 201
    assert ask(f"{modules}?graph=urn:g", "DELETE").status == 204


def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    """One that is small, and from which millions of statements follow: nothing of it is kept."""
    chain = "".join(f"<urn:{n}> <urn:p> <urn:{n + 1}> . " for n in range(3_000))
    folder = write_project(tmp_path)
    with (folder / "kaicep.toml").open("a") as file:
        file.write('[server]\nupload_timeout = "1s"\n')
    with serving(Settings.load(folder)) as url:
        began = time.monotonic()
        found = ask(f"{url}/graphs?graph=urn:g", "PUT", f"<urn:p> a <{OWL}TransitiveProperty> . {chain}", **TURTLE)
        assert time.monotonic() - began < 20
        assert (found.status, found.json["detail"]) == (503, "not done within 1 s")
        assert found.json["hint"].startswith("nothing has changed")
        assert ask(f"{url}/graphs").json == []
