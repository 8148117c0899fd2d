"""Words, examples and contexts over HTTP."""

from __future__ import annotations

from support.command_line import HIGH
from support.servers import ask


def test_for_those_who_write_queries(plain_url: str) -> None:
    assert ask(f"{plain_url}/examples").json == [{"label": "high", "text": HIGH}]
    assert [one["name"] for one in ask(f"{plain_url}/vocabulary").json["streams"]] == ["air"]
    assert ask(f"{plain_url}/contexts").json == []
    assert ask(f"{plain_url}/contexts?last=bogus").status == 400
