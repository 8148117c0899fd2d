"""Runs of patterns that repeat nothing: links, AND, OR, NOT in all its places (docs/semantics.md 3.7, 3.8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from kaicep.cep import Operator, build_operator
from kaicep.cep.order import Interval
from kaicep.expressions.frames import micros
from kaicep.language.checks.compiler import check_document
from support.operators import START, STREAMS, Reading, at, compiled, events, feed, short

_EVENT = re.compile(r"(?P<kind>[a-z])(?P<n>\d+)?(@(?P<at>[\d.]+))?(/(?P<sensor>\w))?(?P<alarm>!)?")


def readings(text: str) -> list[Reading]:
    """`a b7@2.5/s c!`: kind, `n`, second (a second after the one before), `sensor`, `!` for the stream of alarms."""
    found: list[Reading] = []
    for place, word in enumerate(text.split(), 1):
        event = _EVENT.fullmatch(word)
        assert event is not None, word
        t = float(event["at"]) if event["at"] else found[-1]["t"] + 1 if found else 0.0
        n = int(event["n"]) if event["n"] else None
        stream = "alarms" if event["alarm"] else "readings"
        found.append(
            {"id": f"{event['kind']}{place}", "t": t, "note": event["kind"], "n": n, "stream": stream,
             "sensor": event["sensor"]}
        )  # fmt: skip
    return found


def text_of(pattern: str, *clauses: str, window: str | None = "20s", select: str = "") -> str:
    """A query whose variables are named by the kind of their events; `x`, `y`, `z` are of any kind."""
    variables = list(dict.fromkeys(re.findall(r"\?(\w)\b", " ".join([pattern, *clauses]))))
    absent = re.findall(r"NOT \?(\w)\b", pattern)
    matched = [v for v in variables if v not in absent]
    filters = [f"FILTER (?{v}.note = '{v}')" for v in variables if v not in "xyz"]
    width = [f"WINDOW ({', '.join(f'?{v}' for v in matched)}, {window})"] if window and len(matched) > 1 else []
    before = [c for c in clauses if c.startswith("JOIN")]
    behind = [c for c in clauses if not c.startswith("JOIN")]
    return "\n".join(
        [f"SELECT {select or f'?{matched[0]}.n AS n'}", f"FROM {', '.join(f'(?{v}, readings)' for v in variables)}",
         *filters, *before, f"SEQ ({pattern})", *width, *behind]
    )  # fmt: skip


def ask(pattern: str, stream: str, *clauses: str, window: str | None = "20s") -> list[str]:
    """The events of each row; whole, and in batches of one event with a snapshot between."""
    query = compiled(text_of(pattern, *clauses, window=window))
    rows = readings(stream)
    found = events(feed(build_operator(query), query, rows))
    operator, pieces = build_operator(query), []
    for one in sorted(rows, key=lambda r: r["t"]):
        pieces += feed(operator, query, [one], until=one["t"])
        operator = _resumed(operator)
    pieces += feed(operator, query, [])
    assert events(pieces) == found
    return found


def _resumed(operator: Operator) -> Operator:
    fresh = build_operator(operator.query)  # type: ignore[attr-defined]  # the host's query
    fresh.restore(operator.snapshot())
    return fresh


def seconds(rows: Sequence[dict[str, Any]]) -> list[float]:
    return [(row["_time"] - START).total_seconds() for row in rows]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("?a ->> ?b", ["a1 b3", "a1 b4"]),
        ("?a -> ?b", ["a1 b3"]),
        ("?a => ?b", []),
        ("?a => ?c", ["a1 c2"]),
        ("?a -> ?b => ?d", []),
        ("?a ->> ?b => ?d", ["a1 b4 d5"]),
        ("?a => ?c -> ?b ->> ?d", ["a1 c2 b3 d5"]),
        ("?a -> ?d", ["a1 d5"]),
    ],
)
def test_links_say_what_may_be_passed_over(pattern: str, found: list[str]) -> None:
    assert ask(pattern, "a c b b d") == found


def test_policy_is_the_link_of_commas() -> None:
    for policy, found in (("any", ["a1 b3", "a1 b4"]), ("next", ["a1 b3"]), ("strict", [])):
        assert ask("?a, ?b", "a c b b", f"POLICY {policy}") == found


def test_every_beginning_is_a_run_of_its_own() -> None:
    assert ask("?a -> ?b", "a a b b") == ["a1 b3", "a2 b3"]


def test_the_next_event_is_the_first_that_satisfies_the_joins() -> None:
    assert ask("?a -> ?b", "a5 b3 b7 b9", "JOIN (?b.n > ?a.n)") == ["a1 b3"]
    assert ask("?a -> ?b", "a/s b/t a/t b/t b/s", "JOIN (?b.sensor = ?a.sensor)") == ["a3 b4", "a1 b5"]


def test_a_join_is_asked_as_a_whole_once_all_its_variables_are_bound() -> None:
    """The run takes the first b, whatever its n, since the JOIN names d too."""
    assert ask("?a -> ?b -> ?d", "a b1 b5 d1", "JOIN (?b.n = 5 AND ?d.n = 1)") == []
    assert ask("?a -> ?b -> ?d", "a b5 d2 d1", "JOIN (?b.n = 5 AND ?d.n = 1)") == ["a1 b2 d4"]


def test_equal_time_stamps_are_passed_over() -> None:
    assert ask("?a -> ?b", "a@1 b@1 b@2") == ["a1 b3"]
    assert ask("?a => ?b", "a@1 b@1 b@2") == []


def test_a_window_that_closes_ends_the_run() -> None:
    assert ask("?a -> ?b -> ?d", "a@0 b@3 d@5 d@6", window="4s") == []


def test_an_event_outside_the_window_is_no_next_event() -> None:
    """The first b that satisfies WINDOW is too late for d, and the run has taken it."""
    query = "WINDOW (?a, ?b, 4s) WINDOW (?b, ?d, 2s)"
    assert ask("?a -> ?b -> ?d", "a@0 b@1 b@3 d@5", query, window=None) == []


def test_the_very_next_event_is_that_of_all_streams_and_of_the_partition() -> None:
    query = compiled(
        "SELECT ?a.n AS n FROM (?a, readings), (?b, alarms) FILTER (?a.note = 'a') FILTER (?b.note = 'b') "
        "SEQ (?a => ?b) WINDOW (?a, ?b, 9s)"
    )
    assert events(feed(build_operator(query), query, readings("a b! a c b! a d! b!"))) == ["a1 b2"]
    assert ask("?a => ?b", "a/s c/t b/s a/t b/t", "PARTITION BY sensor") == ["a1 b3", "a4 b5"]


def test_an_event_that_stands_twice_is_taken_as_each_of_its_solutions() -> None:
    query = compiled(
        "SELECT ?room, ?a.n AS n FROM (?a, readings), (?b, readings) "
        "PATH {?b evt:hasSource ?s . ?s bd:hasLocation ?room} FILTER (?a.note = 'a') FILTER (?b.note = 'b') "
        "SEQ (?a -> ?b) WINDOW (?a, ?b, 9s)"
    )
    a, b, later = readings("a1 b b")
    rows = [a, {**b, "?room": "p"}, {**b, "?room": "q"}, {**later, "?room": "p"}]
    assert [(row["room"], row["_events"]) for row in feed(build_operator(query), query, rows)] == [
        ("p", {"a": ["a1"], "b": ["b2"]}),
        ("q", {"a": ["a1"], "b": ["b2"]}),
    ]


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, (?b AND ?d)", "d a d b", ["a2 b4 d3"]),
        ("?a, (?b AND ?d)", "a b@1 d@1", ["a1 b2 d3"]),
        ("(?b AND ?d), ?a", "d b a", ["b2 d1 a3"]),
        ("?a -> (?b AND ?d)", "a b b d", ["a1 b2 d4"]),
        ("?a -> (?b AND ?d) -> ?f", "a d f b f", ["a1 d2 b4 f5"]),
        ("?a => (?b AND ?d)", "a d b", ["a1 b3 d2"]),
        ("?a => (?b AND ?d)", "a d f b", []),
        ("?a -> ((?b => ?d) AND ?f)", "a b f d", ["a1 b2 d4 f3"]),
        ("?a -> ((?b => ?d) AND ?f)", "a b c f d", []),
    ],
)
def test_and_takes_both_in_any_order(pattern: str, stream: str, found: list[str]) -> None:
    """Its link is also between its events; what a run takes for another part is not passed over."""
    taken = [" ".join(sorted(f.split())) for f in ask(pattern, stream)]
    assert taken == [" ".join(sorted(f.split())) for f in found]


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, (?b OR ?d)", "a d b d", ["a1 d2", "a1 b3", "a1 d4"]),
        ("?a -> (?b OR ?d)", "a c d b", ["a1 d3"]),
        ("?a -> (?b OR ?d) -> ?f", "a d f b f", ["a1 d2 f3"]),
        ("?a -> (?x OR ?b)", "a b", ["a1 b2"]),
        ("?a ->> (?x OR ?b)", "a b", ["a1 b2", "a1 b2"]),
        ("?a -> (?x OR NOT ?n FOR 1s) -> ?b", "a@0 c@2 b@3 b@4", ["a1 c2 b3"]),
        ("?a -> (?x OR NOT ?n FOR 1s) -> ?b", "a@0 b@2 b@4", ["a1 b2 b3"]),
        ("?a -> (?f OR NOT ?n FOR 1s) -> ?b", "a@0 b@2 f@4", ["a1 b2"]),
        ("?a -> (NOT ?n FOR 1s OR ?x) -> ?b", "a@0 b@2 b@4", ["a1 b2"]),
        ("?a -> ((?b -> ?d) OR ?f)", "a b f d", ["a1 b2 d4"]),
    ],
)
def test_or_takes_one_side(pattern: str, stream: str, found: list[str]) -> None:
    """Of an event that fits both only the left side, unless the link is `->>`."""
    assert ask(pattern, stream) == found


def test_what_the_other_side_of_an_or_binds_is_unbound_and_its_joins_are_not_asked() -> None:
    text = text_of("?a -> (?b OR ?d)", "JOIN (?b.n > ?a.n)", "JOIN (?d.n > ?a.n)", select="?b.n AS b, ?d.n AS d")
    query = compiled(text)
    rows = feed(build_operator(query), query, readings("a5 d3 d7 b9 a1 b2"))
    assert short(rows) == [{"b": None, "d": 7}, {"b": 2, "d": None}]
    assert [row["_events"] for row in rows] == [
        {"a": ["a1"], "b": [], "d": ["d3"]},
        {"a": ["a5"], "b": ["b6"], "d": []},
    ]


def test_an_or_that_begins_a_pattern_has_the_link_of_policy() -> None:
    """Each b begins a run through the left side, and therefore none as ?x."""
    assert ask("(NOT ?n FOR 1s OR ?x), ?b", "b@0 c@1 b@2", "POLICY next") == ["b1", "c2 b3", "b3"]


def test_a_first_not_is_asked_without_the_joins_of_the_other_side_of_an_or() -> None:
    """No run that has b without x before it will bind x, so that b is refused at once, and x may take its event."""
    joins = ("JOIN (?x.sensor = ?n.sensor)", "JOIN (?x.sensor = ?m.sensor)")
    found = ["m1 b2", "b2 b3", "b3"]
    for asked in (joins, joins[1:]):
        assert ask("NOT ?m FOR 1s, (NOT ?n FOR 1s OR ?x), ?b", "m/s b/t b/t", *asked, "POLICY next") == found


def test_having_over_what_an_or_leaves_unbound_is_not_true() -> None:
    assert ask("?a, (?b OR ?d)", "a b1 d1", "HAVING (?b.n = 1)") == ["a1 b2"]
    assert ask("?a, (?b OR ?d)", "a b1 d1", "HAVING (?b.n = 1 OR NOT BOUND(?b.n))") == ["a1 b2", "a1 d3"]


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, NOT ?n, ?b", "a b n b a b", ["a1 b2", "a5 b6"]),
        ("?a, NOT ?n, ?b", "a@1 n@1 b@2 n@3 b@3", ["a1 b3", "a1 b5"]),
        ("?a -> NOT ?n -> ?b", "a n b a b", ["a4 b5"]),
        ("?a -> NOT ?n => ?b", "a b", ["a1 b2"]),
        ("?a => NOT ?n -> ?b", "a n b a c n b", ["a4 b7"]),
        ("?a => NOT ?n, ?b", "a@1 n@1 b@2", []),
        ("?a, NOT ?n FOR 2s, ?b", "a@0 b@1 b@2 b@2.5", ["a1 b4"]),
        ("?a, NOT ?n FOR 2s -> ?b", "a@0 n@2 b@3", []),
        ("?a, NOT ?n FOR 5s, NOT ?m FOR 2s, ?b", "a@0 b@3 b@6", ["a1 b3"]),
        ("?a, NOT ?n, (?b AND ?d)", "a b n d a d b n", ["a1 b2 d4", "a1 b2 d6", "a5 b7 d6"]),
        ("NOT ?n, ?a, ?b", "n@0 a@5 b@9 a@20 b@21", ["a2 b5", "a4 b5"]),
        ("NOT ?n, ?a, ?b", "n@1 a@15 b@20", []),
        ("NOT ?n, ?a, ?b", "n@1 a@15 b@21.5", ["a2 b3"]),
        ("NOT ?n FOR 3s, ?a -> ?b", "n@0 a@3 b@4 a@5 b@6", ["a4 b5"]),
        ("?a, (?b, NOT ?n)", "a@0 b@1 a@30 b@31 n@40", ["a1 b2"]),
        ("?a => NOT ?n", "a n a b a", ["a3"]),
        ("?a -> NOT ?n FOR 3s", "a@0 n@3 a@10 n@13.5", ["a3"]),
        ("?a -> (NOT ?n FOR 3s AND ?b)", "a@0 b@1 n@2 a@10 b@11", ["a4 b5"]),
        ("?a -> (NOT ?n FOR 3s OR ?b)", "a@0 b@1 n@2 a@10 b@15", ["a1 b2", "a4", "a4 b5"]),
    ],
)
def test_not_in_all_its_places(pattern: str, stream: str, found: list[str]) -> None:
    assert ask(pattern, stream) == found


def test_not_looks_only_at_what_its_joins_say() -> None:
    join = "JOIN (?n.sensor = ?a.sensor)"
    assert ask("?a, NOT ?n, ?b", "a/s n/t b a/s n/s b", join) == ["a1 b3"]
    assert ask("?a -> NOT ?n -> ?b", "a/s n/t b", join) == ["a1 b3"]
    later = "JOIN (?n.sensor = ?b.sensor)"
    assert ask("?a -> NOT ?n -> ?b", "a n/s b/s b/t", later) == ["a1 b4"]
    assert ask("?a -> NOT ?n FOR 5s", "a/s n/t", join) == ["a1"]
    assert ask("?a, NOT ?n, ?b", "a/s n/t b/s a/t n/t b/t", "PARTITION BY sensor") == ["a1 b3"]


def test_a_last_not_is_reported_when_the_watermark_passes_its_end() -> None:
    query = compiled(text_of("?a, ?b, NOT ?n", window="5s"))
    operator = build_operator(query)
    assert feed(operator, query, readings("a@0 b@1"), until=5) == []
    assert operator.waiting
    (row,) = feed(operator, query, [], until=5.000001)
    assert (events([row]), seconds([row])) == (["a1 b2"], [5.0])
    assert not operator.waiting


def test_a_last_strict_not_waits_for_the_very_next_event() -> None:
    query = compiled(text_of("?a => NOT ?n", "PARTITION BY sensor"))
    operator = build_operator(query)
    assert feed(operator, query, readings("a@0/s b@4/t"), until=5) == []
    assert operator.waiting
    rows = feed(operator, query, readings("b@6/s"), until=7)
    assert (events(rows), seconds(rows)) == (["a1"], [6.0])


def test_what_no_event_can_follow_within_the_bounds_waits_no_longer() -> None:
    query = compiled(text_of("?a => NOT ?n"))
    operator = build_operator(query, Interval(micros(at(0)), micros(at(9))))
    assert feed(operator, query, readings("a@8"), until=9) == []
    assert operator.waiting
    assert feed(operator, query, [], until=9.5) == []
    assert not operator.waiting


def test_rows_come_in_the_order_in_which_they_become_true() -> None:
    query = compiled(text_of("?a -> (NOT ?n FOR 3s OR ?b)"))
    rows = feed(build_operator(query), query, readings("a@0 a@1 b@3.5 b@9"))
    assert list(zip(events(rows), seconds(rows), strict=True)) == [
        ("a1", 3.0),
        ("a1 b3", 3.5),
        ("a2 b3", 3.5),
        ("a2", 4.0),
    ]


def test_intervals_have_to_lie_within_the_bounds() -> None:
    """What FOR and a last NOT look at beyond WITHIN is not known, so there is no match."""
    within = Interval(micros(at(0)), micros(at(9)))
    for pattern, found in (("?a -> NOT ?n FOR 3s", ["a1"]), ("NOT ?n FOR 3s, ?a", ["a2"]), ("?a => NOT ?n", ["a1"])):
        query = compiled(text_of(pattern, window="3s"))
        assert events(feed(build_operator(query, within), query, readings("a@2 a@7"))) == found


def test_a_match_is_reported_once_whichever_not_it_waited_for() -> None:
    assert ask("?a -> (NOT ?n FOR 2s OR NOT ?m FOR 4s)", "a@0 a@10 n@11 a@20 m@23") == ["a1", "a2", "a4"]


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("KEEP ALL", ["a1 b3", "a2 b3", "a4 b5"]),
        ("SKIP PAST LAST EVENT", ["a1 b3", "a4 b5"]),
        ("SKIP TO NEXT EVENT", ["a1 b3", "a2 b3", "a4 b5"]),
        ("SKIP TO LAST ?b", ["a1 b3", "a4 b5"]),
        ("SKIP TO FIRST ?d", ["a1 b3", "a2 b3", "a4 b5"]),
        ("CONSUME", ["a1 b3", "a4 b5"]),
    ],
)
def test_after_match_chooses_among_runs(after: str, found: list[str]) -> None:
    """An unbound ?d is skipped to as to the next event."""
    assert ask("?a -> (?b OR ?d)", "a a b a b", f"AFTER MATCH {after}") == found


def test_consumed_events_end_what_was_growing_with_them() -> None:
    assert ask("?a -> ?b -> ?d", "a b a d b d", "AFTER MATCH CONSUME") == ["a1 b2 d4", "a3 b5 d6"]
    assert ask("?a -> ?b -> ?d", "a a b d b d", "AFTER MATCH CONSUME") == ["a1 b3 d4"]


def test_a_forbidden_match_that_waits_is_dropped() -> None:
    assert ask("?a ->> ?b, NOT ?n", "a@0 b@1 b@2", "AFTER MATCH CONSUME", window="4s") == ["a1 b2"]


def test_variables_outside_the_sequence_are_joined_to_complete_runs() -> None:
    join = "JOIN (?d.sensor = ?a.sensor)"
    assert ask("?a -> ?b", "d/s a/s d/s b d/t b d/s", join) == ["a2 b4 d1", "a2 b4 d3", "a2 b4 d7"]


def test_runs_forget_what_no_window_reaches() -> None:
    query = compiled(text_of("?a -> ?b -> ?d", window="5s"))
    operator = build_operator(query)
    feed(operator, query, readings(" ".join(["a", "b"] * 50)), until=100)
    kept = operator.kernel._buffer.frames  # type: ignore[attr-defined]  # the state is private to the kernel
    assert {v: frame.height for v, frame in kept.items()} == {"a": 2, "b": 2, "d": 0}


def test_candidates_of_a_not_are_forgotten() -> None:
    query = compiled(text_of("?a, NOT ?n, ?b", window="5s"))
    operator = build_operator(query)
    feed(operator, query, readings(" ".join(["n"] * 50)), until=50)
    assert operator.kernel._buffer.frames["n"].height == 5  # type: ignore[attr-defined]  # private to the kernel


def test_an_event_is_a_run_of_one_for_aggregates_and_what_is_unbound_a_run_of_none() -> None:
    select = "COUNT(?b) AS c, SUM(?b.n) AS s, AVG(?b.n) AS m, LIST(?b.n) AS l, FIRST(?b.n) AS f"
    text = text_of("?a -> (?b OR ?d)", "HAVING (COUNT(?a) = 1 AND COUNT(?b) + COUNT(?d) = 1)", select=select)
    [(_, query)] = check_document(text, STREAMS)
    rows = feed(build_operator(query), query, readings("a b4 a d a b"))
    assert short(rows) == [
        {"c": 1, "s": 4, "m": 4.0, "l": [4], "f": 4},
        {"c": 0, "s": 0, "m": None, "l": None, "f": None},
        {"c": 1, "s": 0, "m": None, "l": None, "f": None},
    ]


@pytest.mark.parametrize("before", ["NOT ?n FOR 1s", "?b, NOT ?n", "?b, NOT ?n FOR 1s"])
def test_the_left_of_an_or_counts_also_behind_a_not(before: str) -> None:
    """The NOT stands before both sides of the OR, and is decided before either of them comes."""
    found = ask(f"{before}, ?a, (?x OR ?y)", "b a@1.5 c", "POLICY next")
    assert found == ["b1 a2 c3" if "?b" in before else "a2 c3"]
