"""The windows of a set, change by change."""

from __future__ import annotations

from kaicep.cep.contexts import Change, ContextHistory
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.language.nodes import DEFAULT_BOUNDS, ChangeKind, Context, ContextKey, ContextSet, ValueType
from kaicep.language.source_text import Span

ROAD = ContextSet(
    "road",
    tuple(Context(name) for name in ("clear", "jam", "accident")),
    (ContextKey("seg", ValueType.INTEGER),),
    DEFAULT_BOUNDS,
    "",
    Span(0, 0),
)
INITIATE, SWITCH, TERMINATE = ChangeKind.INITIATE, ChangeKind.SWITCH, ChangeKind.TERMINATE


def spans(history: ContextHistory, context: str, key: str = "1") -> list[tuple[int, int]]:
    """The windows of a context in a partition."""
    return [(w.since, w.until) for w in history.windows(context, key, NO_START, NO_END)]


def test_the_default_holds_when_nothing_else_does() -> None:
    history = ContextHistory(ROAD)
    assert spans(history, "clear") == [(NO_START, NO_END)]
    history.make([Change(5, INITIATE, "jam", "1", (1,)), Change(6, INITIATE, "jam", "1", (1,))])
    history.make([Change(7, INITIATE, "accident", "1", (1,)), Change(8, TERMINATE, "jam", "1", (1,))])
    assert spans(history, "jam") == [(5, 8)]
    assert spans(history, "clear") == [(NO_START, 5)]
    history.make([Change(9, TERMINATE, "accident", "1", (1,)), Change(9, TERMINATE, "accident", "1", (1,))])
    assert spans(history, "clear") == [(NO_START, 5), (9, NO_END)]
    assert spans(history, "clear", "2") == [(NO_START, NO_END)]
    told = [(t.time, t.context, t.change) for t in history.turns]
    assert told == [
        (5, "clear", "ended"),
        (5, "jam", "started"),
        (7, "accident", "started"),
        (8, "jam", "ended"),
        (9, "accident", "ended"),
        (9, "clear", "started"),
    ]


def test_switch_ends_the_windows_of_its_match_only() -> None:
    history = ContextHistory(ROAD)
    history.make([Change(5, INITIATE, "jam", "1", (1,))])
    (jam,) = history.windows("jam", "1", 6, 6)
    history.make([Change(7, SWITCH, "jam", "1", (1,), {}, (history.number(jam),))])
    assert spans(history, "jam") == [(5, 7), (7, NO_END)]
    history.make([Change(8, SWITCH, "clear", "1", (1,), {}, (history.number(jam),))])
    assert spans(history, "jam") == [(5, 7), (7, NO_END)], "it has ended already"


def test_what_was_changed_is_taken_back() -> None:
    history = ContextHistory(ROAD)
    history.make([Change(5, INITIATE, "jam", "1", (1,), {"v": 3})])
    mark, before = history.mark(), history.snapshot()
    history.make([Change(6, TERMINATE, "jam", "1", (1,)), Change(7, INITIATE, "jam", "2", (2,))])
    made = history.since(mark)
    history.rewind(mark)
    assert history.snapshot() == before
    assert history.since(mark) != made


def test_old_windows_are_forgotten_and_the_default_is_not_longer_for_it() -> None:
    history = ContextHistory(ROAD)
    history.make([Change(5, INITIATE, "jam", "1", (1,)), Change(8, TERMINATE, "jam", "1", (1,))])
    assert [w.context for w in history.ended_from(8, 9)] == ["jam"]
    history.forget(20)
    assert spans(history, "jam") == []
    assert spans(history, "clear") == [(8, NO_END)]
    assert not history.ended


def test_who_is_restored_goes_on_where_the_other_was() -> None:
    history, other = ContextHistory(ROAD), ContextHistory(ROAD)
    history.make([Change(5, INITIATE, "jam", "1", (1,), {"v": 3})])
    waiting = other.restore(history.snapshot([Change(8, TERMINATE, "jam", "1", (1,))]))
    other.make(waiting)
    assert spans(other, "jam") == [(5, 8)]
    assert other.turns[:2] == history.turns


def test_what_has_come_of_changes_can_be_compared() -> None:
    """Attributes of windows count, and what is no number equals itself: else nothing would ever be settled."""
    history = ContextHistory(ROAD)
    mark, made = history.mark(), []
    for value in (float("nan"), float("nan"), 3.0):
        history.make([Change(5, INITIATE, "jam", "1", (1,), {"v": value})])
        made.append(history.since(mark))
        history.rewind(mark)
    assert made[0] == made[1] != made[2]
    assert not history.changed


def test_switch_ends_windows_in_the_order_after_in_context() -> None:
    for order in (("jam", "accident"), ("accident", "jam")):
        history = ContextHistory(ROAD)
        history.make([Change(5, INITIATE, "jam", "1", (1,)), Change(6, INITIATE, "accident", "1", (1,))])
        lying = tuple(history.number(history.windows(name, "1", 7, 7)[0]) for name in ("jam", "accident"))
        history.make([Change(7, SWITCH, "clear", "1", (1,), {}, lying, order)])
        ended = [turn.context for turn in history.turns if (turn.time, turn.change) == (7, "ended")]
        assert tuple(ended) == order
