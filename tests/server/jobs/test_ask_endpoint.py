"""States are asked over HTTP; what cannot be asked is a problem document."""

from __future__ import annotations

from pathlib import Path

from support.asked_engine import ASKED, stopped_engine
from support.servers import ask, serving


def test_what_the_last_engine_has_left_is_asked(tmp_path: Path) -> None:
    settings, expected = stopped_engine(tmp_path, ASKED[0])
    with serving(settings) as url:
        found = ask(f"{url}/ask", "POST", ASKED[0])
    assert found.status == 200
    assert found.json["columns"] == list(expected.columns)
    assert [row["id"] for row in found.json["rows"]] == [row["id"] for row in expected] != []


def test_what_cannot_be_asked_is_told(plain_url: str) -> None:
    wrong = ask(f"{plain_url}/ask", "POST", "SELECT")
    assert (wrong.status, wrong.media_type) == (422, "application/problem+json")
    assert ask(f"{plain_url}/ask", "POST", " ").status == 400
