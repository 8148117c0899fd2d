"""What AFTER MATCH forbids to partial matches: matches that nothing can come before any more, and no others."""

from __future__ import annotations

import pytest
from kaicep import Project
from support.mode_queries import CONTENT, at

PROJECT = Project.parse(CONTENT)
AFTER = "AFTER MATCH SKIP PAST LAST EVENT"


def held(  # noqa: PLR0917 - a query and what came
    pattern: str, came: str, seconds: list[float], after: str, more: str = "", said: str = "LIST(?a.id) AS a"
) -> list[str]:
    """The ids that partial matches hold at the time of the last of some letters, each with its value of `x`."""
    rows = [
        {"id": f"{k}{i}", "t": at(second).isoformat(), "k": k, "x": int(x)}
        for i, (k, x, second) in enumerate(zip(came[::2], came[1::2], seconds, strict=True))
    ]
    variables = [v for v in "abc" if f"?{v}" in pattern + more]
    sources = ", ".join(f"(?{v}, S)" for v in variables)
    window = ", ".join(f"?{v}" for v in variables)
    clauses = f"SEQ ({pattern}) {more} WINDOW ({window}, 9s) POLICY next {after}"
    text = f"CREATE QUERY q AS SELECT {said} FROM {sources} {clauses};"
    asked = "SELECT ?e.id FROM (?e, STATE(q)) ORDER BY ?e.id"
    return [row["id"] for row in PROJECT.evaluate(text + asked, {"S": rows}, ask_at=at(seconds[-1]))]


@pytest.mark.parametrize(
    ("seconds", "after", "expected"),
    [
        ([1, 2], "", ["a0", "a1"]),
        ([1, 2], AFTER, []),  # a0 a1 is a match as it stands; a1 alone, which may go on, would come behind it
        ([1, 1], "", ["a0", "a1"]),
        ([1, 1], AFTER, ["a1"]),  # nothing of the same time prolongs a0, and a1 came between it and all that is later
    ],
)
def test_matches_are_settled_beside_runs_of_the_same_time_that_may_go_on(
    seconds: list[float], after: str, expected: list[str]
) -> None:
    assert held("?a{,2; =>}, ?b*~", "a1a1", seconds, after) == expected


@pytest.mark.parametrize(("first", "expected"), [("b1", ["a0", "a4", "b1"]), ("a1", [])])
def test_a_match_behind_one_that_is_undecided_is_not_settled(first: str, expected: list[str]) -> None:
    """a0 b1 may take one more b of its x, so that it would come behind the match of the other x, or not."""
    more = "FILTER (?a.k = 'a') FILTER (?b.k = 'b') JOIN (?a.x = ?b.x)"
    came = ["a1", first, "a2", "b2", "a1", "b2"]
    assert held("?a, ?b{1,2}", "".join(came), [1, 2, 3, 4, 5, 6], AFTER, more) == expected


@pytest.mark.parametrize(("after", "expected"), [("", ["a0", "a1", "c2"]), (AFTER, [])])
def test_they_are_settled_beside_variables_that_seq_does_not_name(after: str, expected: list[str]) -> None:
    more = "FILTER (?a.k = 'a') FILTER (?b.k = 'a') FILTER (?c.k = 'c')"
    assert held("?a{,2; =>}, ?b*~", "a1a1c1", [1, 1, 1], after, more) == expected


@pytest.mark.parametrize(
    ("came", "seconds", "expected"),
    [
        ("a1", [1], ["a0"]),  # it may be a match of one or of two
        ("a1a1", [1, 2], []),
        ("a1a1", [1, 1], []),  # a0 is a match, though it is not reported before the watermark has passed
    ],
)
def test_limit_counts_what_is_settled(came: str, seconds: list[float], expected: list[str]) -> None:
    assert held("?a{,2; =>}, ?b*~", came, seconds, "LIMIT 1") == expected


@pytest.mark.parametrize(("distinct", "expected"), [("", []), ("DISTINCT ", ["a0", "a1", "a2"])])
def test_limit_counts_rows_that_distinct_leaves(distinct: str, expected: list[str]) -> None:
    """a0 and a1 are matches, which say the same."""
    said = f"{distinct}FIRST(?a.k) AS k"
    assert held("?a{,2; =>}, ?b*~", "a1a1a1", [1, 1, 1], "LIMIT 2", said=said) == expected
