"""The server that the page's tests speak to answers as the real one does.

Each JSON answer of it is such as the real server's OpenAPI document describes. That says little of many: so each has
the names that the answer of a real server has, of a small project with a past.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it comes with nbclient
from support.alarming import alarming_project, keep_changes
from support.browsers import fake_server
from support.building_rows import ROBOD, TEXT, matches
from support.command_line import wait_for
from support.explained_match import HIGH, MATCH, explained_match
from support.fake_api import fake_api
from support.servers import Answer, ask, serving

_QUERY = "GET /queries/{label}"
_FAKE = {
    "label": "staleAir",
    "name": "reading",
    "match": matches("staleAir")[0]["_id"],
    "class": "https://brickschema.org/schema/Brick#Point",
    "iri": f"{ROBOD}room1",
    "text": TEXT.replace("staleAir", "stale"),
    "wrong": TEXT.replace(".value", ".valeu"),
    "graph": "# nothing",
}
_REAL = {
    "label": "high",
    "name": "airflowReport",
    "match": MATCH,
    "class": "http://e/Place",
    "iri": "http://e/Room1",
    "text": HIGH.replace("QUERY high", "QUERY higher"),
    "wrong": HIGH.replace("flowrate", "flwo"),
    "graph": "<http://e/Room2> a <http://e/Room> .",
}
"""What is asked of each by the same words."""
_ASKED = {
    "GET /ready": ("/ready", ""),
    "GET /client": ("/client", ""),
    "GET /streams": ("/streams", ""),
    "GET /streams/{name}": ("/streams/{name}", ""),
    "GET /streams/{name}/events": ("/streams/{name}/events?last=3", ""),
    "GET /contexts": ("/contexts", ""),
    "GET /alarms": ("/alarms", ""),
    "GET /queries": ("/queries", ""),
    _QUERY: ("/queries/{label}", ""),
    f"{_QUERY}/explain": ("/queries/{label}/explain?form=json", ""),
    f"{_QUERY}/chart": ("/queries/{label}/chart", ""),
    f"{_QUERY}/matches": ("/queries/{label}/matches?last=5", ""),
    "GET /matches/{id}/why": ("/matches/{match}/why?query={label}", ""),
    "GET /vocabulary": ("/vocabulary", ""),
    "GET /examples": ("/examples", ""),
    "GET /ontologies": ("/ontologies", ""),
    "GET /classes": ("/classes", ""),
    "GET /classes, below one": ("/classes?parent={class}", ""),
    "GET /individuals": ("/individuals?class={class}", ""),
    "GET /individuals, one": ("/individuals?iri={iri}", ""),
    "GET /archive": ("/archive?gap=1s", ""),
    "POST /check": ("/check", "{text}"),
    "POST /check, of a typo": ("/check", "{wrong}"),
    "POST /explain": ("/explain?form=json", "{text}"),
    "POST /queries": ("/queries", "{text}"),
    "POST /queries, of a typo": ("/queries", "{wrong}"),
    f"{_QUERY}, that is none": ("/queries/nobody", ""),
}
_CONTRADICTION = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix e: <urn:Contradiction:> .
e:A owl:disjointWith e:B . e:i a e:A , e:B . e:j a e:A , e:B ."""
_STAGES = {"parsing", "reasoning", "contradictions", "keeping", "comparing", "writing"}
_NAMED = {"_events", "attributes", "calls", "classes", "events", "key", "match", "missing", "prefixes", "rows"}
_NAMED |= {"undeclared", "/events"}
"""Objects whose names are those of the project; but the names that kaicep adds to rows and events are its own."""


@dataclass(frozen=True)
class Servers:
    """Both of them, the alarms of another project, and what the real one says of itself."""

    fake: str
    real: str
    alarms: str
    document: Any

    def asked(self, operation: str) -> tuple[Answer, Answer]:
        """What the fake and a real one answer."""
        path, body = _ASKED[operation]
        real = self.alarms if operation == "GET /alarms" else self.real
        return _ask(self.fake, operation, path, body, _FAKE), _ask(real, operation, path, body, _REAL)

    def schema(self, operation: str, answer: Answer) -> Any:
        """Of that answer, as the document has it."""
        method, path = operation.partition(",")[0].lower().split()
        described = self.document["paths"][path][method]["responses"]
        content = (described.get(str(answer.status)) or described["4XX"])["content"][answer.media_type]
        return {**content.get("schema", {}), "components": self.document["components"]}


def _ask(url: str, operation: str, path: str, body: str, names: Mapping[str, str]) -> Answer:
    filled = re.sub(r"{(\w+)}", lambda found: names[found[1]].replace("#", "%23"), path)
    text = names[body.strip("{}")].encode() if body else None
    return ask(url + filled, operation.split(maxsplit=1)[0], text, Content_Type="text/plain", Accept="application/json")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    alarming = alarming_project(tmp_path_factory.mktemp("alarms"))
    keep_changes(alarming, ("B1", "raised", "started"))
    with ExitStack() as stack:
        fake = stack.enter_context(fake_server(fake_api()))
        real = stack.enter_context(serving(explained_match(tmp_path_factory.mktemp("real")), stores=False))
        alarms = stack.enter_context(serving(alarming, stores=False))
        yield Servers(fake, real, alarms, ask(f"{real}/openapi.json").json)


