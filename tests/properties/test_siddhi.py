"""What Siddhi's documentation shows of patterns and sequences: the same matches from engine and oracle.

Source: https://siddhi.io/en/v5.1/docs/query-guide/ (Siddhi 5.1, "Pattern", "Sequence").
"""

from __future__ import annotations

from support.letters import agreed, answer, expected, question, seconds, written

NEXT, STRICT = "POLICY next", "POLICY strict"


def when(text: str, events: str) -> tuple[list[str], list[float]]:
    """What engine and oracle both find, and when."""
    rows = expected(text, events)
    assert (written(rows), seconds(rows)) == (written(answer(text, events)), seconds(answer(text, events)))
    return written(rows), seconds(rows)


class TestEvery:
    def test_every_begins_again_with_each_event(self) -> None:
        """`every e1=A -> e2=B`: "for each e1 that arrives"."""
        assert agreed("?a -> ?b", "a a b") == ["a1 b3", "a2 b3"]

    def test_without_every_only_the_first_match_counts(self) -> None:
        assert agreed("?a -> ?b", "a a b a b", "AFTER MATCH SKIP PAST LAST EVENT", "LIMIT 1") == ["a1 b3"]

    def test_every_of_a_group_begins_again_when_the_match_is_over(self) -> None:
        """`every (e1=A -> e2=B)`: A1 A2 B3 A4 B5 gives (A1, B3), (A4, B5)."""
        assert agreed("?a -> ?b", "a a b a b", "AFTER MATCH SKIP PAST LAST EVENT") == ["a1 b3", "a4 b5"]

    def test_within(self) -> None:
        assert agreed("?a -> ?b", "a b@700", window="10min") == []
        assert agreed("?a -> ?b", "a b@600", window="10min") == ["a1 b2"]


class TestCounts:
    """Of Count Pattern: `e1=A -> e2=B<2:5> -> e3=C`."""

    def test_minimum_to_maximum(self) -> None:
        assert agreed("?a -> ?b{2,5} -> ?c", "a b b b c", NEXT) == ["a1 b2 b3 b4 c5"]
        assert agreed("?a -> ?b{2,5} -> ?c", "a b c b c", NEXT) == ["a1 b2 b4 c5"]

    def test_minimum_or_more(self) -> None:
        assert agreed("?a -> ?b{2,} -> ?c", "a b c b b c", NEXT) == ["a1 b2 b4 b5 c6"]

    def test_up_to_a_maximum(self) -> None:
        assert agreed("?a -> ?b{,2} -> ?c", "a c a b b b c", NEXT) == ["a1 c2", "a3 b4 b5 c7"]

    def test_exactly(self) -> None:
        assert agreed("?a -> ?b{5} -> ?c", "a b b b b b c", NEXT) == ["a1 b2 b3 b4 b5 b6 c7"]

    def test_events_of_a_count_by_their_place(self) -> None:
        """`e2[0]`, `e2[1]`, `e2[last]`, `e2[last - 1]`."""
        select = "FIRST(?b.x) AS f, FIRST(?b.x, 1) AS g, LAST(?b.x) AS l, LAST(?b.x, 1) AS k"
        text = question("?a -> ?b{2,5} -> ?c", NEXT, select=select)
        (row,) = answer(text, "a b1 b2 b3 c")
        assert [row[name] for name in "fglk"] == [1.0, 2.0, 3.0, 2.0]
        assert {k: v for k, v in expected(text, "a b1 b2 b3 c")[0].items() if k in row} == row


class TestLogical:
    """Of Logical Pattern."""

    def test_and(self) -> None:
        assert agreed("?a -> (?b AND ?c) -> ?d", "a c b d a b d", NEXT) == ["a1 b3 c2 d4"]

    def test_or(self) -> None:
        assert agreed("?a -> (?b OR ?c)", "a c a b") == ["a1 c2", "a3 b4"]

    def test_not_and(self) -> None:
        """`e1=A -> not B and e2=C`: no B before C."""
        assert agreed("?a -> NOT ?b -> ?c", "a b c a c", NEXT) == ["a4 c5"]

    def test_not_for_and(self) -> None:
        """`not B for 5 sec and e2=C`."""
        text = question("?a -> (NOT ?b FOR 5s AND ?c)")
        assert when(text, "a c b a@10 c@11 a@20 c@29") == (["a4 c5", "a6 c7"], [15.0, 29.0])

    def test_not_for_or(self) -> None:
        """`not B for 5 sec or e2=C`."""
        assert when(question("?a -> (NOT ?b FOR 5s OR ?c)"), "a b c@2 a@10") == (["a1 c3", "a4"], [2.0, 15.0])


class TestAbsent:
    """Of Detecting Non-Occurring Events."""

    def test_not_for_at_the_end(self) -> None:
        """`e1=A -> not B for 10 sec`."""
        assert when(question("?a -> NOT ?b FOR 10s", window=None), "a b@5 a@20 b@31") == (["a3"], [30.0])

    def test_not_for_at_the_beginning(self) -> None:
        """`not A for 10 sec -> e1=B`."""
        assert when(question("NOT ?a FOR 10s -> ?b", window=None), "a b@5 b@20") == (["b3"], [20.0])

    def test_not_for_between(self) -> None:
        """`e1=A -> not B for 10 sec -> e2=C`."""
        assert agreed("?a -> NOT ?b FOR 10s -> ?c", "a c@5 c@12 a@20 b@22 c@40") == ["a1 c3"]

    def test_not_and_then(self) -> None:
        """`not A and e1=B` within the window before it."""
        assert agreed("NOT ?a -> ?b -> ?c", "a b c b@10 c@11", window="5s", select="?b.name") == ["b4 c5"]


class TestSequences:
    """Of Sequence: `,` is strict contiguity there, POLICY strict here."""

    def test_consecutive_events(self) -> None:
        assert agreed("?a, ?b", "a z b a b", STRICT) == ["a4 b5"]

    def test_repetitions(self) -> None:
        """`e1=A, e2=B*, e3=C`, `+` and `?`."""
        assert agreed("?a, ?b*, ?c", "a c a b b c a b z c", STRICT) == ["a1 c2", "a3 b4 b5 c6"]
        assert agreed("?a, ?b+, ?c", "a c a b b c", STRICT) == ["a3 b4 b5 c6"]
        assert agreed("?a, ?b?, ?c", "a c a b c a b b c", STRICT) == ["a1 c2", "a3 b4 c5"]

    def test_rising_values(self) -> None:
        """The trend: `e2=B[e2.x > e2[last].x]*`."""
        joins = "JOIN (?b.x > PREV(?b.x))"
        assert agreed("?a, ?b+, ?c", "a b1 b3 b7 c a b1 b3 b2 c", joins, STRICT) == ["a1 b2 b3 b4 c5"]

    def test_or_in_a_sequence(self) -> None:
        assert agreed("?a, (?b OR ?c), ?d", "a b d a c d a z d", STRICT) == ["a1 b2 d3", "a4 c5 d6"]
