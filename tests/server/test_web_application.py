"""The description of the interface is whole; pages hear each answer that they may."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kaicep.config import Settings
from support.servers import ask, serving

PAGE, OTHER = "https://page.example", "https://other.example"
TOKEN = 32 * "t"
PREFLIGHT = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization,content-type"}


def test_every_operation_is_described_with_an_example(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json
    assert described["info"]["title"] == "kaicep"
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            assert lacking(operation) == [], (method, path)


def lacking(operation: dict[str, Any]) -> list[str]:
    """The parameters, bodies and answers of an operation that are not described, or of whose forms no example is."""
    body = operation.get("requestBody")
    told = [(f"parameter {one['name']}", one) for one in operation.get("parameters", [])]
    told += [] if body is None else [("body", body)]
    told += [(f"answer {status}", answer) for status, answer in operation["responses"].items()]
    undescribed = [name for name, one in told if one.get("description") in (None, "", "Successful Response")]
    forms = [(name, one) for name, one in told if name.startswith("parameter")]
    forms += [(f"{name} as {media}", form) for name, one in told for media, form in one.get("content", {}).items()]
    return undescribed + [name for name, form in forms if not exemplified(form)]


def exemplified(form: dict[str, Any]) -> bool:
    return "example" in form or bool(form.get("examples") or form.get("schema", {}).get("examples"))


def test_what_is_not_described_is_found() -> None:
    """Else the test above would hold of anything."""
    whole = {"description": "A limit.", "example": 3}
    described = {"parameters": [{"name": "limit", **whole}], "responses": {"204": {"description": "Done."}}}
    assert lacking(described) == []
    assert lacking({**described, "parameters": [{"name": "limit", "schema": {}}]}) == 2 * ["parameter limit"]
    assert lacking({**described, "requestBody": {"content": {"text/csv": {}}}}) == ["body", "body as text/csv"]
    bare = {"200": {"description": "Successful Response", "content": {"text/csv": {"example": "a"}, "text/n3": {}}}}
    assert lacking({**described, "responses": bare}) == ["answer 200", "answer 200 as text/n3"]


def test_every_part_of_an_address_is_described(plain_url: str) -> None:
    """What is not, no client can be made of."""
    for path, operations in ask(f"{plain_url}/openapi.json").json["paths"].items():
        for operation in operations.values():
            named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path)), path


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings with tokens for pages of these origins."""
    monkeypatch.setenv("PAGE", TOKEN)

    def with_cors(*origins: str, **server: Any) -> Settings:
        tokens = {"page": {"role": "submit", "token": "env:PAGE"}}
        return Settings.parse({"server": {"cors": list(origins), "tokens": tokens, **server}})

    return with_cors


def allowed(answer: Any) -> str | None:
    """The origin whose scripts may read an answer."""
    found: str | None = answer.headers.get("access-control-allow-origin")
    return found


def test_a_browser_may_ask_ahead_without_a_token(guarded: Any) -> None:
    """It shows none then, however often; and that tells nobody else's page anything."""
    with serving(guarded(PAGE, request_rate=1)) as url:
        ahead = [ask(f"{url}/queries", "OPTIONS", Origin=PAGE, **PREFLIGHT) for _ in range(20)]
        assert {(one.status, allowed(one)) for one in ahead} == {(200, PAGE)}
        assert "POST" in ahead[0].headers["access-control-allow-methods"]
        assert "Authorization" in ahead[0].headers["access-control-allow-headers"]
        strange = ask(f"{url}/queries", "OPTIONS", Origin=OTHER, **PREFLIGHT)
        assert (strange.status, allowed(strange)) == (400, None)
        assert ask(f"{url}/queries", Origin=PAGE).status == 401


def test_scripts_of_a_page_that_may_ask_hear_why_they_are_refused(guarded: Any) -> None:
    with serving(guarded(PAGE, request_rate=1)) as url:
        nobody = ask(f"{url}/status", Origin=PAGE)
        assert (nobody.status, allowed(nobody)) == (401, PAGE)
        found = [ask(f"{url}/nothing", Origin=PAGE, Authorization=f"Bearer {TOKEN}") for _ in range(12)][-1]
        assert (found.status, allowed(found), found.headers["retry-after"]) == (429, PAGE, "1")
        assert "Retry-After" in found.headers["access-control-expose-headers"]
        assert allowed(ask(f"{url}/nothing", Origin=OTHER, Authorization=f"Bearer {TOKEN}")) is None


def test_any_page_may_ask_where_any_may(guarded: Any) -> None:
    with serving(guarded("*", request_rate=1)) as url:
        assert allowed(ask(f"{url}/queries", "OPTIONS", Origin=OTHER, **PREFLIGHT)) == "*"
        found = [ask(f"{url}/nothing", Origin=OTHER, Authorization=f"Bearer {TOKEN}") for _ in range(12)]
        assert [(one.status, allowed(one)) for one in (found[0], found[-1])] == [(404, "*"), (429, "*")]


def test_without_tokens_pages_that_are_not_named_change_nothing() -> None:
    """Nor does one that is named, by a name that is not this machine's: its scripts hear why."""
    with serving(Settings.parse({"server": {"cors": [PAGE]}})) as url:
        strange = ask(f"{url}/check", "POST", "SELECT", Origin=OTHER)
        assert (strange.status, allowed(strange)) == (403, None)
        renamed = ask(f"{url}/check", "POST", "SELECT", Origin=PAGE, Host="evil.example")
        assert (renamed.status, allowed(renamed)) == (403, PAGE)
        assert ask(f"{url}/health", Host="evil.example").status == 403
        assert ask(f"{url}/health", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
        assert allowed(ask(f"{url}/health", "OPTIONS", Origin=OTHER, **PREFLIGHT)) is None
    with serving(Settings.parse({"server": {"cors": ["*"]}})) as url:
        assert ask(f"{url}/health", "POST", Origin=OTHER).status == 405
        assert ask(f"{url}/health", Host="evil.example").status == 403


def test_what_a_client_reads_is_described_to_its_fields(plain_url: str) -> None:
    described = ask(f"{plain_url}/openapi.json").json["paths"]
    read = (
        "/streams",
        "/streams/{name}",
        "/contexts",
        "/alarms",
        "/ontologies",
        "/archive",
        "/classes",
        "/individuals",
        "/matches/{id}/why",
        "/queries/{label}/chart",
    )
    for path in read:
        schema = described[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert "#/components/schemas/" in str(schema), path
        assert "additionalProperties" not in schema, path
    listed = described["/graphs"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert "module" in str(listed)
