"""Browsers run nothing of what is answered, and keep nothing."""

from __future__ import annotations

from support.servers import ask


def test_an_answer_runs_nothing_and_is_kept_nowhere(plain_url: str) -> None:
    for path in ("/queries", "/no/such/place", "/queries/high/explain?form=svg"):
        headers = ask(plain_url + path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; ")
        assert headers["content-security-policy"].endswith("; sandbox")
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_what_says_more_itself_is_left_so(plain_url: str) -> None:
    headers = ask(f"{plain_url}/").headers
    assert headers["content-security-policy"].startswith("default-src 'self'; ")
    assert headers["cache-control"] == "no-cache"
