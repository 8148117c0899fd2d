"""The events of many partial matches are held once, and enumerated where they are reported."""

from __future__ import annotations

from kaicep.cep import build_operator
from kaicep.cep.match import AfterMatchSkip
from kaicep.cep.nfa.shared_buffer import Remainder, chain, extended, flattened, last_time, paths, united
from support.operators import Reading, compiled, feed

ANY = "SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings), (?c, readings)"
FILTERS = "FILTER (?a.n = 1) FILTER (?b.n = 2) FILTER (?c.n = 3)"
SUBSETS = f"{ANY} {FILTERS} SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h)"


def readings(kinds: str) -> list[Reading]:
    return [{"id": f"e{i:04}", "t": i, "n": "abc".index(kind) + 1} for i, kind in enumerate(kinds)]


def test_all_subsets_of_a_run_are_held_once_and_found_all() -> None:
    """2^b − 1 matches from one `a` and one `c`; before `c` comes, one run holds them all."""
    query = compiled(SUBSETS)
    operator = build_operator(query)
    assert feed(operator, query, readings("a" + "b" * 10), until=20) == []
    size = len(operator.snapshot())
    found = feed(operator, query, [{"id": "z", "t": 30, "n": 3}])
    assert len(found) == 2**10 - 1
    assert sum(row["n"] for row in found) == 10 * 2**9
    longer = build_operator(query)
    feed(longer, query, readings("a" + "b" * 20), until=30)
    assert len(longer.snapshot()) < 3 * size


EVENTS = [(10 * i, i, i - 1, 100 + i) for i in range(4)]


def test_a_node_holds_sequences_that_share_their_beginning() -> None:
    a, b, c = (("t", i) for i in range(3))
    one = extended(None, 0, a)
    both = united(extended(one, 1, b), extended(one, 1, c))
    assert both[0] == 2
    assert list(paths(extended(both, 2, a))) == [[(0, a), (1, b), (2, a)], [(0, a), (1, c), (2, a)]]


def test_sequences_are_flattened_in_order_of_time() -> None:
    """One behind the other, those of a node together: the places of variables, the rows, and how long each is."""
    a, b, c, d = EVENTS
    one = chain([(0, a), (1, b)])
    both = extended(united(extended(one, 1, c), extended(chain([(0, a)]), 1, c)), 2, d)
    place_of, row_of, length = flattened([one, both])
    assert sorted(length.tolist()) == [2, 3, 4]
    found = []
    for count in length.tolist():
        found.append(list(zip(place_of[:count].tolist(), row_of[:count].tolist(), strict=True)))
        place_of, row_of = place_of[count:], row_of[count:]
    assert found[0] == [(0, 100), (1, 101)]
    assert sorted(found[1:]) == sorted([(place, event[3]) for place, event in path] for path in paths(both))


def test_no_nodes_are_no_sequences() -> None:
    assert [part.tolist() for part in flattened([])] == [[], [], []]


def test_the_last_event_s_time_is_that_of_the_node() -> None:
    assert last_time(chain([(0, EVENTS[0]), (1, EVENTS[2])])) == 20


def test_what_consumed_events_leave_of_shared_sequences() -> None:
    """The same node, where nothing is consumed of it; what is shared is looked at once."""
    query = compiled(f"{ANY} {FILTERS} SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h) AFTER MATCH CONSUME")
    skip = AfterMatchSkip(query)
    a, b, c, _ = EVENTS
    both = united(chain([(0, a), (1, b)]), chain([(0, a), (1, c)]))
    assert Remainder(skip).of((), 0, both) is both
    skip.consumed.add(1)
    left = Remainder(skip).of((), 0, both)
    assert left is not None
    assert list(paths(left)) == [[(0, a), (1, c)]]
    skip.consumed.add(0)
    assert Remainder(skip).of((), 0, both) is None
