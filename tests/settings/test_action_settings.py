"""What `[actions]` says wrong is told with its key, and secrets are not repeated."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError

_MAIL = {"smtp": "mail:25", "sender": "a@b", "to": ["c@d"], "subject": "s"}


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"ops": {}}, "actions.ops: an action is of one kind, it has none; write one of webhook, mqtt, kafka, mail"),
        ({"ops": {"python": "a:b", "mail": _MAIL}}, "actions.ops: an action is of one kind, it has mail and python"),
        ({"ops": {"webhook": {"url": "ops"}}}, "actions.ops.webhook.url: 'ops' is no address of a webhook"),
        ({"ops": {"webhook": {"url": "http://[::x/"}}}, "actions.ops.webhook.url: 'http://[::x/' is no address of a"),
        ({"ops": {"webhook": {"url": "http://o:99999"}}}, "actions.ops.webhook.url: 'http://o:99999' is no address of"),
        ({"ops": {"mqtt": {"broker": "b:99999", "topic": "a"}}}, "actions.ops.mqtt.broker: 'b:99999' has no port"),
        ({"ops": {"mqtt": {"broker": "b", "topic": "a/#"}}}, "actions.ops.mqtt.topic: 'a/#' is no topic to publish to"),
        ({"ops": {"mqtt": {"broker": "b", "topic": ""}}}, "actions.ops.mqtt.topic: '' is no topic to publish to"),
        ({"ops": {"kafka": {"servers": "b", "topic": ""}}}, "actions.ops.kafka.topic: string should have at least 1"),
        ({"ops": {"webhook": {"url": "http://u:hush@ops/"}}}, "actions.ops.webhook.url: an address with a password is"),
        ({"ops": {"webhook": {"url": "htps://u:hush@ops/"}}}, "actions.ops.webhook.url: an address with a password is"),
        ({"ops": {"webhook": {"url": "http://ops/", "secret": "hush"}}}, "actions.ops.webhook.secret: secrets do not"),
        ({"ops": {"webhook": {"url": "http://ops/", "batch": 0}}}, "actions.ops.webhook.batch: takes 1 or more, not 0"),
        ({"ops": {"python": "alarms.raise"}}, "actions.ops.python: 'alarms.raise' names no function; write module:fu"),
        ({"ops": {"mail": {**_MAIL, "smtp": "a b"}}}, "actions.ops.mail.smtp: 'a b' is no host"),
        ({"ops": {"command": "notify"}}, "actions.ops.command: takes a list, [ … ], not 'notify'"),
        (
            {"ops": {"python": "a:b", "timeot": "1s"}},
            "actions.ops.timeot: unknown key 'timeot': did you mean 'timeout'",
        ),
        ({"ops": {"kaicep:submit": {"name": "{room}", "query": "q"}}}, "'{room}' is no name of a query; write letters"),
        ({"ops": {"kaicep:withdraw": "a b"}}, "actions.ops.kaicep:withdraw: 'a b' is no name of a query"),
        ({"ops-1": {"python": "a:b"}}, "'ops-1' is no name of an action"),
    ],
)
def test_faults(actions: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.parse({"actions": actions}, file="kaicep.toml")
    assert message in str(caught.value)
    assert "hush" not in str(caught.value)


def test_kinds() -> None:
    actions = {"a": {"command": ["x"]}, "b": {"kaicep:withdraw": "watch_{room}"}, "c": {"mail": _MAIL}}
    found = Settings.parse({"actions": actions}).actions
    assert {name: one.key for name, one in found.items()} == {"a": "command", "b": "kaicep:withdraw", "c": "mail"}
