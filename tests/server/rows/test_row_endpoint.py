"""Rows over HTTP and WebSocket: a client that comes again misses none, and has none twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
import urllib3
from kaicep.config import Settings
from support.command_line import HIGH, write_project
from support.kept_rows import keep_rows, row_id
from support.receivers import eventually
from support.servers import ask, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

OTHER = Origin("https://other.example")
NAMED = f"CREATE QUERY high AS {HIGH}"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A project whose query has a name, and two rows."""
    folder = write_project(tmp_path_factory.mktemp("live"))
    (folder / "queries" / "high.chi").write_text(NAMED)
    (folder / "queries" / "unnamed.chi").write_text(HIGH)
    settings = Settings.load(folder)
    keep_rows(settings, 0, 1, 2)
    return settings


@pytest.fixture(scope="module")
def url(live: Settings) -> Iterator[str]:
    with serving(live) as found:
        yield found


@contextmanager
def events(url: str, **headers: str) -> Iterator[Iterator[dict[str, str]]]:
    """Server-sent events, as long as somebody reads them; comments are passed over."""
    pool = urllib3.PoolManager(retries=False, timeout=60.0)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = pool.request("GET", url, headers=named, preload_content=False)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    try:
        yield _events(answer)
    finally:
        answer.close()


def _events(answer: urllib3.BaseHTTPResponse) -> Iterator[dict[str, str]]:
    text = ""
    for piece in answer.stream(1):
        text += piece.decode()
        while "\n\n" in text:
            block, _, text = text.partition("\n\n")
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if fields:
                yield fields


def flows(found: Iterator[dict[str, str]], count: int) -> tuple[list[float], str]:
    """Of so many rows the values, and the id of the last one."""
    rows = [next(found) for _ in range(count)]
    assert {row["event"] for row in rows} == {"row"}
    return [json.loads(row["data"])["flow"] for row in rows], rows[-1]["id"]


def test_pages_of_rows(url: str) -> None:
    page = ask(f"{url}/queries/high/matches?limit=1").json
    assert page["rows"][0] == {
        "flow": 1.0,
        "_time": "2026-01-01T09:00:01Z",
        "_events": {"e": ["urn:kaicep:event:air/1"]},
        "_id": row_id(1),
    }
    assert [r["flow"] for r in ask(f"{url}/queries/high/matches?after={page['next']}").json["rows"]][:1] == [2.0]
    assert ask(f"{url}/queries/high/matches?after=x").status == 400
    assert ask(f"{url}/queries/high/matches?limit=0").status == 422


def test_a_query_without_rows_is_told_apart_from_none(url: str) -> None:
    assert ask(f"{url}/queries/hihg/matches").json["hint"] == "did you mean 'high'?"
    refused = ask(f"{url}/queries/unnamed/rows")
    assert (refused.status, refused.json["hint"]) == (
        409,
        "only named queries have rows here: CREATE QUERY … AS SELECT …",
    )


def test_who_comes_again_misses_none_and_has_none_twice(live: Settings, url: str) -> None:
    with events(f"{url}/queries/high/rows") as found:
        first = next(found)
        assert set(first) == {"id"}
        keep_rows(live, 10, 11, 12)
        assert flows(found, 1) == ([11], "0-10-0")
    keep_rows(live, 11, 13)
    with events(f"{url}/queries/high/rows", Last_Event_ID="0-10-0") as found:
        assert next(found) == {"id": "0-10-0"}
        assert flows(found, 2) == ([12, 13], "0-11-0")
        keep_rows(live, 12, 14)
        assert flows(found, 1) == ([14], "0-12-0")
    with events(f"{url}/queries/high/rows?last_event_id={first['id']}") as found:
        next(found)
        assert flows(found, 4)[0] == [11, 12, 13, 14]
    with events(f"{url}/queries/high/rows?last_event_id=0") as found:
        next(found)
        assert flows(found, 6)[0] == [1, 2, 11, 12, 13, 14]
    assert ask(f"{url}/queries/high/rows", Last_Event_ID="yesterday").status == 400


