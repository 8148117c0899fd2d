"""What may still become of the partial matches that an automaton holds, and of what has come to its end (H2O)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..match import AfterMatchSkip
from ..order import UNBOUNDED
from ..output import MatchFrame
from .compiler import CompiledPattern, RegisterValues, State, windows_of
from .event_layout import Event
from .free_variable_matches import FreeVariableMatches
from .free_variable_prospects import FreeVariableProspects, SequenceProspect
from .held_matches import HeldMatches
from .match_queue import MatchQueue
from .negation_buffer import PartitionBuffers
from .pending_acceptance import PendingAcceptance
from .runtime import AcceptedMatch, PartialMatches, PartitionKey
from .settled_matches import SettledMatches
from .shared_buffer import Remainder, chain, last_time, paths

__all__ = ["LastEvent", "MatchProspects"]

LastEvent = Callable[[PartitionKey], int]
"""The number of the last event of a partition."""

_END = 2**62


class MatchProspects:
    """Asks each way on from a state about an event of which nothing is known but that it comes later.

    Args:
        compiled: the query's automaton.
        partial_matches: in its states.
        waiting: what has come to its end and waits.
        joining: the variables that SEQ does not name.
        queue: has the candidates, and what AFTER MATCH forbids.
    """

    def __init__(
        self,
        compiled: CompiledPattern,
        partial_matches: PartialMatches,
        waiting: PendingAcceptance,
        joining: FreeVariableMatches,
        queue: MatchQueue,
    ) -> None:
        self._compiled, self._partial_matches, self._waiting = compiled, partial_matches, waiting
        self._joining, self._queue = joining, queue

    def held(self, moment: int, last: LastEvent) -> tuple[HeldMatches, AfterMatchSkip]:
        """The partial matches at a moment, and matches that wait for the end of a last NOT or timer.

        Args:
            moment: in microseconds; all is known up to it, and nothing behind it.
            last: the number of the last event of a partition; −1: there is none.

        Returns:
            They, and what AFTER MATCH forbids, by context window, too.
        """
        held = HeldMatches(self._queue.buffer, self._joining.variables)
        skip = self._skip(moment, last)
        if self._joining:
            self._prospects_beside(held, Remainder(skip), moment, last)
        else:
            self._prospects(held, Remainder(skip), moment, last)
        return held, skip

    def _skip(self, moment: int, last: LastEvent) -> AfterMatchSkip:
        """What AFTER MATCH forbids: also by runs that nothing prolongs any more, which the queue does not know yet."""
        if self._queue.skip.keeps_all:
            return self._queue.skip
        settled = self._settled(moment, last)
        return self._queue.foreseen(settled.ended, settled.undecided.get)[0]

    def certain(self, moment: int, last: LastEvent) -> MatchFrame | None:
        """The matches, of all that wait, that are the next ones to be reported, whatever comes after a moment."""
        settled = self._settled(moment, last)
        first = min(settled.undecided.values(), default=None)
        return self._queue.foreseen(settled.ended, lambda _: first)[1]

    def _settled(self, moment: int, last: LastEvent) -> SettledMatches:
        """What is known of runs that could end: nothing can prolong them any more, or something can."""
        settled = SettledMatches(moment, self._waiting, self._joining)
        for key, partition in self._partial_matches.partitions.items():
            event = self._later(moment, last(key))
            for run in partition.held():
                state, registers, node = run
                if self._is_prolonged(state, registers, event, partition.buffers):
                    settled.leave_undecided(key[:-1], run)
                    continue
                for final in state.finals:
                    settled.end(AcceptedMatch(registers, node, last_time(node), final, partition.buffers))
        return settled

    def _is_prolonged(self, state: State, registers: RegisterValues, event: Event, buffers: PartitionBuffers) -> bool:
        """Whether a later event may lead a run on."""
        if self._joining:
            leads = self._compiled.leads(state, self._joining.variables)
            return any(lead.begin(registers, event, buffers) is not None for lead in leads)
        ways = self._compiled.prospects(state, self._joining.variables)
        return any(way(registers, event, buffers) is not None for way in ways)

    def _prospects(self, held: HeldMatches, left: Remainder, moment: int, last: LastEvent) -> None:
        """Where SEQ names all variables; `left`: what AFTER MATCH leaves."""
        waits = partial(self._waiting.last_chance, moment)
        for key, partition in self._partial_matches.partitions.items():
            event = self._later(moment, last(key))
            for state, registers, every in partition.matches():
                node = left.of(key[:-1], registers[1], every)
                if node is None:
                    continue
                ways = self._compiled.prospects(state, self._joining.variables)
                ends = [end for way in ways if (end := way(registers, event, partition.buffers)) is not None]
                if ends:
                    held.add(node, max(end for end, _ in ends), max(end for _, end in ends))
                elif state.held:
                    held.add_waiting(state, registers, node, partition.buffers, waits)
        for accepted, until in self._waiting.prospects(moment):
            node = left.of(accepted.buffers.key[:-1], accepted.registers[1], accepted.node)
            if node is not None:
                held.add(node, until)

    def _prospects_beside(self, held: HeldMatches, left: Remainder, moment: int, last: LastEvent) -> None:
        """Where it does not."""
        conditions = self._compiled.conditions
        beside = FreeVariableProspects(self._joining, windows_of(conditions.query), conditions.required)
        for one in self._sequence_prospects(moment, last):
            for path, until, inside in beside.of(one):
                if left.allows(one.shared, path):
                    held.add(chain(path), until, inside)

    def _sequence_prospects(self, moment: int, last: LastEvent) -> Iterator[SequenceProspect]:
        """What may become of what SEQ has bound: nothing, a part, or all that it names."""
        begun = self._compiled.beginnings()
        for shared in dict.fromkeys(shared for _, shared in self._joining.candidates):
            every = frozenset(self._compiled.conditions.scopes.positive)
            yield SequenceProspect(shared, [], moment + 1, begun, every)
        for key, partition in self._partial_matches.partitions.items():
            event = self._later(moment, last(key))
            for state, registers, node in partition.matches():
                leads = self._compiled.leads(state, self._joining.variables)
                led = [(b, a) for a in leads if (b := a.begin(registers, event, partition.buffers)) is not None]
                for path in paths(node):
                    for (first, sides, doubtful), lead in led:
                        yield SequenceProspect(key[:-1], path, first, lead.coming, lead.ahead, sides, doubtful)
                for final in state.finals if state.held else ():
                    accepted = AcceptedMatch(registers, node, last_time(node), final, partition.buffers)
                    time = accepted.time if final.due is None else final.due(registers, accepted.time)
                    yield from self._at_end(accepted, time, moment, state.ahead.variables, prolongable=bool(led))
        for accepted, time, awaited in self._waiting.entries():
            yield from self._at_end(accepted, time if awaited < 0 else UNBOUNDED, moment)
        for one in () if self._joining.timed else self._joining.open:
            match = one.match
            yield SequenceProspect(
                match.shared, match.path, moment + 1, sides=match.sides, doubtful=match.doubtful, ended=True
            )

    def _at_end(
        self,
        accepted: AcceptedMatch,
        time: int,
        moment: int,
        ahead: frozenset[str] = frozenset(),
        *,
        prolongable: bool = False,
    ) -> Iterator[SequenceProspect]:
        """What may become of a run at the end of SEQ: something else is unbound, or it waits until a time."""
        timed = self._joining.timed
        for ended in (True, False):
            chance = time if timed or not ended else UNBOUNDED
            until = self._waiting.last_chance(moment, accepted, chance)
            if until is None or (prolongable and not ended):
                continue
            sides, doubtful = (None, ()) if accepted.final.rest is None else accepted.final.rest(
                accepted.registers, accepted.time, accepted.buffers, until)  # fmt: skip
            for path in paths(accepted.node):
                yield SequenceProspect(
                    accepted.buffers.key[:-1], path, moment + 1, (frozenset(),), ahead if ended else frozenset(),
                    sides, doubtful, until, ended,
                )  # fmt: skip

    def _later(self, moment: int, last: int) -> tuple[Any, ...]:
        """An event of which nothing is known but that it comes right after a moment, behind the one of a number."""
        unknown = [None] * max(map(len, self._compiled.conditions.layout.columns.values()), default=0)
        return (moment + 1, _END, last, -1, *unknown)
