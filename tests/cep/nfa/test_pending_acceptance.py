"""Accepted matches wait until their NOTs at the end are decided, and are reported once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
from kaicep.cep.limits import Ceilings
from kaicep.cep.match import NOTHING_AWAITED, AfterMatchSkip, Recurrence
from kaicep.cep.nfa.compiler import FinalState
from kaicep.cep.nfa.negation_buffer import PartitionBuffers
from kaicep.cep.nfa.pending_acceptance import PendingAcceptance
from kaicep.cep.nfa.runtime import AcceptedMatch
from kaicep.cep.nfa.shared_buffer import Remainder
from kaicep.cep.order import BEFORE
from support.frames import frame_at
from support.operators import compiled

BUFFERS = PartitionBuffers(("s", None), {}, {})


def accepted(
    time: int, *, due: int | None = None, awaits: int | None = None, holds: bool = True, node: tuple[Any, ...] = (1,)
) -> AcceptedMatch:
    """A match whose last event came at `time` and whose first one has that number."""
    final = FinalState(
        (0, 0),
        frozenset(),
        lambda *_: holds,
        None if due is None else lambda *_: due,
        None if awaits is None else lambda _: awaits,
        None,
        (),
    )
    return AcceptedMatch((time, time), node, time, final, BUFFERS)


def waiting_with(*settled: AcceptedMatch) -> tuple[PendingAcceptance, list[tuple[int, AcceptedMatch]]]:
    """What waits after these were accepted, and what it reports."""
    reported: list[tuple[int, AcceptedMatch]] = []
    waiting = pending(reported, Recurrence())
    for one in settled:
        waiting.settle(one)
    return waiting, reported


def pending(reported: list[tuple[int, AcceptedMatch]], recurrence: Recurrence) -> PendingAcceptance:
    ceilings = Ceilings(compiled("SELECT ?e.sensor"))
    return PendingAcceptance(100, lambda time, one: reported.append((time, one)), recurrence, 30, ceilings)


def test_what_recurs_is_reported_at_each_moment_until_it_does_not_hold() -> None:
    reported: list[tuple[int, AcceptedMatch]] = []
    waiting = pending(reported, Recurrence(5))
    endless, ended = accepted(3, due=8), accepted(4, due=9, node=(2,))
    ended.final = replace(ended.final, holds=lambda *given: given[3] < 15)
    waiting.settle(endless)
    waiting.settle(ended)
    waiting.let_pass(15)
    assert reported == [(8, endless), (9, ended), (13, endless), (14, ended)]
    waiting.let_pass(60)
    assert [time for time, one in reported[4:] if one is endless] == [18, 23, 28, 33], (
        "30 after the first event at most"
    )
    assert len(reported) == 8
    assert not list(waiting.matches())


def test_what_no_not_ends_is_reported_at_once_if_it_holds() -> None:
    sure = accepted(3)
    waiting, reported = waiting_with(sure, accepted(4, holds=False))
    assert reported == [(3, sure)]
    assert (waiting.next_end, list(waiting.matches())) == (None, [])


def test_an_interval_has_to_end_below_the_watermark() -> None:
    later, sooner = accepted(3, due=9), accepted(4, due=6, node=(2,))
    waiting, reported = waiting_with(later, sooner)
    assert waiting.next_end == 6
    waiting.let_pass(6)
    assert reported == []
    waiting.let_pass(10)
    assert reported == [(6, sooner), (9, later)]


def test_the_same_events_are_reported_at_the_end_of_the_first_not_that_holds() -> None:
    node = (1, "shared")
    refuted, first, second = (
        accepted(3, due=due, holds=holds, node=node) for due, holds in ((5, False), (6, True), (20, True))
    )
    waiting, reported = waiting_with(second, first, refuted)
    waiting.let_pass(8)
    assert reported == [(6, first)]
    assert list(waiting.matches()) == []


def test_the_very_next_event_may_have_come_before() -> None:
    waiting, reported = waiting_with()
    waiting.note(frame_at([7]).with_columns(pl.Series(BEFORE, [3])))
    one = accepted(3, awaits=3)
    waiting.settle(one)
    assert waiting.entries() == [(one, 3, 3)]
    waiting.let_pass(8)
    assert reported == [(7, one)]


def test_what_after_match_forbids_is_dropped() -> None:
    skip = AfterMatchSkip(compiled("SELECT ?a FROM (?a, readings) AFTER MATCH SKIP PAST LAST EVENT"), {("s",): 3})
    kept = accepted(4, due=9)
    waiting, _ = waiting_with(accepted(3, due=9), kept)
    waiting.drop(Remainder(skip))
    assert waiting.entries() == [(kept, 9, NOTHING_AWAITED)]
