"""The windows of a set, change by change, are those of the oracle; taken back, stored and forgotten ones too."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.cep.contexts import Change, ContextHistory, HeldWindow
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.language.nodes import (
    DEFAULT_BOUNDS,
    Calendar,
    CalendarStretch,
    ChangeKind,
    Context,
    ContextKey,
    ContextSet,
    ValueType,
)
from kaicep.language.source_text import Span
from oracle import contexts as plain

MINUTE = 60_000_000
BEGIN = 1_711_843_200_000_000
"""The midnight before clocks go forward in Europe, in UTC."""

EARLY = Calendar((CalendarStretch(tuple(range(7)), 150, 270),), "Europe/Rome")
NAMES = ("clear", "jam", "accident")
KEYS = (1, 2)


class Drawn(NamedTuple):
    """A change, so long after the one before; `within`: whether its match lies in each context of each partition."""

    after: int
    kind: ChangeKind
    context: str
    key: int
    within: tuple[bool, ...]


changes = st.lists(
    st.builds(
        Drawn,
        st.sampled_from([0, 0, 1, MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE]),
        st.sampled_from(list(ChangeKind)),
        st.sampled_from(NAMES),
        st.sampled_from(KEYS),
        st.tuples(*[st.booleans()] * 6),
    ).filter(lambda drawn: drawn.context != "clear" or drawn.kind is ChangeKind.SWITCH),
    max_size=14,
)


class Both:
    """The engine's and the oracle's windows of one set."""

    def __init__(self, *, calendar: bool) -> None:
        contexts = [*map(Context, NAMES), *([Context("early", EARLY)] if calendar else [])]
        keys = (ContextKey("seg", ValueType.INTEGER),)
        self.set = ContextSet("road", tuple(contexts), keys, DEFAULT_BOUNDS, "", Span(0, 0))
        self.history, self.oracle, self.time = ContextHistory(self.set), plain.History(self.set), BEGIN

    def make(self, drawn: Drawn) -> Change:
        """Make a change on both sides."""
        self.time += drawn.after
        places = [(context, key) for context in NAMES for key in KEYS]
        found = [
            self.oracle.window(c, (k,), self.time) for (c, k), own in zip(places, drawn.within, strict=True) if own
        ]
        lying = [w for w in found if w is not None] if drawn.kind is ChangeKind.SWITCH else []
        numbers = [self.history.number(held(window)) for window in lying]
        values = {"n": self.time}
        change = Change(
            self.time, drawn.kind, drawn.context, str(drawn.key), (drawn.key,), values, tuple(numbers), NAMES
        )
        self.history.make([change])
        self.oracle.make(plain.Change("road", drawn.kind, drawn.context, (drawn.key,), self.time, values, tuple(lying)))
        return change

    def agree(self, first: int) -> None:
        """See that both say the same of every moment from one on."""
        told = [(t.time, t.context, t.change, t.since, t.keys) for t in self.history.turns]
        assert told == [(t.time, t.context, t.change, start(t.since), t.key) for t in self.oracle.turns]
        moments = {t + d for t in (BEGIN, self.time, *(t.time for t in self.oracle.turns)) for d in (0, 1, 45 * MINUTE)}
        for moment in sorted(m for m in moments if m >= first):
            for context in (c.name for c in self.set.contexts):
                for key in (*KEYS, 3):
                    own = [w for w in self.history.windows(context, str(key), moment, moment) if w.since < moment]
                    window = self.oracle.window(context, (key,), moment)
                    assert own == ([] if window is None else [held(window)]), (context, key, moment)


def held(window: plain.Window) -> HeldWindow:
    """A window of the oracle as one of the engine."""
    moments = start(window.since), end(window.until), start(window.start), end(window.end)
    return HeldWindow(window.context, str(window.key[0]), *moments, window.values)


def start(moment: int | None) -> int:
    return NO_START if moment is None else moment


def end(moment: int | None) -> int:
    return NO_END if moment is None else moment


@settings(max_examples=60, deadline=None)
@given(changes, st.booleans(), st.data())
def test_windows_are_those_of_the_oracle(drawn: list[Drawn], calendar: bool, data: Any) -> None:
    """Also after some changes were taken back and made again, the state was stored, and what ended is forgotten."""
    both = Both(calendar=calendar)
    rewound = data.draw(st.integers(0, len(drawn)))
    for one in drawn[:rewound]:
        both.make(one)
    mark = both.history.mark()
    made = [both.make(one) for one in drawn[rewound:]]
    first = both.history.since(mark)
    both.history.rewind(mark)
    both.history.make(made)
    assert both.history.since(mark) == first
    both.agree(BEGIN)
    other = ContextHistory(both.set)
    other.restore(both.history.snapshot())
    both.history = other
    both.agree(BEGIN)
    early = data.draw(st.integers(BEGIN, both.time))
    other.forget(early)
    both.agree(early)
