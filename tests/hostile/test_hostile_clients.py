"""A server with its engine, under clients of every role that send what its OpenAPI document describes, and what not.

It answers as the document says, by problem documents where it refuses, and goes on: no defect is in its log, no token,
and nothing was written beside its project.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as drawn
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks
from support.command_line import wait_for
from support.served import ROLES, Served, served, token_of

CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "NONE-SUCH")
ENDLESS = "/queries/{label}/rows"
"""Of a query that there is, rows never end."""
STREAMED_S = 5.0
"""So long they are read where the label of one is drawn by chance, or is that of the examples."""
EXAMPLES = 12
SLOW = "/graphs"
"""What changes knowledge is reasoned over."""
TEXTS = st.sampled_from(
    (
        "CREATE QUERY more AS SELECT ?e.co2 AS co2 FROM (?e, air) FILTER (?e.co2 > 900)",
        "SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, 1min)",
        "SELECT ?c.room FROM (?c, CONTEXTS(alarm))",
        "SELECT ?e.flwo FROM (?e, air)",
        "SELECT ?s ?o { GRAPH ?g { ?s ?p ?o } } LIMIT 3",
        "ASK { ?s ?p ?o }",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "INSERT DATA { <urn:ex:n> <urn:ex:p> 1 }",
        "@prefix ex: <urn:ex:> . ex:r9 a ex:Room .",
        "<urn:ex:r9> <urn:ex:in> <urn:ex:r1> .",
        "\N{SNOWMAN}",
    )
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that is ready, with a query that has rows and an alarm that is raised."""
    with served(tmp_path_factory.mktemp("clients")) as service:
        yield service


@pytest.mark.spark
@pytest.mark.long
def test_every_client_is_answered_as_described(service: Served) -> None:
    before = service.files_beside()
    asked = Counter[int]()
    for operation in described(service):
        known = service.known()
        for role in (None, "read", "submit", "admin"):
            for mode in GenerationMode:
                asked += ask_often(service, operation, known, role, mode)
        refuse_other_methods(service, operation.path)
    assert min(asked[status] for status in (200, 201, 202, 204, 400, 401, 403, 404, 409, 415, 422)) > 0, asked
    assert set(asked) <= {200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429, 503}, asked
    assert service.files_beside() == before
    written = service.log()
    assert "Traceback" not in written
    assert not [role for role in ROLES if token_of(role) in written]
    assert service.get("/ready").json() == {"ready": True, "reason": None}
    reading = {"sensor": "s1", "room": "B9", "co2": 777.0}
    service.post("air", [reading | {"at": f"2026-01-01T{hour}:00:00Z"} for hour in (12, 13)])
    wait_for(lambda: "777.0" in service.get("/queries/high/matches?last=100").text)


def described(service: Served) -> list[Any]:
    """The operations of its document; who asks is our own business."""
    document = copy.deepcopy(service.document)
    for operations in document["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    found = list(schemathesis.openapi.from_dict(document).get_all_operations())
    operations = [one.ok() for one in found if isinstance(one, Ok)]
    assert len(operations) == len(found) > 40
    return operations


def ask_often(
    service: Served, operation: Any, known: dict[str, list[str]], role: str | None, mode: GenerationMode
) -> Counter[int]:
    """Send requests for an operation, half of them about what there is; count the answers by status."""
    session, statuses = requests.Session(), Counter[int]()
    changes = operation.method.upper() in ("PUT", "POST", "DELETE") and operation.path.startswith(SLOW)

    @drawn(
        max_examples=2 if role is None else 4 if changes else EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def asked(case: Any, data: st.DataObject) -> None:
        if operation.path != ENDLESS and data.draw(st.booleans()):
            speak_of(case, known, data)
        patience = STREAMED_S if operation.path == ENDLESS else 600
        answer = case.call(base_url=service.url, session=session, headers=service.headers(role), timeout=patience)
        statuses[answer.status_code] += 1
        judge(service, operation, role, case, answer)

    try:
        asked()
    except Unsatisfiable:  # of what takes nothing, nothing is wrong
        assert mode is GenerationMode.NEGATIVE
    return statuses


def speak_of(case: Any, known: dict[str, list[str]], data: st.DataObject) -> None:
    """Let a request be about what there is, in words that mean something."""
    for parameters in (case.path_parameters, case.query):
        for name in parameters or ():
            if known.get(name):
                parameters[name] = data.draw(st.sampled_from(known[name]))
    if isinstance(case.body, str | bytes):
        case.body = data.draw(TEXTS)
    elif isinstance(case.body, dict):
        case.body |= {name: data.draw(TEXTS) for name in ("text", "query", "update") if name in case.body}


def judge(service: Served, operation: Any, role: str | None, case: Any, answer: Any) -> None:
    """An answer is as the document says, and a refusal is a problem document."""
    told = f"{operation.method.upper()} {operation.path}, {role}: {answer.status_code} {answer.text[:500]}"
    assert answer.status_code < 500 or answer.status_code == 503, told
    guarded = "security" in service.document["paths"][operation.path][operation.method.lower()]
    assert (answer.status_code == 401) == (guarded and role is None), told
    if answer.status_code >= 400 and operation.path != "/ready":
        assert answer.headers["content-type"][0] == "application/problem+json", told
        if operation.method.upper() != "HEAD":
            problem = answer.json()
            assert problem["status"] == answer.status_code, told
            assert {"type", "title", "detail", "text"} <= set(problem), told
    assert not [role for role in ROLES if token_of(role) in answer.text], told
    case.validate_response(answer, checks=CHECKS)


def refuse_other_methods(service: Served, path: str) -> None:
    """What is not described is refused, with what there is instead."""
    methods = {method.upper() for method in service.document["paths"][path]}
    place = service.url + path.replace("{", "").replace("}", "")
    for method in set(METHODS) - methods:
        answer = requests.request(method, place, headers=service.headers("admin"), timeout=600)
        assert answer.status_code == 405, (method, path, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert set(answer.headers["allow"].split(", ")) <= methods | {"HEAD", "OPTIONS"}, (method, path, answer.headers)
