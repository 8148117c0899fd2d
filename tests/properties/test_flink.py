"""What Flink CEP's documentation shows, construct by construct: the same matches from engine and oracle.

Source: https://nightlies.apache.org/flink/flink-docs-stable/docs/libs/cep/ (Apache Flink, "FlinkCEP").
"""

from __future__ import annotations

import pytest
from support.letters import agreed

NEXT = "POLICY next"


class TestContiguity:
    """`a b` over a, c, b1, b2: "Combining Patterns"."""

    def test_strict_contiguity_is_next(self) -> None:
        """Flink's `next`."""
        assert agreed("?a => ?b", "a c b b") == []
        assert agreed("?a => ?b", "a b b") == ["a1 b2"]

    def test_relaxed_contiguity_is_followed_by(self) -> None:
        """Flink's `followedBy`."""
        assert agreed("?a -> ?b", "a c b b") == ["a1 b3"]

    def test_non_deterministic_relaxed_contiguity_is_followed_by_any(self) -> None:
        """Flink's `followedByAny`."""
        assert agreed("?a ->> ?b", "a c b b") == ["a1 b3", "a1 b4"]


class TestContiguityWithinLoops:
    """`a b+ c` over a, b1, d1, b2, d2, b3, c: "Contiguity within looping patterns", every length as in Flink."""

    EVENTS = "a b d b d b c"

    def test_strict(self) -> None:
        """`consecutive()`: {a b1 c}, {a b2 c}, {a b3 c}."""
        assert agreed("?a ->> ?b{1,; =>}~ -> ?c", self.EVENTS) == ["a1 b2 c7", "a1 b4 c7", "a1 b6 c7"]

    def test_relaxed(self) -> None:
        assert agreed("?a ->> ?b{1,; ->}~ -> ?c", self.EVENTS) == [
            "a1 b2 b4 b6 c7",
            "a1 b2 b4 c7",
            "a1 b4 b6 c7",
            "a1 b2 c7",
            "a1 b4 c7",
            "a1 b6 c7",
        ]

    def test_non_deterministic_relaxed(self) -> None:
        """`allowCombinations()`."""
        assert agreed("?a ->> ?b{1,; ->>} -> ?c", self.EVENTS) == [
            "a1 b2 b4 b6 c7",
            "a1 b2 b4 c7",
            "a1 b2 b6 c7",
            "a1 b4 b6 c7",
            "a1 b2 c7",
            "a1 b4 c7",
            "a1 b6 c7",
        ]

    def test_strict_loops_of_several(self) -> None:
        assert agreed("?a -> ?b{2,; =>}~ -> ?c", "a b b b d b c", NEXT) == ["a1 b2 b3 b4 c7", "a1 b2 b3 c7"]


class TestQuantifiers:
    def test_times(self) -> None:
        assert agreed("?a -> ?b{2; ->} -> ?c", "a b b b c") == ["a1 b2 b3 c5"]

    def test_times_from_to_takes_every_length(self) -> None:
        assert agreed("?a -> ?b{1,2; ->}~ -> ?c", "a b b c") == ["a1 b2 b3 c4", "a1 b2 c4"]

    def test_times_or_more(self) -> None:
        assert agreed("?a -> ?b{2,; ->}~ -> ?c", "a b b b c") == ["a1 b2 b3 b4 c5", "a1 b2 b3 c5"]

    def test_one_or_more_is_every_length(self) -> None:
        assert agreed("?a -> ?b+~ -> ?c", "a b b c", NEXT) == ["a1 b2 b3 c4", "a1 b2 c4"]

    def test_greedy_repeats_as_often_as_possible(self) -> None:
        assert agreed("?a -> ?b+ -> ?c", "a b b c", NEXT) == ["a1 b2 b3 c4"]

    def test_a_greedy_loop_takes_what_could_leave_it(self) -> None:
        """`b` and `c` are the same events: the greedy loop takes all."""
        joins = ("FILTER (?c.x > 0)",)
        assert agreed("?a -> ?b{1,2; ->} -> ?c", "a b1 b1 c1 c2", *joins, NEXT) == ["a1 b2 b3 c4"]

    def test_optional(self) -> None:
        assert agreed("?a -> ?b?~ -> ?c", "a b c a c", NEXT) == ["a1 b2 c3", "a1 c3", "a4 c5"]

    def test_greedy_optional(self) -> None:
        assert agreed("?a -> ?b? -> ?c", "a b c a c", NEXT) == ["a1 b2 c3", "a4 c5"]

    def test_zero_or_more(self) -> None:
        assert agreed("?a -> ?b* -> ?c", "a c a b b c", NEXT) == ["a1 c2", "a3 b4 b5 c6"]


