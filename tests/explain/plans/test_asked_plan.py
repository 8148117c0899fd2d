"""What is said of a query that is asked once."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.explain.plans import explain_asked
from kaicep.language.checks import asks_of_states
from support.cover_pairs import content

REGISTERED = (
    "CREATE QUERY pairs AS SELECT ?a.id FROM (?a, S), (?b, S) FILTER (?a.v > 1) SEQ (?a, ?b) WINDOW (?a, ?b, 9s);\n"
)
BODY = "SELECT ?x.id FROM (?x, S), (?y, S) FILTER (?x.v = 2) SEQ (?x, ?y) WINDOW (?x, ?y, 5s)"
COVER = "?{} is a ?a, ?{} is a ?b, and all that is asked of these follows"
ON = "the query is evaluated on its state"
SAME = "SELECT ?b.k FROM (?a, S), (?b, S) FILTER (?a.v > 1) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("STATE(pairs)", "the events in the state of 'pairs'"),
        ("STATE(pairs.?a)", "the events in the state of 'pairs', of those bound to ?a"),
        ("PARTIAL(pairs)", "one event for each partial match of 'pairs'"),
        (f"STATE({{ {BODY} }})", f"from 'pairs', which covers it: {COVER.format('x', 'y')}; {ON}"),
        (f"STATE({{ {SAME} }})", f"from 'pairs', which covers it: {COVER.format('a', 'b')}; its state is the same"),
    ],
)
def test_it_is_said_from_which_state_events_are(state: str, said: str, tmp_path: Path) -> None:
    text = f"SELECT COUNT(?e) AS n FROM (?e, {state})"
    assert asks_of_states(text)
    project = Project.parse(content(tmp_path))
    plan = explain_asked(project, project.compile(REGISTERED + text, asked=True)[-1])
    assert plan.text == "aggregation, asked once"
    assert (plan.children[0].label, plan.children[0].text) == ("?e", said)
    assert "within" not in [child.label for child in plan.children]


def test_other_queries_ask_of_no_state() -> None:
    assert not asks_of_states(REGISTERED)
    assert not asks_of_states("SELECT ?c.context FROM (?c, CONTEXTS(road))")


def test_what_paths_ask_of_states_is_told(tmp_path: Path) -> None:
    project = Project.parse(content(tmp_path))
    text = "SELECT ?e.id FROM (?e, STATE(pairs)) PATH { ?e x:by ?d . ?d a x:Fan }"
    plan = explain_asked(project, project.compile(REGISTERED + text, asked=True)[-1])
    assert "semantic filter" in [below.label for child in plan.children for below in child.children]
