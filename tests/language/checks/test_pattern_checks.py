"""SEQ: patterns with their links resolved."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import (
    Element,
    Link,
    Sequence,
)
from support.vocabulary import CAMPUS, compiled


def test_the_pattern_of_plain_variables() -> None:
    pattern = compiled("SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 5min)").pattern
    assert isinstance(pattern, Sequence)
    assert [part.variable for part in pattern.parts if isinstance(part, Element)] == ["a", "b"]
    assert pattern.links == (Link.ANY,)


THREE = "SELECT ?a.sensorID FROM (?a, airflowReport), (?b, airflowReport), (?c, airflowReport)"


@pytest.mark.parametrize(
    ("policy", "link"), [("", Link.ANY), ("any", Link.ANY), ("next", Link.NEXT), ("strict", Link.STRICT)]
)
def test_a_comma_is_what_policy_says(policy: str, link: Link) -> None:
    """Between elements and between repetitions, unless they name a link."""
    text = f"{THREE} SEQ (?a, ?b{{2,3}} -> ?c{{1,2; =>}}) WINDOW (?a, ?b, ?c, 5min) {'POLICY ' * bool(policy)}{policy}"
    pattern = compiled(text).pattern
    assert isinstance(pattern, Sequence)
    assert pattern.links == (link, Link.NEXT)
    quantifiers = [part.quantifier for part in pattern.parts[1:] if isinstance(part, Element)]
    assert [(q.link, q.every_length) for q in quantifiers if q is not None] == [
        (link, link is Link.ANY),
        (Link.STRICT, False),
    ]


def test_parenthesised_sequences_are_one() -> None:
    pattern = compiled(f"{THREE} SEQ (?a -> (?b => ?c)) WINDOW (?a, ?b, ?c, 5min)").pattern
    assert isinstance(pattern, Sequence)
    assert (len(pattern.parts), pattern.links) == (3, (Link.NEXT, Link.STRICT))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("?a, ?a", "SEQ names ?a twice"),
        ("?a, ?d", "unknown variable ?d"),
        ("NOT ?a FOR 5min", "SEQ names no event that must happen"),
        ("?a, ?b{0}", "this repeats nothing"),
        ("?a, ?b{3,2}", "at least 3 and at most 2 is never"),
        ("?a, NOT ?b FOR 0s", "FOR of no length"),
        ("?a, (NOT ?b OR ?c)", "NOT ?b in OR has no interval of its own"),
        ("?a, ?b+ UNTIL (?a.flowrate > 5)", "this UNTIL says nothing of ?b"),
    ],
)
def test_patterns_that_mean_nothing(pattern: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(f"{THREE} SEQ ({pattern}) WINDOW (?a, ?b, ?c, 5min)")
    assert caught.value.message == message


@pytest.mark.parametrize("pattern", ["?a, ?b, NOT ?c", "NOT ?c, ?a, ?b", "?a, (?b, NOT ?c)+"])
def test_a_negation_at_an_end_needs_an_interval(pattern: str) -> None:
    """By WINDOW, by FOR, or by `=>` before it."""
    with pytest.raises(QueryTypeError, match=r"NOT \?c at an end of the pattern has no interval"):
        compile_document(f"{THREE} SEQ ({pattern})", CAMPUS, retention=timedelta(hours=1))
    compile_document(f"{THREE} SEQ ({pattern}) WINDOW (?a, ?b, 5min)", CAMPUS)
    compile_document(f"{THREE} SEQ ({pattern.replace('?c', '?c FOR 5s')})", CAMPUS, retention=timedelta(hours=1))


def test_a_strict_negation_at_the_end_looks_at_the_very_next_event() -> None:
    compile_document(f"{THREE} SEQ (?a, ?b => NOT ?c)", CAMPUS, retention=timedelta(hours=1))
