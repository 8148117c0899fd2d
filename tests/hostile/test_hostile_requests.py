"""Whatever is asked of a server, it answers as its OpenAPI document says, and never by a defect.

Requests are drawn by schemathesis from the document itself: such as it describes, and such as it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as drawn
from hypothesis import strategies as st
from kaicep.config import Settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks
from support.archives import archived_project
from support.servers import ask, serving

HIGH = "CREATE QUERY high AS SELECT ?e.flowrate AS flow FILTER (?e.flowrate > 70)"
INBOX = """source = { format = "json", path = "var/inbox/", cleanSource = "delete" }
[streams.airflowReport.attributes]
sensorID = { property = "e:sensor", datatype = "xsd:string" }
flowrate = { property = "e:flow", datatype = "xsd:double" }
[server.datasets]
notes = { update = true }
"""
CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
THERE = {"label": "high", "name": "airflowReport"}
ENDLESS = "/queries/{label}/rows"
"""Of a query that there is, rows never end."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A project with a past, a query, an inbox and a dataset."""
    root = tmp_path_factory.mktemp("asked")
    archived_project(root)
    with (root / "kaicep.toml").open("a") as file:
        file.write(INBOX)
    (root / "queries").mkdir()
    (root / "queries" / "high.chi").write_text(HIGH)
    with serving(Settings.load(root), stores=False) as url:
        yield url


def operations(url: str) -> Mapping[str, Any]:
    """What the document describes, by method and path."""
    schema = schemathesis.openapi.from_dict(ask(f"{url}/openapi.json").json)
    described = list(schema.get_all_operations())
    found = [one.ok() for one in described if isinstance(one, Ok)]
    assert len(found) == len(described) > 40
    return {f"{one.method.upper()} {one.path}": one for one in found}


def judge(url: str, operation: Any, examples: int) -> None:
    """Send requests for an operation, half of them about what there is."""
    session = requests.Session()

    @drawn(
        max_examples=examples,
        deadline=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), there=st.booleans())
    def asked(case: Any, there: bool) -> None:
        if there and operation.path != ENDLESS:
            case.path_parameters |= {name: THERE[name] for name in case.path_parameters if name in THERE}
        answer = case.call(base_url=url, session=session, timeout=60)
        assert answer.status_code != 500, answer.text
        case.validate_response(answer, checks=CHECKS)

    asked()


@pytest.mark.slow
def test_every_operation_answers_as_it_says(url: str) -> None:
    """One request each; `make test-long` sends 200."""
    for operation in operations(url).values():
        judge(url, operation, 1)


@pytest.mark.long
def test_every_operation_answers_as_it_says_whatever_is_asked(url: str) -> None:
    for operation in operations(url).values():
        judge(url, operation, 200)
