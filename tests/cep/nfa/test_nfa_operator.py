"""Patterns with runs, by example: what docs/semantics.md 3.8 says, one sentence each; the oracle says the same."""

from __future__ import annotations

import pytest
from kaicep.cep import build_operator
from kaicep.cep.nfa import nfa_operator
from support.letter_readings import readings, text_of
from support.letters import answer, expected, question, written
from support.operators import compiled, feed

CASES = {
    "greedy is as long as it gets": ("?a -> ?b{1,; ->} -> ?c", (), "a b b c c", ["a1 b2 b3 c4"]),
    "every length is a run": ("?a -> ?b{1,; ->}~ -> ?c", (), "a b b c", ["a1 b2 b3 c4", "a1 b2 c4"]),
    "any combination under ->>": ("?a ->> ?b+ ->> ?c", (), "a b b c", ["a1 b2 b3 c4", "a1 b2 c4", "a1 b3 c4"]),
    "whether ~ comes at all is decided first": (
        "(?a -> ?b){1,; ->} -> ?c{0,1; ->}~", ("POLICY next",), "a b c a b c",
        ["a1 b2 c3", "a1 a4 b2 b5", "a4 b5", "a4 b5 c6"],
    ),
    "what the next repetition could take is passed over by no length that has one": (
        "?a => (?b -> ?c{0,2; =>}){1,; ->>}~", (), "a b b c b",
        ["a1 b2 b3 c4", "a1 b2 c4", "a1 b2 b3 b5 c4", "a1 b2 b5"],
    ),
    "an empty ~ is known to be empty": (
        "?a -> ?b{0,; ->}~ -> ?c", ("JOIN (SUM(?b.x) < ?a.x)",), "a0 a1 c", ["a2 c3"],
    ),
    "strict inside": ("?a ->> ?b{2; =>}", (), "a b z b b", ["a1 b4 b5"]),
    "a run at the end waits": ("?a -> ?b{1,2; ->}", (), "a b", ["a1 b2"]),
    "nothing is written when repeated zero times": ("?a -> ?b{0,; ->} => ?c", (), "a c", ["a1 c2"]),
    "a match is reported once, when the first of two NOTs ends": (
        "?a{1,2; ->} -> (NOT ?n FOR 2s OR NOT ?m FOR 4s)", ("POLICY next",), "a a z@30", ["a1 a2", "a2"],
    ),
    "groups": ("(?a -> ?b){2; ->}", ("POLICY next",), "a b a b", ["a1 a3 b2 b4"]),
    "UNTIL ends a run": ("?a -> ?b{1,; ->} UNTIL (?b.x > 5) -> ?c", (), "a b1 b9 b1 c", ["a1 b2 c5"]),
    "UNTIL compares events": ("?a ->> ?b+ UNTIL (?b.x > ?a.x)", (), "a3 b1 b5 b2", ["a1 b2", "a1 b4"]),
    "UNTIL of a group compares events": (
        "?a ->> (?b, ?c){1,; ->>} UNTIL (?b.x > ?a.x)", ("WINDOW (?a, ?c, 3s)",), "a3 b1 c b5 c", ["a1 b2 c3"],
    ),
    "PREV": ("?a -> ?b{1,; ->} -> ?c", ("JOIN (?b.x > PREV(?b.x))",), "a b1 b3 b2 c", ["a1 b2 b3 c5"]),
    "RUNNING": ("?a -> ?b{1,; ->} -> ?c", ("JOIN (?b.x >= RUNNING AVG(?b.x))",), "a b2 b1 b4 c", ["a1 b2 b4 c5"]),
    "aggregates of a run": ("?a -> ?b{1,; ->} -> ?c", ("JOIN (?c.x > SUM(?b.x))",), "a b2 b3 c4 c6", ["a1 b2 b3 c5"]),
    "a JOIN asks of one event what it asks besides": (
        "?a ->> ?b{1,2; ->>}~", ("JOIN (?a.x > 5 AND ?b.x < ?a.x)",), "a1 b0 a7 b1 b8 b2",
        ["a3 b4", "a3 b4 b6", "a3 b6"],
    ),
    "a JOIN asks of no event what it asks besides": (
        "?a ->> ?b{1,2; ->>}~", ("JOIN (?b.x < ?a.x AND 1 = 2)",), "a5 b1 b2", [],
    ),
    "a JOIN asks of one event alone, part by part": (
        "?a ->> ?b{1,2; ->>}~", ("JOIN (?a.x > 5 AND ?b.x < 3)",), "a1 b0 a7 b1 b4 b2", ["a3 b4", "a3 b4 b6", "a3 b6"],
    ),
    "what is equal to an aggregate": (
        "?a -> ?b{1,; ->} -> ?c", ("JOIN (?c.x = SUM(?b.x))",), "a b2 b3 c4 c5", ["a1 b2 b3 c5"],
    ),
    "what is equal to the event before": (
        "?a -> ?b{1,; ->} -> ?c", ("JOIN (PREV(?b.x) = ?a.x)",), "a2 b1 b2 b2 c", ["a1 b2 c5"],
    ),
    "NOT between repetitions": ("(?a -> NOT ?n){2; ->}", ("POLICY next",), "a n a a", ["a3 a4"]),
    "NOT FOR behind a run": ("?a{2; ->} -> NOT ?n FOR 2s", (), "a a n@9 a@10 a@11 n@12", ["a1 a2"]),
    "a JOIN with a NOT ties no events of a run": (
        "NOT ?n FOR 3s ->> ?b{2; ->>}",
        ("JOIN (?n.group = ?b.group)",),
        "n@0/l b@1/l b@2/r",
        ["b2 b3"],
    ),
    "AND in AND": ("(?a AND (?b AND ?c)) -> ?d{1,; ->}", (), "a b c d d", ["a1 b2 c3 d4 d5"]),
    "AND in AND in any order": ("(?a AND (?b AND ?c)) => ?d{1,; =>}", ("POLICY strict",), "c a b d", ["a2 b3 c1 d4"]),
    "AND in AND behind NOT FOR": (
        "?d -> NOT ?n FOR 2s -> (?a AND (?b AND ?c)) -> ?e{1,; ->}", (), "d b@2 b@3 a@4 c e", ["d1 a4 b3 c5 e6"],
    ),
    "OR in AND in AND behind what may come": (
        "?d? -> (?a AND (?b AND (?c OR ?e))) -> ?f+~", ("POLICY next",), "e b a f f", ["a3 b2 e1 f4", "a3 b2 e1 f4 f5"],
    ),
    "the next repetition of an AND may have equal time stamps": (
        "(?b AND ?c){2; ->} -> ?d{1,; ->}", ("POLICY next",), "b@0 c@1 b@2 c@2 d", ["b1 b3 c2 c4 d5"],
    ),
    "NOT FOR in a repeated AND looks from the iteration before": (
        "(NOT ?n FOR 2s AND ?b){2; ->} -> ?c{1,; ->}", ("POLICY next",), "b n@3 b@4 c@5", ["b1 b3 c4"],
    ),
    "NOT FOR in a repeated AND": (
        "?a -> (NOT ?n FOR 2s AND ?b){2; ->} -> ?c", ("POLICY next",), "a b@3 n@4 b@6 c@7", [],
    ),
    "NOT FOR in an AND in a repeated AND": (
        "(?b AND (?c AND NOT ?n FOR 1s)){2; ->} -> ?a", ("POLICY next",), "b@1 c@3 b@5 c@5 a@6", ["b1 b3 c2 c4 a5"],
    ),
    "AND in AND in what is repeated": (
        "(?a AND (?b AND ?c)){2; ->} -> ?d", ("POLICY next",), "c b a a b c d", ["a3 a4 b2 b5 c1 c6 d7"],
    ),
    "skip past the last event": (
        "?a -> ?b{1,; ->} -> ?c",
        ("AFTER MATCH SKIP PAST LAST EVENT",),
        "a a b c a b c",
        ["a1 b3 c4", "a5 b6 c7"],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_runs(case: tuple[str, tuple[str, ...], str, list[str]]) -> None:
    pattern, clauses, events, matches = case
    text = question(pattern, *clauses)
    assert written(expected(text, events)) == matches
    assert answer(text, events) == expected(text, events)


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        ("?a => ?b{1,2; =>} => NOT ?n", ["a", "b", *["z"] * 38]),
        ("?a -> NOT ?n -> ?b{1,; ->}", ["n"] * 40),
        ("?a -> ?b{1,; ->} UNTIL (?b.n > 3)", ["b9"] * 40),
    ],
)
def test_what_was_long_ago_is_forgotten(pattern: str, letters: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a stream in which hardly any event can be part of a match: which came next, what is under NOT."""
    monkeypatch.setattr(nfa_operator, "_FEW", 20)
    operator = build_operator(query := compiled(text_of(pattern, window="4s")))
    sizes = []
    for hour in range(30):
        shifted = [{**r, "id": f"{r['id']}-{hour}", "t": r["t"] + 40 * hour} for r in readings(" ".join(letters))]
        feed(operator, query, shifted, until=40 * hour + 39.5)
        sizes.append(len(operator.snapshot()))
    assert max(sizes) < 2 * sizes[0]


def test_runs_that_leave_an_or_without_an_event_are_of_one_length() -> None:
    """With one repetition x2 may be ?d; with two it is the second ?b, for the left side of the OR counts."""
    text = question("(?b -> (?c{0,; ->}~ OR ?d)){1,; ->}~", "POLICY next")
    for variable in "bcd":
        text = text.replace(f"FILTER (?{variable}.kind = '{variable}')\n", "")
    found = [(row["_events"]["b"], row["_events"]["d"]) for row in expected(text, "x x x")]
    ids = [f"urn:kaicep:event:letters/x{place}" for place in (1, 2, 3)]
    assert (ids[:1], [ids[1]]) in found
    assert (ids[:2], [ids[2]]) in found
    assert ([ids[0], ids[2]], [ids[1]]) not in found
    assert answer(text, "x x x") == expected(text, "x x x")