class TestGroups:
    def test_a_group_of_patterns_is_repeated(self) -> None:
        """`start.next(Pattern.begin("b").followedBy("c")).times(2)`."""
        assert agreed("?a => (?b -> ?c){2; ->} -> ?d", "a b z c b c d", NEXT) == ["a1 b2 b5 c4 c6 d7"]

    def test_an_optional_group(self) -> None:
        assert agreed("?a -> (?b -> ?c)? -> ?d", "a b c d a d", NEXT) == ["a1 b2 c3 d4", "a5 d6"]

    def test_one_or_more_of_a_group(self) -> None:
        assert agreed("?a -> (?b -> ?c)+~ -> ?d", "a b c b c d", NEXT) == ["a1 b2 b4 c3 c5 d6", "a1 b2 c3 d6"]


class TestUntil:
    def test_it_ends_a_loop(self) -> None:
        """The stop condition: a+ until (5) -> b."""
        assert agreed("?a+~ UNTIL (?a.x > 4) -> ?b", "a1 a2 b a5 a1 b", NEXT)[:3] == ["a1 a2 b3", "a1 b3", "a2 b3"]
        assert agreed("?c -> ?a+ UNTIL (?a.x > 4) -> ?b", "c a1 a2 a5 a1 b", NEXT) == ["c1 a2 a3 b6"]


class TestNot:
    def test_not_next(self) -> None:
        assert agreed("?a => NOT ?n -> ?b", "a n b a z b") == ["a4 b6"]

    def test_not_followed_by(self) -> None:
        assert agreed("?a -> NOT ?n -> ?b", "a z n b a z b") == ["a5 b7"]

    def test_not_followed_by_at_the_end_within_a_time(self) -> None:
        assert agreed("?a -> ?b -> NOT ?n", "a b n a@10 b@11 n@20", window="5s") == ["a4 b5"]


class TestAfterMatch:
    """`b+ c` over b1 b2 b3 c: "After Match Skip Strategy"."""

    @pytest.mark.parametrize(
        ("strategy", "after", "found"),
        [
            ("NO_SKIP", "KEEP ALL", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP_TO_NEXT", "SKIP TO NEXT EVENT", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP_PAST_LAST_EVENT", "SKIP PAST LAST EVENT", ["b1 b2 b3 c4"]),
            ("SKIP_TO_FIRST[b]", "SKIP TO FIRST ?b", ["b1 b2 b3 c4", "b2 b3 c4", "b3 c4"]),
            ("SKIP_TO_LAST[b]", "SKIP TO LAST ?b", ["b1 b2 b3 c4", "b3 c4"]),
        ],
    )
    def test_strategy(self, strategy: str, after: str, found: list[str]) -> None:
        assert strategy
        assert agreed("?b+ -> ?c", "b b b c", NEXT, f"AFTER MATCH {after}") == found

    @pytest.mark.parametrize(
        ("after", "found"),
        [
            ("KEEP ALL", ["a1 b2", "a1 b2 b3", "a1 b2 b3 b4"]),
            ("SKIP TO NEXT EVENT", ["a1 b2"]),
            ("SKIP PAST LAST EVENT", ["a1 b2"]),
        ],
    )
    def test_skip_to_next_drops_what_began_with_the_same_event(self, after: str, found: list[str]) -> None:
        """SKIP_TO_NEXT "discards every partial match that started with the same event"."""
        assert agreed("?a -> ?b+~", "a b b b", NEXT, f"AFTER MATCH {after}") == found

    @pytest.mark.parametrize(
        ("after", "found"),
        [
            ("KEEP ALL", ["a1 b2 c3 d4", "b2 c3 d4"]),
            ("SKIP TO FIRST ?c", ["a1 b2 c3 d4"]),
            ("SKIP TO FIRST ?b", ["a1 b2 c3 d4", "b2 c3 d4"]),
            ("SKIP PAST LAST EVENT", ["a1 b2 c3 d4"]),
        ],
    )
    def test_skipping_to_an_event_of_the_match(self, after: str, found: list[str]) -> None:
        assert agreed("?a? -> ?b -> ?c -> ?d", "a b c d", NEXT, f"AFTER MATCH {after}") == found


class TestIterativeConditions:
    def test_a_condition_on_the_events_accepted_before(self) -> None:
        """An event is accepted by the sum of the prices of those accepted before."""
        joins = "JOIN (?b.x + RUNNING SUM(?b.x) < 5)"
        assert agreed("?a -> ?b+ -> ?c", "a b1 b2 b9 b1 c", NEXT, joins) == ["a1 b2 b3 b5 c6"]

    def test_parts_of_a_stream_match_by_themselves(self) -> None:
        """`keyBy`."""
        assert agreed("?a => ?b", "a/p z/q b/p a/q b/q", "PARTITION BY group") == ["a1 b3", "a4 b5"]

    def test_within(self) -> None:
        assert agreed("?a -> ?b", "a b@4 a@10 b@16", window="5s") == ["a1 b2"]
