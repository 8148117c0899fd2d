"""A text is checked as somebody types it: what is wrong is told by lines and columns."""

from __future__ import annotations

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.queries.query_check import CheckedText, check_text

NONE = ox.Store()


def test_what_is_right(plain: Settings) -> None:
    found = check_text(NONE, plain, "SELECT ?e.sensor AS sensor, ?e.flow AS flow FILTER (?e.flow > 50)")
    assert found == CheckedText(valid=True, columns=("sensor", "flow"))


def test_what_is_wrong_and_where(plain: Settings) -> None:
    found = check_text(NONE, plain, "SELECT ?e.flow AS flow\n  FILTER (?e.flwo > 50)")
    assert not found.valid
    (problem,) = found.problems
    assert (problem.line, problem.column, problem.end_line, problem.end_column) == (2, 14, 2, 18)
    assert problem.hint is not None
    assert problem.hint.startswith("did you mean 'flow")
    assert problem.text.splitlines()[-1].startswith("    |              ^^^^")


def test_a_text_that_has_no_query(plain: Settings) -> None:
    for text, said in (("", "there is no query"), ("CREATE CONTEXTS a (b DEFAULT, c)", "the document has no query")):
        (problem,) = check_text(NONE, plain, text).problems
        assert (problem.message, problem.line, problem.column) == (said, 1, 1)


def test_names_that_nobody_has_are_warned_of(plain: Settings) -> None:
    found = check_text(NONE, plain, "SELECT ?e.flow WHERE { PATH { ?e a ex:Nobody } }")
    assert found.valid
    (warning,) = found.warnings  # the page reads place, message and way out of it
    assert warning.splitlines() == [
        "query:1:36: unknown class ex:Nobody",
        "  1 | SELECT ?e.flow WHERE { PATH { ?e a ex:Nobody } }",
        "    |                                    ^^^^^^^^^ no loaded module mentions it; knowledge may come later",
    ]


def test_a_query_that_asks_states(settings: Settings) -> None:
    (settings.root / "queries" / "named.chi").write_text("CREATE QUERY high AS SELECT ?e.flow FILTER (?e.flow > 50)")
    found = check_text(NONE, settings, "SELECT ?p.flow FROM (?p, STATE(high))")
    assert (found.valid, found.asked) == (True, True), found
    assert not check_text(NONE, settings, "SELECT ?p.flow FROM (?p, STATE(hihg))").valid
