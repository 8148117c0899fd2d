"""Queries are explained in words, as JSON and as pictures, registered or not."""

from __future__ import annotations

import json

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.errors import KaicepError
from kaicep.server.problem import ProblemError
from kaicep.server.queries.query_explanation import (
    ExplainedSubject,
    ExplanationForm,
    explain_registered,
    explain_text,
)
from support.command_line import HIGH, call

NONE = ox.Store()
DOOR = "CREATE CONTEXTS door (shut DEFAULT, open); INITIATE CONTEXT open FROM (?e, air) FILTER (?e.flow > 1)"


def test_words_are_those_of_the_command_line(plain: Settings) -> None:
    found = explain_text(NONE, plain, HIGH, "text", "plan")
    assert found.media_type == "text/plain"
    assert found.content.decode() == call("explain", HIGH, "-p", plain.root).stdout.rstrip("\n")
    registered = explain_registered(NONE, plain, "high", "text", "plan").content.decode()
    assert registered.splitlines()[1:] == found.content.decode().splitlines()[1:]


def test_json_is_the_tree(plain: Settings) -> None:
    plan = json.loads(explain_text(NONE, plain, HIGH, "json", "plan").content)
    assert set(plan) == {"label", "text", "children"}
    assert plan["children"]
    both = json.loads(explain_text(NONE, plain, f"{HIGH}; {HIGH}", "json", "plan").content)
    assert (both["label"], len(both["children"])) == ("document", 2)


@pytest.mark.parametrize(
    ("form", "subject", "begin"),
    [
        ("mermaid", "plan", "flowchart"),
        ("dot", "plan", "digraph"),
        ("mermaid", "automata", ""),
        ("mermaid", "filters", ""),
        ("mermaid", "contexts", ""),
    ],
)
def test_pictures(plain: Settings, form: ExplanationForm, subject: ExplainedSubject, begin: str) -> None:
    text = "SELECT ?a.flow FROM (?a, air), (?b, air) WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 1min) }"
    if subject == "contexts":
        text = f"{DOOR}; SELECT ?e.flow FROM (?e, air) IN CONTEXT open"
    found = explain_text(NONE, plain, text, form, subject)
    assert begin in found.content.decode()
    assert found.content


def test_what_cannot_be_explained(plain: Settings) -> None:
    with pytest.raises(ProblemError, match="automata are pictures"):
        explain_text(NONE, plain, HIGH, "json", "automata")
    with pytest.raises(ProblemError, match="the text of 'other' is not known"):
        explain_registered(NONE, plain, "other", "text", "plan")
    for text in ("SELECT", "# nothing"):
        with pytest.raises(KaicepError):
            explain_text(NONE, plain, text, "text", "plan")
