"""Texts that are not registered, checked and explained over HTTP."""

from __future__ import annotations

from support.command_line import HIGH
from support.servers import ask


def test_a_text_is_checked(plain_url: str) -> None:
    assert ask(f"{plain_url}/check", "POST", HIGH).json["valid"]
    wrong = ask(f"{plain_url}/check", "POST", "SELECT ?e.flow FILTER (?e.flwo > 50)")
    assert wrong.status == 200
    (problem,) = wrong.json["problems"]
    assert (problem["line"], problem["column"], problem["end_column"]) == (1, 27, 31)
    assert ask(f"{plain_url}/check", "POST", "").json["problems"][0]["message"] == "there is no query"


def test_a_text_is_explained(plain_url: str) -> None:
    found = ask(f"{plain_url}/explain?form=dot", "POST", HIGH)
    assert (found.status, found.media_type) == (200, "text/vnd.graphviz")
    wrong = ask(f"{plain_url}/explain", "POST", "SELECT")
    assert (wrong.status, wrong.media_type) == (400, "application/problem+json")
