"""The W3C's first tests of the Graph Store Protocol, in words, which it has replaced by those of `test_w3c_protocols`.

One follows the other over the same store. Where they contradict the protocol, or each other, `WRONG` says how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from support.servers import Answer, ask, serving
from support.w3c_protocols import SUITE, isomorphic

MANIFEST = SUITE / "http-rdf-update" / "manifest.ttl"
MF, COMMENT = (
    "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#",
    "http://www.w3.org/2000/01/rdf-schema#comment",
)
STORE = "/datasets/w3c/graphs"
DONE = {200: {200, 204}, 204: {200, 204}}
"""Both say that a change is done: with a body, and without (RFC 9110, 15.3)."""
WRONG = {
    "put__default_graph": "204 instead of 201",  # there is always a default graph, which nobody makes
    "get_of_post__existing_graph": "another graph",  # it wants John Doe, whom the tests before have made Jane Doe
}


@dataclass(frozen=True)
class WordedTest:
    """A test.

    Attributes:
        name: in the manifest.
        asked: method and place.
        headers: of the request.
        body: of the request.
        status: that is expected.
        graph: likewise, as Turtle; empty: none.
    """

    name: str
    asked: tuple[str, str]
    headers: Mapping[str, str]
    body: str
    status: int
    graph: str


def worded_tests() -> list[WordedTest]:
    """Those of the manifest, in its order."""
    text = MANIFEST.read_text(encoding="utf-8")
    store = ox.Store()
    store.load(text.encode(), format=ox.RdfFormat.TURTLE, base_iri="urn:m")
    words = {
        str(quad.subject)[1:-1].rpartition("#")[2]: quad.object.value
        for quad in store.quads_for_pattern(None, ox.NamedNode(COMMENT), None)
        if isinstance(quad.object, ox.Literal) and "#### Request" in quad.object.value
    }
    listed = text.partition("mf:entries (")[2].partition(")")[0]
    return [_test(name, words[name]) for name in re.findall(r"gsp:(\w+)", listed)]


def _test(name: str, words: str) -> WordedTest:
    request, response = (re.sub(r"(?m)^ {4}", "", part).strip("\n") for part in _parts(words))
    head, _, body = request.partition("\n\n")
    line, *fields = head.splitlines()
    method, place, _ = line.split()
    headers = dict(field.split(": ", 1) for field in fields if not field.startswith("Host"))
    told, _, graph = response.partition("\n\n")
    return WordedTest(name, (method, place), headers, body, int(told.split()[0]), graph)


def _parts(words: str) -> tuple[str, str]:
    request, response = words.partition("#### Request")[2].split("#### Response")
    return request, response


TESTS = worded_tests()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """What is wrong with each answer, by the name of its test."""
    project = {"server": {"datasets": {"w3c": {"update": True}}}}
    with serving(Settings.parse(project, root=tmp_path_factory.mktemp("w3c"))) as url:
        turtle = {"Content_Type": "text/turtle"}
        assert ask(f"{url}{STORE}/person/2.ttl", "PUT", "<urn:a> <urn:b> <urn:c> .", **turtle).status == 201
        found, new = {}, ""
        for test in TESTS:
            answer = _answer(test, url, new)
            new = answer.headers.get("location", new) if test.asked[0] == "POST" else new
            found[test.name] = list(_faults(test, answer, url))
        yield found


def _answer(test: WordedTest, url: str, new: str) -> Answer:
    method, place = test.asked
    address = new if place == "$NEWPATH$" else url + _filled(place, url)
    body = _filled(test.body, url)
    if test.headers.get("Content-Type", "").startswith("multipart"):
        body = body.replace('"Doe"\n', '"Doe" .\n').replace('"Jane"\n', '"Jane" .\n').replace("\n", "\r\n") + "\r\n"
    elif body and not body.endswith("."):
        body += " ."  # as Turtle has it
    return ask(address, method, body or None, **{name.replace("-", "_"): value for name, value in test.headers.items()})


def _filled(text: str, url: str) -> str:
    return text.replace("http://$HOST$/$GRAPHSTORE$", f"{url}{STORE}").replace("$GRAPHSTORE$", STORE)


def _faults(test: WordedTest, answer: Answer, url: str) -> Iterator[str]:
    if answer.status not in DONE.get(test.status, {test.status}):
        yield f"{answer.status} instead of {test.status}"
    if test.graph and not isomorphic(_triples(answer.body), _triples(_filled(test.graph, url).encode())):
        yield "another graph"


def _triples(turtle: bytes) -> list[ox.Quad]:
    return list(ox.parse(turtle, format=ox.RdfFormat.TURTLE, base_iri="urn:x"))


def test_none_is_missing() -> None:
    assert len(TESTS) == 18
    assert WRONG.keys() <= {test.name for test in TESTS}


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_graph_store_protocol_in_words(answers: dict[str, list[str]], test: WordedTest) -> None:
    assert answers[test.name] == ([WRONG[test.name]] if test.name in WRONG else [])
