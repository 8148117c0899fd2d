"""Beyond this machine tokens are demanded, and each allows what its role does."""

from __future__ import annotations

import base64
from hashlib import sha256

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.server.access import AccessControl, is_loopback
from kaicep.server.problem import ProblemError
from kaicep.settings import Role
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


def test_each_role_may_do_what_it_is_for(guarded: Settings) -> None:
    """Of every operation: a token of the role below is refused before anything else is looked at."""
    own = guarded.model_copy(update={"server": guarded.server.model_copy(update={"host": "127.0.0.1"})})
    with serving(own) as url:
        needs = {
            (method, path): ask(url + path.replace("{", "").replace("}", ""), method.upper()).status
            for path, item in ask(f"{url}/openapi.json").json["paths"].items()
            for method in item
        }
        free = {(method, path) for method in ("get", "head") for path in ("/health", "/ready")}
        assert {place for place, status in needs.items() if status != 401} == free
        writes = [
            ("POST", "/queries"),
            ("DELETE", "/queries/x"),
            ("POST", "/streams/x/events"),
            ("PUT", "/graphs?default"),
        ]
        for method, path in writes:
            assert ask(url + path, method, "x", Authorization=f"Bearer {READER}").status == 403


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
