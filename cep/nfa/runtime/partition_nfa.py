"""The automaton of one partition: what each event does to its partial matches (`docs/semantics.md`).

Partial matches stand by their state. Where everything may be ignored, those of equal registers are one, and hold all
sequences of events that lead to them (`shared_buffer`); elsewhere each is by itself. One that was just made waits until
time has gone on: what stands behind a link comes strictly later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ....language.nodes import Link
from ...limits import Ceilings
from ..compiler import CompiledPattern, Moves, RegisterValues, State, Transition
from ..event_layout import NUMBER, Event
from ..negation_buffer import PartitionBuffers
from ..shared_buffer import Node, Remainder, extended, last_time, united
from .accepted import AcceptedMatch
from .transition_priority import EnabledTransition, PartialMatch, preferred

__all__ = ["PartitionNfa"]

Row = tuple[int, Event]
"""The place of a variable whose candidate an event is, and its tuple."""

_Single = list[PartialMatch]
_Merged = dict[RegisterValues, tuple[Any, ...]]


@dataclass(slots=True, eq=False)
class PartitionNfa:
    """The partial matches of one partition.

    Attributes:
        compiled: the query's automaton.
        variables: those that are matched; rows go by their places.
        accept: takes partial matches that have come to a final state.
        ceilings: how many partial matches may be in one state.
        buffers: what transitions look at beside registers and the event.
        single: partial matches by themselves, by state.
        merged: partial matches of equal registers as one, by state.
        fresh: those that were made at `now`.
    """

    compiled: CompiledPattern
    variables: Sequence[str]
    accept: Callable[[AcceptedMatch], None]
    ceilings: Ceilings
    buffers: PartitionBuffers
    single: dict[State, _Single] = field(default_factory=dict)
    merged: dict[State, _Merged] = field(default_factory=dict)
    fresh: list[PartialMatch] = field(default_factory=list)
    now: int = -(2**62)
    _ignoring: list[PartialMatch] = field(default_factory=list)

    def process(self, places: Sequence[int], events: Sequence[Event], *, several: bool) -> None:
        """Show events to all partial matches, and let them begin new ones.

        Args:
            places: of the variables whose candidates the events are.
            events: in total order.
            several: an event may stand there more than once: for several variables, or with several solutions.
        """
        if not several:
            self._take(places, events)
            return
        for _, same in groupby(zip(places, events, strict=True), key=lambda row: row[1][NUMBER]):
            rows = list(same)
            if len(rows) > 1:
                self._take_rows(rows)
            else:
                self._take([rows[0][0]], [rows[0][1]])

    def _take(self, places: Sequence[int], events: Sequence[Event]) -> None:  # noqa: C901 - every event passes here
        """Events each of which is a candidate of one variable."""
        single, all_merged, buffers = self.single, self.merged, self.buffers
        initial = self.compiled.initial
        for place, event in zip(places, events, strict=True):
            if event[0] > self.now:
                self._pass_to(event[0])
            made: list[PartialMatch] = []
            for state, matches in single.items():
                if matches:
                    moves = state.moves.get(place) or self._moves(state, place)
                    if moves.advance is not None:
                        single[state] = moves.advance(matches, event, buffers, place, made)
                    elif moves.transitions:
                        self._show_single(state, matches, ((place, event),), made)
            for state, merged in all_merged.items():
                if merged:
                    moves = state.moves.get(place) or self._moves(state, place)
                    if moves.advance is not None:
                        moves.advance(merged.items(), event, buffers, place, made)
                    elif moves.transitions:
                        self._show_merged(state, merged, ((place, event),), made)
            for state in initial:
                moves = state.moves.get(place) or self._moves(state, place)
                if len(moves.transitions) == 1:
                    for target in moves.transitions[0].targets:
                        registers = target.take(None, event, buffers)
                        if registers is not None:
                            made.append((target.state, registers, (1, None, place, event)))
                elif moves.transitions:
                    self._begin(state, ((place, event),), made)
            if made:
                self._add(made)

    def _take_rows(self, rows: Sequence[Row]) -> None:
        """An event that is a candidate of several variables, or has several solutions."""
        time: int = rows[0][1][0]
        if time > self.now:
            self._pass_to(time)
        made: list[PartialMatch] = []
        for state, matches in self.single.items():
            if matches and self._may_take(state, rows):
                self._show_single(state, matches, rows, made)
        for state, merged in self.merged.items():
            if merged and self._may_take(state, rows):
                self._show_merged(state, merged, rows, made)
        for state in self.compiled.initial:
            if self._may_take(state, rows):
                self._begin(state, rows, made)
        if made:
            self._add(made)

    def _pass_to(self, time: int) -> None:
        self.now = time
        self.ceilings.check_time()
        if self.fresh:
            self._settle()

    def _add(self, made: list[PartialMatch]) -> None:
        for one in made:
            state = one[0]
            for final in state.finals:
                if not final.leaves:
                    self.accept(AcceptedMatch(one[1], one[2], self.now, final, self.buffers))
            if state.open or state.held:
                self.fresh.append(one)
        if self._ignoring:
            self.insert(self._ignoring)
            self._ignoring = []
        if self.compiled.conditions.interleaved:  # the other sides of an AND may have equal time stamps
            self._settle()

    def _settle(self) -> None:
        """Let the partial matches that were made at `now` look at events."""
        self.insert(self.fresh)
        self.fresh = []

    def insert(self, added: list[PartialMatch]) -> None:
        """Add partial matches that look at the next event."""
        most = self.ceilings.limits.partial_matches_per_partition
        for one in added:
            state = one[0]
            if state.merges:
                merged = self.merged.get(state)
                if merged is None:
                    merged = self.merged[state] = {}
                known = merged.get(one[1])
                merged[one[1]] = one[2] if known is None else united(known, one[2])
                size = len(merged)
            else:
                single = self.single.get(state)
                if single is None:
                    single = self.single[state] = []
                single.append(one)
                size = len(single)
            if size > most:
                self.ceilings.check("partial_matches_per_partition", size)

    def _moves(self, state: State, place: int) -> Moves:
        return self.compiled.moves(state, place, self.variables[place])

    def _transitions(self, state: State, place: int) -> tuple[Transition, ...]:
        return (state.moves.get(place) or self._moves(state, place)).transitions

    def _may_take(self, state: State, rows: Sequence[Row]) -> bool:
        return any(self._transitions(state, place) for place, _ in rows)

    def _begin(self, state: State, rows: Sequence[Row], made: list[PartialMatch]) -> None:
        for _, found in preferred(self._enabled(state, None, None, rows)):
            made += found

    def _show_merged(self, state: State, merged: _Merged, rows: Sequence[Row], made: list[PartialMatch]) -> None:
        if state.relaxed:
            for registers, node in merged.items():
                for _, found in self._enabled(state, registers, node, rows):
                    made += found
            return
        for registers, node in list(merged.items()):
            if self._show(state, registers, node, rows, made):
                del merged[registers]

    def _show_single(self, state: State, single: _Single, rows: Sequence[Row], made: list[PartialMatch]) -> None:
        left = [one for one in single if not self._show(state, one[1], one[2], rows, made)]
        if len(left) < len(single):
            self.single[state] = left

    def _show(
        self,
        state: State,
        registers: RegisterValues,
        node: tuple[Any, ...],
        rows: Sequence[Row],
        made: list[PartialMatch],
    ) -> bool:
        """Show an event to a partial match; whether it leaves its state."""
        enabled = self._enabled(state, registers, node, rows)
        if not enabled:
            return False
        taken = preferred(enabled)
        for _, found in taken:
            made += found
        if state.held:
            self._let_go(state, registers, node, [transition for transition, _ in taken])
        if any(transition.link is Link.ANY for transition, _ in taken):
            ignoring = self.compiled.ignored(state, Link.NEXT)
            if ignoring is not None:
                self._ignoring.append((ignoring, registers, node))
        return True

    def _let_go(
        self, state: State, registers: RegisterValues, node: tuple[Any, ...], transitions: list[Transition]
    ) -> None:
        """Accept at the final states that a partial match has reached, but for what this event prolongs."""
        prolonged = frozenset().union(*(transition.inside for transition in transitions))
        for final in state.finals:
            if final.leaves and not final.leaves & prolonged:
                self.accept(AcceptedMatch(registers, node, last_time(node), final, self.buffers))

    def _enabled(
        self, state: State, registers: RegisterValues | None, node: Node, rows: Sequence[Row]
    ) -> list[EnabledTransition]:
        """The transitions whose conditions an event satisfies, with the partial matches that they lead to."""
        enabled = []
        for place, event in rows:
            for transition in self._transitions(state, place):
                targets = transition.targets
                if transition.after_gap is not targets and registers is not None:
                    targets = transition.after_gap if self._has_gap(registers, event) else targets
                found = [
                    (target.state, longer, extended(node, place, event))
                    for target in targets
                    if (longer := target.take(registers, event, self.buffers)) is not None
                ]
                if found:
                    enabled.append((transition, found))
        return enabled

    def _has_gap(self, registers: RegisterValues, event: Event) -> bool:
        seen = registers[self.compiled.conditions.seen]
        return seen is not None and event[2] != seen

    def prune(self, time: int) -> None:
        """Drop what no event from `time` on is of use to, and accept what waited for that."""
        if time > self.now and self.fresh:
            self._settle()
        for state, merged in self.merged.items():
            deadline = state.deadline
            for registers in [registers for registers in merged if deadline(registers) < time]:
                del merged[registers]
        for state, single in self.single.items():
            deadline = state.deadline
            late = [one for one in single if deadline(one[1]) < time]
            if late:
                self.single[state] = [one for one in single if deadline(one[1]) >= time]
                for _, registers, node in late if state.held else ():
                    self._let_go(state, registers, node, [])

    def close(self) -> None:
        """Accept what could end, since no further event comes to the partition."""
        if self.fresh:
            self._settle()
        for state, single in self.single.items():
            for _, registers, node in single if state.held else ():
                self._let_go(state, registers, node, [])

    def drop(self, left: Remainder) -> None:
        """Drop what no match may hold any more because of matches that stand."""
        shared = self.buffers.key[:-1]

        def allowed(matches: Sequence[PartialMatch]) -> list[PartialMatch]:
            nodes = ((state, registers, left.of(shared, registers[1], node)) for state, registers, node in matches)
            return [(state, registers, node) for state, registers, node in nodes if node is not None]

        for state, merged in self.merged.items():
            of_merged = allowed([(state, registers, node) for registers, node in merged.items()])
            self.merged[state] = {registers: node for _, registers, node in of_merged}
        for state, single in self.single.items():
            self.single[state] = allowed(single)
        self.fresh = allowed(self.fresh)

    @property
    def holds_back(self) -> bool:
        """Whether partial matches wait until they can be prolonged no more."""
        return next(self.held(), None) is not None

    @property
    def is_empty(self) -> bool:
        """Whether there is no partial match."""
        return not (self.fresh or any(self.single.values()) or any(self.merged.values()))

    def held(self) -> Iterator[PartialMatch]:
        """The partial matches that could end, if they are not prolonged."""
        for state, single in self.single.items():
            if state.held:
                yield from single
        yield from (one for one in self.fresh if one[0].held)

    def matches(self) -> Iterator[PartialMatch]:
        """All partial matches."""
        yield from self.settled()
        yield from self.fresh

    def settled(self) -> Iterator[PartialMatch]:
        """All partial matches that look at the next event, whenever it comes."""
        for single in self.single.values():
            yield from single
        for state, merged in self.merged.items():
            yield from ((state, registers, node) for registers, node in merged.items())