@pytest.mark.parametrize("operation", _ASKED)
def test_answers_are_such_as_the_real_server_gives(servers: Servers, operation: str) -> None:
    fake, real = servers.asked(operation)
    assert (fake.status, fake.media_type) == (real.status, real.media_type)
    for answer in (fake, real):
        problems = Draft202012Validator(servers.schema(operation, answer)).iter_errors(answer.json)
        assert [f"{one.json_path}: {one.message}" for one in problems] == []
    assert real.json, "nothing to compare with"
    assert list(differences(fake.json, real.json, "/" + operation.partition(",")[0].rpartition("/")[2])) == []


def test_jobs_are_such_as_the_real_server_has(servers: Servers) -> None:
    fake, real = _tried(servers.fake, _FAKE["text"]), _tried(servers.real, _REAL["text"])
    told = Draft202012Validator(servers.schema("GET /jobs/{id}", fake[-1]))
    assert [str(one) for answer in (*fake, *real) for one in told.iter_errors(answer.json)] == []
    assert list(differences(fake[-1].json, real[-1].json, "/jobs")) == []


def test_uploads_are_such_as_the_real_server_has(servers: Servers) -> None:
    """While they are at work, when they are done and when they fail; and so is the list of jobs."""
    for graph, state in (("<http://e/Room2> a <http://e/Room> .", "done"), (_CONTRADICTION, "failed")):
        fake, real = (_uploaded(url, graph) for url in (servers.fake, servers.real))
        assert (fake[-1].json["state"], real[-1].json["state"]) == (state, state)
        told = Draft202012Validator(servers.schema("GET /jobs/{id}", fake[-1]))
        assert [str(one) for answer in (*fake, *real) for one in told.iter_errors(answer.json)] == []
        assert list(differences(fake[-1].json, real[-1].json, "/jobs")) == []
        assert {one.json["stage"] for one in fake if one.json["state"] == "running"} <= _STAGES
    fake_jobs, real_jobs = (ask(f"{url}/jobs").json for url in (servers.fake, servers.real))
    assert list(differences(fake_jobs, real_jobs, "/jobs")) == []


def _uploaded(url: str, graph: str) -> list[Answer]:
    """What a server tells of an upload, until it has ended."""
    begun = ask(f"{url}/graphs/rooms.ttl", "PUT", graph, Content_Type="text/turtle", Prefer="respond-async")
    assert begun.status == 202
    told = list[Answer]()

    def over() -> bool:
        told.append(ask(f"{url}/jobs/{begun.json['job']}"))
        return told[-1].json["state"] not in ("waiting", "running")

    wait_for(over)
    return told


def _tried(url: str, text: str) -> list[Answer]:
    """What a server tells of a trial, until it is done."""
    body = json.dumps({"text": text, "last": "1h"})
    begun = ask(f"{url}/try", "POST", body, Content_Type="application/json")
    assert begun.status == 202
    told = list[Answer]()

    def done() -> bool:
        told.append(ask(f"{url}/jobs/{begun.json['job']}"))
        return bool(told[-1].json["state"] == "done")

    wait_for(done)
    return told


def test_an_acknowledgement_is_answered_by_its_event(servers: Servers) -> None:
    fake, real = _acknowledged(servers.fake), _acknowledged(servers.alarms)
    assert (fake.status, real.status) == (202, 202)
    assert list(differences(fake.json, real.json, "/acknowledge")) == []


def _acknowledged(url: str) -> Answer:
    first = ask(f"{url}/alarms").json[0]
    seen = f"{url}/alarms/{first['id']}/acknowledge"
    return ask(seen, "POST", '{"who": "Ada"}', Content_Type="application/json")


def test_a_difference_is_seen() -> None:
    """Of names, of kinds, in lists; an object whose names are those of the project has its own."""
    real = {"rows": [{"_id": "a", "flow": 1}], "gaps": [["a", None]], "parts": [{"rule": "r"}, {"origin": "o"}]}
    told = {"rows": [{"_id": "b", "ppm": 1.5}], "gaps": [["b", "why"]], "parts": [{"origin": "p"}]}
    assert list(differences(told, real, "")) == []
    wrong = {"rows": [{"ppm": 1}], "gaps": [[1, None]], "parts": [{"by": "p"}], "more": 1}
    assert len(list(differences(wrong, real, ""))) == 4


def differences(told: Any, real: Any, name: str) -> Iterator[str]:
    """Where an answer has other names, or values of another kind, than a real one.

    Args:
        told: JSON.
        real: likewise; of a list, one of its elements is enough.
        name: of the place.
    """
    match told, real:
        case (None, _) | (_, None):
            return
        case dict(), dict():
            names = told.keys() ^ real.keys()
            own = {one for one in names if one.startswith("_")} if name in _NAMED else names
            yield from (f"{one} of {name} is told by one of them" for one in sorted(own))
            for one in sorted(told.keys() & real.keys()):
                yield from differences(told[one], real[one], one)
        case list(), list():
            for one in told if real else []:
                yield from min((list(differences(one, other, name)) for other in real), key=len)
        case _ if _kind(told) is not _kind(real):
            yield f"{name} is {told!r}, and in the real one {real!r}"


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)
