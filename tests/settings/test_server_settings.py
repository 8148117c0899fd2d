"""`[server]`: tokens do not stand in the file, and what is no origin, port or name is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError


def test_by_default_it_listens_at_this_machine_only() -> None:
    server = Settings.parse({}).server
    assert (server.host, server.port, server.tokens, server.cors) == ("127.0.0.1", 8080, {}, ())
    assert (server.query_timeout, server.result_size) == (timedelta(seconds=30), 100_000_000)


def test_a_token_is_a_place_or_a_digest() -> None:
    written = {"ops": {"role": "admin", "token": "env:OPS"}, "page": {"token": "sha256:" + 64 * "a"}}
    tokens = Settings.parse({"server": {"tokens": written}}).server.tokens
    assert (tokens["ops"].role, tokens["page"].role) == ("admin", "read")


def test_a_dataset_takes_no_updates_unless_it_is_said() -> None:
    datasets = Settings.parse({"server": {"datasets": {"notes": {}}}}).server.datasets
    assert (datasets["notes"].update, datasets["notes"].path) == (False, None)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"tokens": {"ops": {"token": "hunter2"}}}, "tokens do not stand in the project file"),
        ({"tokens": {"ops": {"token": "env:A", "role": "root"}}}, "takes 'read', 'submit' or 'admin'"),
        ({"cors": ["dashboard.example"]}, "'dashboard.example' is no origin"),
        ({"cors": ["https://dashboard.example/page"]}, "is no origin"),
        ({"datasets": {"a/b": {}}}, "'a/b' is no name of a dataset"),
        ({"port": 70000}, "port"),
        ({"workers": 0}, "takes 1 or more"),
    ],
)
def test_what_it_cannot_be_is_refused(table: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        Settings.parse({"server": table})
    assert "hunter2" not in str(refused.value)
