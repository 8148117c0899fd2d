"""Runs by hand: each row says what a pattern finds in a stream, and which sentence of LANGUAGE §3 it stands for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes.query import Query
from support.letters import SETTINGS, expected, question, seconds, written

from .evaluate import Oracle

NEXT, STRICT = "POLICY next", "POLICY strict"


def checked(text: str, retention: timedelta | None = None) -> Query:
    """A checked query about letters."""
    return check_document(text, Oracle(SETTINGS).vocabulary, retention=retention)[-1][1]


def ask(pattern: str, events: str, *clauses: str, **more: str | None) -> list[str]:
    return written(expected(question(pattern, *clauses, **more), events))  # type: ignore[arg-type]  # by name


class TestLinks:
    """Which events may be passed over between an element and the next."""

    @pytest.mark.parametrize(
        ("pattern", "events", "found"),
        [
            ("?a ->> ?b", "a c b b", ["a1 b3", "a1 b4"]),
            ("?a -> ?b", "a c b b", ["a1 b3"]),
            ("?a => ?b", "a c b a b b", ["a4 b5"]),
            ("?a -> ?b", "a a b", ["a1 b3", "a2 b3"]),
            ("?a => ?b", "a d! b a b", ["a4 b5"]),  # of any stream in FROM only: see below
            ("?a -> ?b ->> ?c", "a b c b c", ["a1 b2 c3", "a1 b2 c5"]),
            ("?a ->> ?b -> ?c", "a b b c c", ["a1 b2 c4", "a1 b3 c4"]),
            ("?a => ?b -> ?c", "a b a c c", ["a1 b2 c4"]),
            ("?a -> ?b", "a b@0 b@2", ["a1 b3"]),  # equal time stamps are not a sequence
            ("?a => ?b", "a c@0 b@1", []),
        ],
    )
    def test_a_link_passes_over(self, pattern: str, events: str, found: list[str]) -> None:
        events = events.replace("d!", "d")
        assert ask(pattern, events) == found

    def test_contiguity_counts_events_of_all_streams_in_from_candidate_or_not(self) -> None:
        text = question("?a => ?b", others="b")
        assert written(expected(text, "a b! a z b! a z! b!")) == ["a1 b2"]
        alone = question("?a => ?b")
        assert written(expected(alone, "a z! b")) == ["a1 b3"]

    def test_policy_says_what_a_comma_is(self) -> None:
        assert ask("?a, ?b", "a b c b") == ["a1 b2", "a1 b4"]
        assert ask("?a, ?b", "a c b b", NEXT) == ["a1 b3"]
        assert ask("?a, ?b", "a c b a b", STRICT) == ["a4 b5"]
        assert ask("?a, ?b ->> ?c", "a b c c", STRICT) == ["a1 b2 c3", "a1 b2 c4"]

    def test_next_waits_for_what_satisfies_the_joins_and_the_window(self) -> None:
        assert ask("?a -> ?b", "a5 b1 b7 b9", "JOIN (?b.x > ?a.x)") == ["a1 b3"]
        assert ask("?a -> ?b -> ?c", "a b b@9 c@10", window="5s") == []


class TestQuantifiers:
    @pytest.mark.parametrize(
        ("pattern", "policy", "events", "found"),
        [
            # Flink, "Contiguity within looping patterns": a b+ c over a b1 d1 b2 d2 b3 c.
            ("?a, ?b{1,; =>}~, ?c", NEXT, "a b d b d b c", ["a1 b2 c7"]),
            ("?a, ?b+~, ?c", NEXT, "a b d b d b c", ["a1 b2 b4 b6 c7", "a1 b2 b4 c7", "a1 b2 c7"]),
            ("?a -> ?b{1,; ->>} -> ?c", NEXT, "a b d b d b c",
             ["a1 b2 b4 b6 c7", "a1 b2 b4 c7", "a1 b2 b6 c7", "a1 b2 c7"]),
            ("?a ->> ?b+~ -> ?c", NEXT, "a b b c", ["a1 b2 b3 c4", "a1 b2 c4", "a1 b3 c4"]),
            # Greedy: of the lengths only the longest.
            ("?a, ?b+, ?c", NEXT, "a b d b d b c", ["a1 b2 b4 b6 c7"]),
            ("?a, ?b{1,2}, ?c", NEXT, "a b b b c", ["a1 b2 b3 c5"]),
            ("?a, ?b*, ?c", NEXT, "a c a b c", ["a1 c2", "a3 b4 c5"]),
            ("?a, ?b?, ?c", NEXT, "a b b c", ["a1 b2 c4"]),
            ("?a, ?b{2}, ?c", NEXT, "a b c b c", ["a1 b2 b4 c5"]),
            ("?a, ?b+", NEXT, "a b b c a", ["a1 b2 b3"]),
            ("?a, ?b{,2}", NEXT, "a b b b", ["a1 b2 b3"]),
            ("?a, ?b*", NEXT, "a c", ["a1"]),
            ("?a, ?b+", STRICT, "a b b c b", ["a1 b2 b3"]),
            ("?b+", NEXT, "b c b", ["b1 b3", "b3"]),
            ("?b+", STRICT, "b c b b", ["b1", "b3 b4", "b4"]),
            # With `->>` inside every length and every combination.
            ("?a, ?b+", "POLICY any", "a b b", ["a1 b2", "a1 b2 b3", "a1 b3"]),
            ("?a, ?b{2}", "POLICY any", "a b b b", ["a1 b2 b3", "a1 b2 b4", "a1 b3 b4"]),
            ("?a, ?b?, ?c", "POLICY any", "a b c", ["a1 b2 c3", "a1 c3"]),
        ],
    )  # fmt: skip
    def test_how_often_and_which(self, pattern: str, policy: str, events: str, found: list[str]) -> None:
        assert ask(pattern, events, policy) == found

    def test_what_is_repeated_zero_times_counts_as_not_written_with_the_link_before_it(self) -> None:
        assert ask("?a => ?b*~ -> ?c", "a z c", NEXT) == ["a1 c3"]
        assert ask("?a -> ?b*~ => ?c", "a z c", NEXT) == []
        assert ask("?b?~ => ?c", "z c", NEXT) == ["c2"]
        assert ask("?a => (?b? -> ?c){1}", "a z c a c", NEXT) == ["a4 c5"]

    def test_a_greedy_end_is_reported_at_its_last_event_once_nothing_can_prolong_it(self) -> None:
        rows = expected(question("?a, ?b+", NEXT, window="3s"), "a b b z b a b")
        assert written(rows) == ["a1 b2 b3", "a6 b7"]
        assert seconds(rows) == [2.0, 6.0]

    def test_there_is_no_going_back_to_a_shorter_one(self) -> None:
        assert ask("?a, (?b, ?c)+", "a b c b", NEXT) == []
        assert ask("?a, (?b, ?c)+~", "a b c b", NEXT) == ["a1 b2 c3"]
        assert ask("?a, ?b+, ?d", "a b d b d", NEXT) == ["a1 b2 d3"]

    def test_an_event_that_can_prolong_and_leave_prolongs(self) -> None:
        joins = ("FILTER (?c.x > 0)",)
        text = question("?a, ?b*, ?c", *joins, NEXT).replace("FILTER (?c.kind = 'c')\n", "FILTER (?c.kind != 'a')\n")
        assert written(expected(text, "a b1 c1")) == ["a1 b2 c3"]
        assert written(expected(text, "a b1 b1 c0")) == []

    def test_groups_are_repeated_as_a_whole(self) -> None:
        assert ask("?a, (?b, ?c){2}, ?d", "a b c b c d", NEXT) == ["a1 b2 b4 c3 c5 d6"]
        assert ask("(?a, ?b){1,2; =>}", "a b z a b a b", NEXT) == ["a1 b2", "a4 a6 b5 b7", "a6 b7"]
        assert ask("(?a, ?b?)+, ?c", "a b a c", NEXT) == ["a1 a3 b2 c4", "a3 c4"]
        assert ask("((?a, ?b){2}, ?c){2}", "a b a b c a b a b c", NEXT) == ["a1 a3 a6 a8 b2 b4 b7 b9 c5 c10"]

    def test_until_ends_the_element_and_is_no_part_of_it(self) -> None:
        until = "?a, ?b+ UNTIL (?b.x > 4), ?c"
        assert ask(until, "a b b5 b c", NEXT) == ["a1 b2 c5"]
        assert ask(until, "a b5 b c", NEXT) == []
        assert ask("?a ->> ?b+~ UNTIL (?b.x > 4) -> ?c", "a b5 b c", NEXT) == ["a1 b3 c4"]
        assert ask("?a, ?b* UNTIL (?b.x > 4), ?c", "a b5 b c", NEXT) == ["a1 c4"]
        assert ask("?a, ?b+ UNTIL (?b.x > 4), ?c", "a b z5 b c", NEXT) == ["a1 b2 c5"]
        assert ask("?a, ?b+ UNTIL (?b.x > ?a.x), ?c", "a3 b1 b5 b2 c", NEXT) == ["a1 b2 c5"]
        assert ask("?a, (?b, ?c)+ UNTIL (?c.x > 4), ?d", "a b c b c c5 b c d", NEXT) == ["a1 b2 b4 c3 c5 d9"]
        assert ask("?a, ?b+ UNTIL (RUNNING COUNT(?b) >= 2), ?c", "a b b b c", NEXT) == ["a1 b2 b3 c5"]
        # RUNNING looks back over earlier repetitions, too.
        until = "(?a, ?b)+ UNTIL (RUNNING COUNT(?b) >= 2), ?c"
        assert ask(until, "a b a b a b c", NEXT) == ["a1 a3 b2 b4 c7", "a3 a5 b4 b6 c7", "a5 b6 c7"]


class TestAndOr:
    def test_and_takes_both_in_any_order_and_interleaved(self) -> None:
        assert ask("?a -> (?b AND ?c) -> ?d", "a b c d a c b d") == ["a1 b2 c3 d4", "a5 b7 c6 d8"]
        assert ask("(?a -> ?b) AND (?c -> ?d)", "a c b d") == ["a1 b3 c2 d4"]
        assert ask("?a => (?b AND ?c)", "a b c a b z c") == ["a1 b2 c3"]
        assert ask("(?a AND ?b), ?c", "a@0 b@0 c@1") == ["a1 b2 c3"]

    def test_or_takes_one_and_the_other_is_unbound(self) -> None:
        (row,) = expected(question("?a -> (?b OR ?c)", select="?b.name AS b, ?c.name AS c"), "a c")
        assert (row["b"], row["c"], row["_events"]["b"]) == (None, "c2", [])
        assert ask("?a -> (?b OR ?c) -> ?d", "a b c d") == ["a1 b2 d4"]
        assert ask("?a, (?b OR ?c), ?d", "a b c d") == ["a1 b2 d4", "a1 c3 d4"]

    def test_of_the_two_sides_of_an_or_only_the_left_unless_its_link_is_any(self) -> None:
        def both(pattern: str, *clauses: str) -> list[str]:
            text = question(pattern, *clauses).replace("?c.kind = 'c'", "?c.kind = 'b'")
            return [str(row["_events"]) for row in expected(text, "a b")]

        left = "{'a': ['urn:kaicep:event:letters/a1'], 'b': ['urn:kaicep:event:letters/b2'], 'c': []}"
        assert both("?a -> (?b OR ?c)") == [left]
        assert len(both("?a ->> (?b OR ?c)")) == 2

    def test_a_join_that_names_the_other_side_is_not_asked(self) -> None:
        assert ask("?a, (?b OR ?c)", "a5 b3 c3", "JOIN (?b.x > ?a.x)") == ["a1 c3"]
        assert ask("?a, (?b OR ?c)", "a5 b3 c3", "JOIN (COUNT(?b) = 1 AND ?a.x > 0)") == ["a1 b2", "a1 c3"]

    def test_and_binds_tighter_than_or(self) -> None:
        assert ask("?a AND ?b OR ?c", "a c b") == ["c2", "a1 b3"]


class TestNot:
    def test_between_events_goes_by_time_stamps(self) -> None:
        assert ask("?a, NOT ?n, ?b", "a n b a b") == ["a4 b5"]
        assert ask("?a, NOT ?n, ?b", "a n@0 b@1") == ["a1 b3"]
        assert ask("?a, NOT ?n, ?b", "a n@1 b@1") == ["a1 b3"]

    def test_only_candidates_that_satisfy_the_joins_are_forbidden(self) -> None:
        assert ask("?a, NOT ?n, ?b", "a1 n2 b1 b2", "JOIN (?n.x = ?b.x)") == ["a1 b3"]
        assert ask("?a -> NOT ?n -> ?b", "a1 n2 b2 b1", "JOIN (?n.x = ?b.x)") == ["a1 b4"]
        assert ask("?a, NOT ?n, ?b+", "a n2 b2 b1", NEXT, "JOIN (?n.x = ?b.x)") == ["a1 b3 b4"]

    def test_the_link_behind_it_is_the_link_between_the_two(self) -> None:
        assert ask("?a -> NOT ?n => ?b", "a z b a b") == ["a4 b5"]
        assert ask("?a => NOT ?n -> ?b", "a z n b a n b") == ["a1 b4"]

    def test_at_the_ends_it_looks_as_far_as_the_window(self) -> None:
        last = expected(question("?a, ?b, NOT ?n", window="3s"), "a b a b n")
        assert (written(last), seconds(last)) == (["a1 b2", "a1 b4"], [3.0, 3.0])
        assert ask("NOT ?n, ?a, ?b", "a b n c a b", window="3s") == ["a1 b2"]
        assert ask("NOT ?n, ?a, ?b", "n a@2.1 b@3.1", window="3s") == ["a2 b3"]
        assert ask("NOT ?n, ?a, ?b", "n a@2 b@3", window="3s") == []

    def test_for_keeps_off_what_follows(self) -> None:
        assert ask("?a -> NOT ?n FOR 2s -> ?b", "a b b b") == ["a1 b4"]
        assert ask("?a -> NOT ?n FOR 2s -> ?b", "a z n b") == []
        assert ask("?a -> NOT ?n FOR 2s -> ?b", "a z z n b") == ["a1 b5"]
        assert ask("?a -> NOT ?n FOR 5s -> NOT ?m FOR 2s -> ?b", "a b@3 b@6") == ["a1 b3"]

    def test_for_at_the_ends(self) -> None:
        rows = expected(question("?a, NOT ?n FOR 2s", window=None), "a n@2 a@3 n@5.5")
        assert (written(rows), seconds(rows)) == (["a3"], [5.0])
        assert ask("NOT ?n FOR 2s, ?a", "n a@1.9 a@2 a@2.1", window=None) == ["a4"]

    def test_for_and_q(self) -> None:
        rows = expected(question("?a -> (NOT ?n FOR 3s AND ?b)"), "a b z z a n b")
        assert (written(rows), seconds(rows)) == (["a1 b2"], [3.0])
        late = expected(question("?a -> (NOT ?n FOR 3s AND ?b)"), "a n@4 b@5")
        assert (written(late), seconds(late)) == (["a1 b3"], [5.0])
        assert ask("?a -> (NOT ?n FOR 3s AND ?b) -> ?c", "a b c z c") == ["a1 b2 c5"]

    def test_for_or_q(self) -> None:
        rows = expected(question("?a -> (NOT ?n FOR 3s OR ?b)"), "a n b@9 a@20")
        assert (written(rows), seconds(rows)) == (["a1 b3", "a4"], [9.0, 23.0])

    def test_the_very_next_event_decides_at_the_end(self) -> None:
        rows = expected(question("?a => NOT ?n", window=None), "a n a@5 z@7 n a@9")
        assert (written(rows), seconds(rows)) == (["a3"], [7.0])

    def test_in_repetitions_as_if_written_out(self) -> None:
        assert ask("(?a, NOT ?n){2}, ?b", "a a n b a a b", NEXT) == ["a5 a6 b7"]
        assert ask("?b, (NOT ?n, ?a){2}", "b n a a b a n a a b a a", NEXT) == ["b10 a11 a12"]

    def test_the_intervals_lie_within_the_bounds(self) -> None:
        bounds = "WITHIN (2012-05-04T09:30:02Z, 2012-05-04T09:30:08Z)"
        assert ask("?a, NOT ?n FOR 2s", "a@2 a@6 a@6.5", bounds, window=None) == ["a1", "a2"]
        assert ask("NOT ?n FOR 2s, ?a", "a@3 a@4", bounds, window=None) == ["a2"]
        assert ask("?a, ?b, NOT ?n", "a@2 b@3 a@5 b@6", bounds, window="3s") == ["a1 b2", "a3 b4"]
        assert ask("?a, ?b, NOT ?n", "a@2 b@3 a@6 b@7", bounds, window="3s") == ["a1 b2"]
        assert ask("NOT ?n, ?a, ?b", "n@1 a@2 b@3", bounds, window="3s") == ["a2 b3"]


class TestConditionsOnRuns:
    def test_a_plain_attribute_of_a_run_is_every_one(self) -> None:
        assert ask("?a, ?b+", "a5 b4 b6 b3", NEXT, "JOIN (?b.x < ?a.x)") == ["a1 b2 b4"]
        assert ask("?a, ?b*", "a5", NEXT, "JOIN (?b.x < ?a.x)") == ["a1"]

    def test_an_aggregate_is_decided_when_the_run_is_complete(self) -> None:
        assert ask("?a, ?b+, ?c", "a b1 b3 c1 c3", NEXT, "JOIN (?c.x > AVG(?b.x))") == ["a1 b2 b3 c5"]
        assert ask("?a, ?b{2}, ?c", "a b1 b3 b9 c", NEXT, "JOIN (SUM(?b.x) > 9)") == ["a1 b2 b4 c5"]
        assert ask("?a, ?b+", "a b1 b3", NEXT, "JOIN (COUNT(?b) = 1)") == []
        assert ask("?a, ?b+", "a b1 b3", "JOIN (COUNT(?b) = 1)") == ["a1 b2", "a1 b3"]

    def test_list_first_and_last(self) -> None:
        select = "LIST(?b.x) AS all, FIRST(?b.x) AS f, FIRST(?b.x, 1) AS g, LAST(?b.x, 1) AS k, LAST(?b.x, 3) AS none"
        (row,) = expected(question("?a, ?b+", NEXT, select=select), "a b1 b b3 b2")
        assert [row[name] for name in ("all", "f", "g", "k", "none")] == [[1.0, 3.0, 2.0], 1.0, 3.0, 3.0, None]

    def test_running_and_prev_are_tested_as_each_event_is_taken(self) -> None:
        assert ask("?a, ?b+", "a b1 b2 b1 b3", NEXT, "JOIN (?b.x > PREV(?b.x))") == ["a1 b2 b3 b5"]
        assert ask("?a, ?b+", "a b1 b5 b2 b4", NEXT, "JOIN (?b.x > RUNNING AVG(?b.x))") == ["a1 b2 b3 b5"]
        assert ask("?a, ?b+, ?c", "a b b b c", NEXT, "JOIN (RUNNING COUNT(?b) < 2)") == ["a1 b2 b3 c5"]
        assert ask("?a, ?b+, ?c", "a b b b c", NEXT, "JOIN (?a.name != ?b.name AND RUNNING COUNT(?b) < 2)") == [
            "a1 b2 b3 c5"
        ]

    def test_unbound_for_the_reason_alone_that_nothing_came_before_holds(self) -> None:
        assert ask("?a, ?b+", "a b1", NEXT, "JOIN (?b.x > PREV(?b.x) AND ?b.x > 0)") == ["a1 b2"]
        assert ask("?a, ?b+", "a b0", NEXT, "JOIN (?b.x > PREV(?b.x) AND ?b.x > 0)") == []
        assert ask("?a, ?b+", "a b", NEXT, "JOIN (?b.x > PREV(?b.x))") == []
        assert ask("?a, ?b+", "a b3", NEXT, "JOIN (?b.x > RUNNING MAX(?b.x))") == ["a1 b2"]
        assert ask("?a, ?b+", "a b3", NEXT, "JOIN (?b.x > COALESCE(PREV(?b.x), 4))") == []

    def test_a_join_within_a_repeated_group_is_asked_of_each_repetition(self) -> None:
        assert ask("(?a, ?b)+", "a1 b2 a3 b1 b5", NEXT, "JOIN (?a.x < ?b.x)") == ["a1 a3 b2 b5", "a3 b5"]
        assert ask("(?a, ?b+)+, ?c", "a b1 b1 a b2 c", NEXT, "JOIN (?a.name != ?b.name AND SUM(?b.x) = 2)") == [
            "a1 a4 b2 b3 b5 c6",
            "a4 b5 c6",
        ]

    def test_prev_looks_through_repetitions(self) -> None:
        assert ask("(?a, ?b)+", "a b1 a b1 b3", NEXT, "JOIN (?b.x > PREV(?b.x))") == ["a3 b4", "a1 a3 b2 b5"]


class TestPartitions:
    def test_contiguity_and_not_look_at_the_partition_only(self) -> None:
        partition = "PARTITION BY group"
        assert ask("?a => ?b", "a/p z/q b/p", partition) == ["a1 b3"]
        assert ask("?a, NOT ?n, ?b", "a/p n/q b/p a/q n/q b/q", partition) == ["a1 b3"]
        assert ask("?a => ?b", "a z/q b", partition) == ["a1 b3"]
        assert ask("?a, ?b+ UNTIL (?b.x > 4), ?c", "a/p b/p b5/q b/p c/p", partition, NEXT) == ["a1 b2 b4 c5"]


class TestAfterMatch:
    """Flink's after match skip strategies: pattern b+ c over b1 b2 b3 c."""

    @pytest.mark.parametrize(
        ("after", "found"),
        [
            ("KEEP ALL", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP TO NEXT EVENT", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP PAST LAST EVENT", ["b1 b2 b3 c4"]),
            ("SKIP TO FIRST ?b", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP TO LAST ?b", ["b1 b2 b3 c4", "b3 c4"]),
            ("CONSUME", ["b1 b2 b3 c4"]),
        ],
    )
    def test_what_may_follow_a_match(self, after: str, found: list[str]) -> None:
        assert ask("?b+, ?c", "b b b c", NEXT, f"AFTER MATCH {after}") == found

    def test_skipping_to_an_empty_variable_skips_to_the_next_event(self) -> None:
        assert ask("?a, ?b?, ?c", "a a c a c", NEXT, "AFTER MATCH SKIP TO LAST ?b") == ["a1 c3", "a2 c3", "a4 c5"]
