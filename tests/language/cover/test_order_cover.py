"""Chains, their links, and how long windows let them wait."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Project
from kaicep.language.cover.order_cover import Chain, chain_of, links_of, order_refusal, window_refusal
from kaicep.language.nodes import Link, Query

_NUMBER = {"v": {"datatype": "xsd:integer"}}
PROJECT = Project.parse({
    "streams": {"S": {"event_type": "<urn:R>", "time": {"attribute": "t"}, "attributes": _NUMBER}},
})  # fmt: skip
SAME = {name: name for name in "abcd"}


def query(pattern: str, window: str, names: str = "abcd") -> Query:
    sources = ", ".join(f"(?{name}, S)" for name in names)
    seq = f"SEQ ({pattern})" if pattern else ""
    text = f"SELECT COUNT(?{names[0]}) AS n FROM {sources} {seq} WINDOW ({window}, 9s)"
    return PROJECT.compile(text, retention=timedelta(seconds=30))[0]


def test_a_chain_is_of_variables_one_after_the_other() -> None:
    assert chain_of(query("?a, ?b -> ?c", "?a, ?b, ?c", "abc").pattern) == Chain(("a", "b", "c"), (Link.ANY, Link.NEXT))
    assert chain_of(None) == Chain()
    assert chain_of(query("?a+, ?b", "?a, ?b", "ab").pattern) is None
    assert links_of(query("?a+, ?b => ?c", "?a, ?b, ?c", "abc").pattern) == {Link.ANY, Link.STRICT}


@pytest.mark.parametrize(
    ("wide", "narrow", "refused"),
    [
        (("?a, ?b, ?c", "abc"), ("?a, ?b", "ab"), False),
        (("?a, ?b, ?c", "abc"), ("?a, ?c", "ac"), True),
        (("", "abc"), ("?b, ?a", "ab"), False),
        (("?a, ?b", "ab"), ("?b, ?a", "ab"), True),
        (("?a -> ?b -> ?c", "abc"), ("?a -> ?b", "ab"), False),
        (("?a, ?b, ?c", "abc"), ("?a -> ?b", "ab"), True),
        (("?a OR ?b, ?c", "abc"), ("?a OR ?b, ?c", "abc"), False),
        (("?a OR ?b, ?c", "abc"), ("?a AND ?b, ?c", "abc"), True),
    ],
)
def test_the_order_follows(wide: tuple[str, str], narrow: tuple[str, str], refused: bool) -> None:
    one, other = (query(seq, ", ".join(f"?{n}" for n in names), names) for seq, names in (wide, narrow))
    found = order_refusal(one, other, {name: name for name in narrow[1]})
    assert (found is not None) is refused, found


@pytest.mark.parametrize(
    ("wide", "narrow", "refused"),
    [
        ("?a, ?b, ?c", "?a, ?b, ?c", False),
        ("?a, ?c", "?a, ?b, ?c", False),
        ("?a, ?b, ?c", "?a, ?c", False),
        ("?a, ?b, ?c, ?d", "?a, ?b", True),
        ("?a, ?b, ?c, ?d", "?a, ?b, ?c", False),
    ],
)
def test_windows_let_wait_as_long(wide: str, narrow: str, refused: bool) -> None:
    """That `?a, ?b` are near each other does not say that `?c` comes soon; that `?a, ?c` are says that of `?b`."""
    one, other = query("?a, ?b, ?c, ?d", wide), query("?a, ?b, ?c", narrow, "abc")
    if wide == "?a, ?b, ?c" and narrow == "?a, ?c":
        assert window_refusal(one, other, SAME) is not None, "it does not name ?b"
        return
    assert (window_refusal(one, other, SAME) is not None) is refused
