"""Streams over HTTP."""

from __future__ import annotations

from support.servers import ask


def test_streams(plain_url: str) -> None:
    assert [one["name"] for one in ask(f"{plain_url}/streams").json] == ["air"]
    assert ask(f"{plain_url}/streams/air").json["time"] == "at"
    assert ask(f"{plain_url}/streams/air/events?last=3").json == []
    assert ask(f"{plain_url}/streams/air/events?last=0").status == 422
    for path in ("/streams/ari", "/streams/ari/events"):
        found = ask(plain_url + path)
        assert (found.status, found.json["hint"]) == (404, "did you mean 'air'?")