@contextmanager
def listen(url: str, **said: object) -> Iterator[ClientConnection]:
    with connect(url.replace("http", "ws") + "/queries/high/live", open_timeout=60) as socket:
        socket.send(json.dumps(said))
        yield socket


def test_the_same_over_web_sockets(live: Settings, url: str) -> None:
    with listen(url, last_event_id="0-0-0") as socket:
        message = json.loads(socket.recv(60))
        assert (message["id"], message["row"]["flow"], message["row"]["_id"]) == ("0-0-1", 2, row_id(2))
    end = ask(f"{url}/queries/high/matches?last=1").json["next"]
    with listen(url, last_event_id=end) as socket:
        keep_rows(live, 20, 21)
        assert json.loads(socket.recv(60))["row"]["flow"] == 21


@pytest.mark.parametrize(
    ("said", "status"), [("{", 400), ("[]", 400), ('{"last_event_id": "x"}', 400), ('{"last_event_id": 1.5}', 400)]
)
def test_a_first_message_that_means_nothing_is_refused(url: str, said: str, status: int) -> None:
    with connect(url.replace("http", "ws") + "/queries/high/live", open_timeout=60) as socket:
        socket.send(said)
        assert json.loads(socket.recv(60))["problem"]["status"] == status
        with pytest.raises(ConnectionClosed):
            socket.recv(60)


def test_a_page_of_another_site_is_given_no_rows(url: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(url.replace("http", "ws") + "/queries/high/live", origin=OTHER, open_timeout=60)
    assert refused.value.response.status_code == 403


def test_a_token_is_needed_where_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER", 32 * "r")
    folder = write_project(tmp_path)
    with (folder / "kaicep.toml").open("a") as file:
        file.write('[server.tokens]\npage = { token = "env:READER" }\n')
    settings = Settings.load(folder)
    keep_rows(settings, 0, 1)
    with serving(settings) as url:
        assert ask(f"{url}/queries/high/rows").status == 401
        with events(f"{url}/queries/high/rows?last_event_id=0", Authorization=f"Bearer {32 * 'r'}") as found:
            next(found)
            assert flows(found, 1)[0] == [1]
        with listen(url, token=32 * "r", last_event_id=0) as socket:
            assert json.loads(socket.recv(60))["row"]["flow"] == 1
        with listen(url) as socket:
            assert json.loads(socket.recv(60))["problem"]["status"] == 401


def test_the_server_ends_while_somebody_waits_for_rows(live: Settings) -> None:
    with serving(live) as url:
        with events(f"{url}/queries/high/rows") as found:
            next(found)
        waiting = listen(url)
        socket = waiting.__enter__()
    with pytest.raises(ConnectionClosed):
        socket.recv(60)
    waiting.__exit__(None, None, None)


def test_a_reader_that_goes_leaves_no_trace_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever goes while rows are on their way, too."""
    folder = write_project(tmp_path)
    (folder / "queries" / "high.chi").write_text(NAMED)
    settings = Settings.load(folder)
    keep_rows(settings, 0, *range(3_000))
    with serving(settings) as url:
        for _ in range(20):
            with events(f"{url}/queries/high/rows", Last_Event_ID="0") as found:
                next(found)
                flows(found, 5)
            assert ask(f"{url}/health").status == 200
    assert [line for line in caplog.messages if "xception" in line] == []


def test_who_has_had_more_than_a_restored_log_has_the_next_rows(live: Settings, url: str) -> None:
    """By server-sent events and over WebSocket: nobody waits until the log is as long as it was."""
    end = ask(f"{url}/queries/high/matches?last=1").json["next"]
    with events(f"{url}/queries/high/rows", Last_Event_ID="0-9999-3") as found:
        assert next(found)["id"] == end
        keep_rows(live, 100, 31)
        assert flows(found, 1)[0] == [31]
    with listen(url, last_event_id="0-9999-3") as socket:
        come: list[str] = []
        batches = count(101)

        def told() -> bool:  # when it has heard what this one says is not to be seen
            number = next(batches)
            keep_rows(live, number, number)
            with suppress(TimeoutError):
                come.append(str(socket.recv(1)))
            return bool(come)

        assert eventually(told)
        assert json.loads(come[0])["row"]["flow"] > 100
