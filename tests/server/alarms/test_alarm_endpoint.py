"""`/alarms` over HTTP: rows of the log as alarms, and an acknowledgement that is an event of its stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from kaicep.config import Settings
from support.alarming import alarming_project, keep_changes
from support.servers import ask, serving

_TOKEN = "0123456789abcdef"  # noqa: S105 - of a test


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = alarming_project(tmp_path)
    keep_changes(settings, ("B1", "raised", "started"), ("B2", "raised", "started"), ("B2", "raised", "ended"))
    return settings


@pytest.fixture
def url(settings: Settings) -> Iterator[str]:
    with serving(settings) as found:
        yield found


def posted(settings: Settings) -> list[dict[str, str]]:
    files = sorted((settings.root / "desk").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_they_are_listed_what_nobody_has_seen_first(url: str) -> None:
    found = ask(f"{url}/alarms").json
    assert [(one["key"], one["state"], one["by"]) for one in found] == [
        ({"room": "B1"}, "raised", "desk"),
        ({"room": "B2"}, "cleared", None),
    ]
    assert len(ask(f"{url}/alarms?limit=1").json) == 1


def test_an_acknowledgement_is_the_event_that_its_query_waits_for(settings: Settings, url: str) -> None:
    """Durable when it is answered; its moment is now."""
    raised, over = ask(f"{url}/alarms").json
    answer = ask(f"{url}/alarms/{raised['id']}/acknowledge", "POST", b'{"who": "Ada"}', Content_Type="application/json")
    assert answer.status == 202
    assert posted(settings) == [answer.json]
    event = answer.json
    assert abs(datetime.now(UTC) - datetime.fromisoformat(event.pop("at"))) < timedelta(minutes=5)
    assert event == {"says": "seen", "room": "B1", "who": "Ada"}
    assert ask(f"{url}/alarms/{raised['id']}/acknowledge", "POST").status == 202, "nobody has to say who it is"
    refused = ask(f"{url}/alarms/{over['id']}/acknowledge", "POST")
    assert (refused.status, refused.json["detail"]) == (409, "the alarm is cleared already")
    assert ask(f"{url}/alarms/{'f' * 32}/acknowledge", "POST").status == 404
    assert len(posted(settings)) == 2


def test_where_tokens_are_demanded_it_is_their_holder(settings: Settings) -> None:
    file = settings.root / "kaicep.toml"
    digest = sha256(_TOKEN.encode()).hexdigest()
    token = f'[server.tokens]\ndesk1 = {{ role = "submit", token = "sha256:{digest}" }}\n'
    file.write_text(file.read_text() + token)
    with serving(Settings.load(settings.root)) as url:
        shown = {"Authorization": f"Bearer {_TOKEN}"}
        raised = ask(f"{url}/alarms", **shown).json[0]["id"]
        said = {**shown, "Content_Type": "application/json"}
        assert ask(f"{url}/alarms/{raised}/acknowledge", "POST", b'{"who": "Ada"}', **said).json["who"] == "desk1"
        assert ask(f"{url}/alarms/{raised}/acknowledge", "POST").status == 401
        assert ask(f"{url}/alarms/{raised}/acknowledge", "POST", "{").status == 401, "its body is read before"


def test_what_it_reads_is_bounded_and_judged(settings: Settings) -> None:
    file = settings.root / "kaicep.toml"
    file.write_text(file.read_text() + '[server]\nbody_size = "1 kB"\n')
    with serving(Settings.load(settings.root)) as url:
        statuses = [
            ask(f"{url}/alarms/{'f' * 32}/acknowledge", "POST", body).status
            for body in ('{"who": "' + 2_000 * "x" + '"}', '{"whom": "Ada"}', "[", "")
        ]
    assert statuses == [413, 422, 422, 404]


def test_a_stream_that_takes_no_posts_says_so(settings: Settings) -> None:
    file = settings.root / "kaicep.toml"
    file.write_text(file.read_text().replace(', cleanSource = "delete"', ""))
    with serving(Settings.load(settings.root)) as url:
        answer = ask(f"{url}/alarms/{ask(f'{url}/alarms').json[0]['id']}/acknowledge", "POST")
    assert (answer.status, "keeps what it has read" in answer.json["detail"]) == (409, True)


def test_without_alarms_there_are_none(plain_url: str) -> None:
    assert ask(f"{plain_url}/alarms").json == []
