"""Beyond this machine tokens are demanded, and each allows what its role does."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.server.access import AccessControl, is_loopback
from kaicep.server.problem import ProblemError
from kaicep.settings import Role, ServerSettings
from support.command_line import write_project
from support.servers import ask, serving

ROLES: tuple[Role, ...] = ("read", "submit", "admin")
READER, ADMIN = 32 * "r", 32 * "a"


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("READER", READER)
    tokens = {
        "page": {"token": "env:READER"},
        "ops": {"role": "admin", "token": f"sha256:{sha256(ADMIN.encode()).hexdigest()}"},
    }
    return Settings.parse({"server": {"host": "0.0.0.0", "tokens": tokens}})  # noqa: S104 - it is about that


def refused(access: AccessControl, role: Role, authorization: str | None) -> int:
    with pytest.raises(ProblemError) as problem:
        access.check(role, authorization)
    assert READER not in str(problem.value)
    return problem.value.status


def test_a_role_allows_what_lower_ones_allow(guarded: Settings) -> None:
    access = AccessControl(guarded)
    for role in ROLES:
        access.check(role, f"Bearer {ADMIN}")
    access.check("read", f"bearer {READER}")
    clients = [access.client(shown) for shown in (f"Bearer {ADMIN}", f"bearer {READER}", None)]
    assert [None if one is None else one.token for one in clients] == ["ops", "page", None]
    assert [refused(access, role, f"Bearer {READER}") for role in ROLES[1:]] == [403, 403]


def test_a_token_may_be_the_password_of_basic(guarded: Settings) -> None:
    AccessControl(guarded).check("read", "Basic " + base64.b64encode(f"any:{READER}".encode()).decode())


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer nonsense", "Basic ?", "Digest x", READER])
def test_anything_else_is_refused(guarded: Settings, authorization: str | None) -> None:
    assert refused(AccessControl(guarded), "read", authorization) == 401


def test_no_server_listens_beyond_this_machine_without_tokens() -> None:
    settings = Settings.parse({"server": {"host": "0.0.0.0"}})  # noqa: S104 - it is about that
    with pytest.raises(ConfigError, match=r"whoever reaches 0\.0\.0\.0 could do anything: add \[server\.tokens\]"):
        AccessControl(settings)


def test_a_token_that_is_short_or_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.parse({"server": {"tokens": {"ops": {"token": "env:NONE_SUCH"}}}})
    with pytest.raises(ConfigError, match="the environment has no variable 'NONE_SUCH'"):
        AccessControl(settings)
    monkeypatch.setenv("NONE_SUCH", "hunter2")
    with pytest.raises(ConfigError, match="shorter than 16 characters") as short:
        AccessControl(settings)
    assert "hunter2" not in str(short.value)


@pytest.mark.parametrize(
    ("host", "own"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False)]
)
def test_this_machine_is_known(host: str, own: bool) -> None:
    assert is_loopback(host) == own


def test_health_needs_no_token_and_all_else_does(guarded: Settings) -> None:
    own = guarded.model_copy(update={"server": guarded.server.model_copy(update={"host": "127.0.0.1"})})
    with serving(own) as url:
        assert ask(f"{url}/health").status == ask(f"{url}/ready").status == 200
        found = ask(f"{url}/metrics")
        assert (found.status, found.headers["www-authenticate"]) == (401, 'Bearer realm="kaicep"')
        assert found.json["detail"] == "a token is needed"
        assert ask(f"{url}/metrics", Authorization=f"Bearer {READER}").status == 200


def role_of(method: str, path: str) -> Role | None:
    """The role that an operation is for, as docs/security.md says it; `None`: it needs no token."""
    if path in ("/health", "/ready"):
        return None
    asks = path in ("/check", "/explain", "/ask", "/try") or path.endswith("/sparql") or path.startswith("/jobs/")
    if method in ("get", "head") or asks:
        return "read"
    return "admin" if "/graphs" in path else "submit"


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a project is served with a token of each role."""
    folder = write_project(tmp_path_factory.mktemp("three"))
    tokens = {role: {"role": role, "token": f"sha256:{sha256(token_of(role).encode()).hexdigest()}"} for role in ROLES}
    server = {"tokens": tokens, "datasets": {"notes": {"update": True}}, "request_rate": 100_000}
    settings = Settings.load(folder)
    with serving(settings.model_copy(update={"server": ServerSettings.model_validate(server)}), stores=False) as url:
        yield url


