"""The archive over HTTP."""

from __future__ import annotations

from support.servers import ask


def test_archive(plain_url: str) -> None:
    assert ask(f"{plain_url}/archive?gap=1h").json["events"] == 0
    wrong = ask(f"{plain_url}/archive?gap=soon")
    assert (wrong.status, wrong.json["detail"]) == (400, "gap: 'soon' is no duration")
    assert ask(f"{plain_url}/archive?gap=-1h").json["detail"] == "gap: '-1h' is less than nothing"
    assert ask(f"{plain_url}/archive?gap=0s").json["detail"] == "gap: '0s' is no time at all"
    assert ask(f"{plain_url}/queries/hihg/chart").status == 404
