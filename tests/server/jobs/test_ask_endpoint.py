"""States are asked over HTTP; what cannot be asked is a problem document."""

from __future__ import annotations

from support.servers import ask


def test_what_cannot_be_asked_is_told(plain_url: str) -> None:
    wrong = ask(f"{plain_url}/ask", "POST", "SELECT")
    assert (wrong.status, wrong.media_type) == (422, "application/problem+json")
    assert ask(f"{plain_url}/ask", "POST", " ").status == 400