def token_of(role: Role) -> str:
    return 16 * role[0]


def operations(url: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Those that are described, by method and path."""
    paths = ask(f"{url}/openapi.json").json["paths"]
    found = {(method, path): operation for path, item in paths.items() for method, operation in item.items()}
    assert len(found) > 40
    return found


@pytest.mark.parametrize("role", ROLES)
def test_who_asks_is_told_what_the_token_allows(three: str, role: Role) -> None:
    """So that a page can say which of its buttons would be refused."""
    assert ask(f"{three}/client", Authorization=f"Bearer {token_of(role)}").json == {"token": role, "role": role}
    assert ask(f"{three}/client").status == 401


def test_every_operation_says_its_role(three: str) -> None:
    """As OpenAPI 3.1 has it: the roles of a security requirement."""
    found = {name: (one.get("security") or [{}])[0].get("HTTPBearer", []) for name, one in operations(three).items()}
    assert found == {name: [role] if (role := role_of(*name)) else [] for name in found}


def test_each_role_may_do_what_it_is_for(three: str) -> None:
    """Of every operation: without a token, and by one of a role below, it is refused; by one of its own it is not."""
    for method, path in operations(three):
        role = role_of(method, path)
        place = three + path.replace("{", "").replace("}", "")
        if role is None:
            assert ask(place, method.upper()).status != 401, (method, path)
            continue
        assert ask(place, method.upper(), "x").status == 401, (method, path)
        for lower in ROLES[: ROLES.index(role)]:
            refused = ask(place, method.upper(), "x", Authorization=f"Bearer {token_of(lower)}")
            assert refused.status == 403, (method, path)
            assert refused.json["detail"] == f"this token is for '{lower}', and '{role}' is needed"
        found = ask(place, method.upper(), "x", Authorization=f"Bearer {token_of(role)}").status
        assert found not in (401, 403, 500), (method, path)


def test_what_a_role_may_not_is_refused_before_the_body_comes(three: str) -> None:
    """Which never does here."""
    tried = [name for name, one in operations(three).items() if "requestBody" in one and role_of(*name) != "read"]
    assert len(tried) > 8
    for method, path in tried:
        lower = ROLES[ROLES.index(role_of(method, path) or "read") - 1]
        assert answered_without_body(three, method, path, token_of(lower)) == 403, (method, path)


def answered_without_body(url: str, method: str, path: str, token: str) -> int:
    """The status of the answer to a request whose body does not come."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        head = f"{method.upper()} {path.replace('{', '').replace('}', '')} HTTP/1.1\r\nHost: {host}\r\n"
        connection.sendall(f"{head}Authorization: Bearer {token}\r\nContent-Length: 1000\r\n\r\n".encode())
        return int(connection.recv(64).split()[1])


def test_updates_of_sparql_are_for_admins(three: str) -> None:
    """Their address is that of queries, so what is asked decides."""
    update = {"Content_Type": "application/sparql-update"}
    place, text = f"{three}/datasets/notes/sparql", "INSERT DATA { <urn:a> <urn:b> 1 }"
    found = [ask(place, "POST", text, Authorization=f"Bearer {token_of(role)}", **update).status for role in ROLES]
    assert found == [403, 403, 204]


def test_no_token_stands_in_the_log_or_in_an_answer(
    guarded: Settings, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    own = guarded.model_copy(update={"server": guarded.server.model_copy(update={"host": "127.0.0.1"})})
    caplog.set_level("DEBUG", "kaicep")
    with serving(own) as url:
        paths = ("/status", "/queries/x", "/nothing", f"/sparql?query={READER}", "/openapi.json", "/metrics")
        answers = [ask(url + path, Authorization=f"Bearer {ADMIN}").text for path in paths]
        answers += [ask(url + path, Authorization=f"Bearer {ADMIN}x").text for path in paths]
    logged = caplog.text + "".join(capfd.readouterr())
    assert ADMIN not in logged + "".join(answers)
    assert READER not in logged
