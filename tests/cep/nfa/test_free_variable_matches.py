"""What FROM has and SEQ does not name, beside runs: joined in any order, without a say in what runs take."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from support.letters import agreed, answer, expected, question, seconds, written


@dataclass(frozen=True)
class Case:
    """A pattern beside which `?o` stands, a stream, further clauses, and the matches."""

    pattern: str
    events: str
    matches: tuple[str, ...]
    clauses: tuple[str, ...] = ()
    window: str | None = "1h"
    beside: str = "o"


CASES = {
    "before, between and behind the run": Case("?a -> ?b+", "o a o b o", ("a2 b4 o1", "a2 b4 o3", "a2 b4 o5")),
    "within the window": Case("?a -> ?b+", "o a b@9 o@9.5 o@9.6", ("a2 b3 o4",), window="8500ms"),
    "with a window of its own": Case(
        "?a -> ?b+", "o a b o@20", ("a2 b3 o1",), ("WINDOW (?a, ?b, 5s)", "WINDOW (?a, ?o, 9s)"), window=None,
    ),
    "tied by way of another": Case(
        "?a -> ?b+", "a b o@8 p@16 p@30", ("a1 b2 o3 p4",),
        ("WINDOW (?a, ?b, 5s)", "WINDOW (?a, ?o, 9s)", "WINDOW (?o, ?p, 9s)"), window=None, beside="op",
    ),
    "its stream counts for =>": Case("?a => ?b{1,; =>}", "a o b a b", ("a4 b5 o2",)),
    "SKIP goes by the first of all events": Case(
        "?a -> ?b{1,; ->}", "o a a b", ("a2 b4 o1",), ("AFTER MATCH SKIP TO NEXT EVENT",),
    ),
    "SKIP to it": Case(
        "?a{1,2; =>}", "a o a o", ("a1 o2", "a3 o2", "a3 o4"), ("AFTER MATCH SKIP TO LAST ?o",),
    ),
    "CONSUME takes it": Case("?a -> ?b{1,; ->}", "o a b a b o", ("a2 b3 b5 o1",), ("AFTER MATCH CONSUME",)),
    "PARTITION BY": Case(
        "?a -> ?b{1,; ->}", "a/l a/r b/l b/r o/r", ("a2 b4 o5",), ("PARTITION BY group",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_seq_does_not_name(case: Case) -> None:
    found = agreed(case.pattern, case.events, *case.clauses, window=case.window, beside=case.beside)
    assert found == list(case.matches)


def test_a_match_becomes_true_with_its_last_event_whosever_it_is() -> None:
    rows = answer(question("?a -> ?b{1,2; ->}", beside="o"), "o a b o@9")
    assert seconds(rows) == [2, 9]


def test_distinct_variables_are_bound_to_distinct_events() -> None:
    text = question("?a{1,2; ->}", beside="op").replace("?p.kind = 'p'", "?p.kind != 'z'")
    assert written(answer(text, "a o o")) == written(expected(text, "a o o")) == ["a1 o2 o3", "a1 o3 o2"]
