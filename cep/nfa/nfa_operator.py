"""Patterns with runs: an automaton per partition (docs/semantics.md 3.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

import polars as pl

from ...expressions import Ints, Names, micros, pieces_of
from ...language.nodes import AfterMatchKind, Query
from ..limits import Ceilings, Limits
from ..match import AfterMatchSkip, Recurrence
from ..order import EVENTS, Interval, SharedEvents, with_timer_intervals
from ..output import MatchFrame
from ..partitions import PartitionWindows, is_windowed
from ..snapshot_codec import OperatorState
from .compiler import CompiledPattern, RegisterValues, windows_of
from .free_variable_matches import FreeVariableMatches, SequenceMatch
from .held_matches import HeldMatches
from .match_count import MatchCount
from .match_prospects import LastEvent, MatchProspects
from .match_queue import MatchQueue
from .nfa_snapshot import NfaSnapshot
from .pending_acceptance import PendingAcceptance
from .runtime import AcceptedMatch, EventEncoder, PartialMatches
from .shared_buffer import Remainder, paths

__all__ = ["NfaOperator"]

_END = 2**62
_PIECE = 500  # events after which AFTER MATCH says what need not grow any further
_FEW = 100  # rows that are not worth a look at what is still of use; more make each row cost more than the look


class NfaOperator:
    """Shows events to the runs of their partitions, and reports in output order.

    Args:
        query: with SEQ.
        within: the moments of WITHIN.
        limits: how much the query may take.
        windows: of a query in contexts, what is known of their windows.
        watched: whether its state is asked for.
    """

    def __init__(
        self,
        query: Query,
        within: Interval,
        limits: Limits,
        windows: PartitionWindows | None = None,
        *,
        watched: bool = False,
    ) -> None:
        self._windows = windows if is_windowed(query) else None
        self._compiled = CompiledPattern(with_timer_intervals(query), (within.first, within.last), watched=watched)
        conditions = self._compiled.conditions
        negations = conditions.scopes.negations
        self._ceilings = ceilings = Ceilings(query, limits)
        variables = [s.variable for s in query.sources if s.variable not in negations]
        self._joining = FreeVariableMatches(query, conditions, self._compiled.code, variables, ceilings)
        self._has_free = bool(conditions.free)
        self._queue = MatchQueue(query, variables, ceilings, windows)
        self._encoder = EventEncoder(query, conditions, variables, self._queue.buffer)
        every = next((micros(n.every) for n in negations.values() if n.every is not None), None)
        self.recurrence = Recurrence(every)
        self._waiting = PendingAcceptance(within.last, self._report, self.recurrence, conditions.longest, ceilings)
        self._partial_matches = PartialMatches(
            self._compiled, variables, self._encoder.keyed, self._waiting.settle, ceilings, self._windows
        )
        self._looks_behind = conditions.strict and bool(negations)
        self._keeps_all = query.after_match.kind is AfterMatchKind.KEEP_ALL
        self._swept = -_END
        self._kept = 0
        self._matches = MatchCount(ceilings)
        widths = [width for _, width in windows_of(query)]
        waits = [n.duration for n in negations.values() if n.duration is not None]
        self._horizon = sum(widths) + sum(int(wait.total_seconds() * 1_000_000) for wait in waits)
        self._period = max(widths, default=0) // 4

    @property
    def names(self) -> Names:
        """See `MatchQueue`."""
        return self._queue.names

    @property
    def considered(self) -> int:
        """See `MatchQueue`."""
        return self._queue.considered

    @property
    def skip(self) -> AfterMatchSkip:
        """What AFTER MATCH forbids."""
        return self._queue.skip

    @property
    def due(self) -> int | None:
        """When the interval of a NOT is over, or a run can be prolonged no more."""
        first = self._waiting.next_end
        ends = [] if first is None else [first]
        held = [state.deadline(registers) for state, registers, _ in self._partial_matches.held()]
        if held and self._windows is not None and self._windows.next_end is not None:
            held.append(self._windows.next_end - 1)
        ends += held
        return min(ends) + 1 if ends else None

    @property
    def oldest(self) -> int | None:
        """See `Kernel.oldest`."""
        return self._queue.buffer.oldest

    @property
    def awaited(self) -> Ints:
        """See `PendingNegation.awaited`."""
        return self._waiting.awaited

    @property
    def held_since(self) -> int | None:
        """The earliest time of what may still be prolonged, and of what comes behind it."""
        held = [t for t in (self._partial_matches.held_time, self._queue.earliest) if t is not None]
        return min(held, default=None)

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> MatchFrame | None:
        """The matches that became certain."""
        pieces = [(released, watermark)] if self._keeps_all else pieces_of(released, watermark, _PIECE)
        for piece, passed in pieces:
            self._go_on(piece, passed)
        return self._queue.report()

    def prospects(self, moment: int, last: LastEvent) -> tuple[HeldMatches, AfterMatchSkip]:
        """See `MatchProspects.held`."""
        return self._prospects.held(moment, last)

    def certain(self, moment: int, last: LastEvent) -> MatchFrame | None:
        """See `MatchProspects.certain`."""
        return self._prospects.certain(moment, last)

    @property
    def _prospects(self) -> MatchProspects:
        return MatchProspects(self._compiled, self._partial_matches, self._waiting, self._joining, self._queue)

    def _go_on(self, released: Mapping[str, pl.DataFrame], watermark: int) -> None:
        """Take events, and find what is certain by then."""
        if any(frame.height for frame in released.values()):
            encoded = self._encoder.read(released)
            self._joining.arrive(encoded.free)
            self._partial_matches.process(encoded)
        if self._looks_behind:
            self._waiting.note(released[EVENTS])
        self._partial_matches.let_go(watermark)
        if watermark - self._swept >= self._period and self._size > 2 * self._kept + _FEW:
            self._sweep(watermark)
        ended = frozenset[object]() if self._windows is None else frozenset(self._windows.ended(watermark).tolist())
        self._partial_matches.close(ended)
        self._waiting.let_pass(watermark)
        if self._joining:
            self._queue.found += self._joining.matches(watermark)
        if ended:
            self._retire(ended)
        held = self._partial_matches.held_time
        self._queue.settle(_END if held is None else held)
        if self._queue.skip.grown:
            self._queue.skip.grown = False
            self._drop(Remainder(self._queue.skip))
        if ended and not self._partial_matches.partitions:
            self._sweep(watermark)

    def _retire(self, ended: AbstractSet[object]) -> None:
        """Forget what belongs to context windows that have ended."""
        self._waiting.retire(ended)
        self._joining.retire(ended)
        self._partial_matches.retire(ended)

    @property
    def _size(self) -> int:
        """How much is kept that grows with the events: candidates, also of NOT and UNTIL, and which event came next."""
        return self._queue.size + self._partial_matches.kept + len(self._waiting.next_events)

    def _drop(self, left: Remainder) -> None:
        """Drop what will never be reported because of AFTER MATCH."""
        self._partial_matches.drop(left)
        self._waiting.drop(left)
        self._joining.drop(left)

    def _report(self, time: int, accepted: AcceptedMatch) -> None:
        node = accepted.node
        if not self._has_free:
            self._matches.add(node)
            self._queue.found.append((time, accepted.registers, node))
            return
        # They wait for what is joined to them, each by itself.
        self._ceilings.check("partial_matches_per_partition", node[0])
        sides, doubtful = accepted.rest
        for path in paths(node):
            self._joining.add(SequenceMatch(accepted.buffers.key[:-1], time, path, sides, doubtful))

    def _sweep(self, watermark: int) -> None:
        """Drop what is of no use any more."""
        self._swept = watermark
        self._partial_matches.prune(watermark)
        oldest = min(watermark, min((registers[0] for registers in self._remembered()), default=watermark))
        self._joining.forget(oldest)
        buffer, free = self._queue.buffer, self._compiled.conditions.free
        for v in buffer.frames:
            buffer.forget(v, buffer.before(oldest - self._joining.reach if v in free else oldest, v))
        first = min((registers[1] for registers in self._remembered()), default=_END)
        self._queue.skip.forget(min(first, self._joining.first_number))
        self._waiting.next_events.forget(first)
        self._partial_matches.forget(oldest - self._horizon, self._waiting.matches())
        self._kept = self._size

    def _remembered(self) -> Iterator[RegisterValues]:
        """The registers of all that is partial or waits: they begin with T and number of the first event."""
        yield from (registers for _, registers, _ in self._partial_matches.matches())
        yield from (accepted.registers for accepted in self._waiting.matches())
        yield from (tuple(one.match.path[0][1]) for one in self._joining.open)
        yield from (first for _, first, _ in self._queue.found)

    def state(self) -> OperatorState:
        """All runs, what waits, and the candidates that they hold."""
        return self._snapshot.state(self._swept)

    def share(self, events: SharedEvents) -> None:
        """See `Kernel.share`."""
        self._queue.buffer.events = events

    def load(self, state: OperatorState) -> None:
        """Go on from there."""
        self._snapshot.load(state)
        swept = state.numbers["swept"]
        self._swept = -_END if swept is None else swept

    @property
    def _snapshot(self) -> NfaSnapshot:
        return NfaSnapshot(
            self._compiled, self._encoder, self._partial_matches, self._waiting, self._joining, self._queue
        )
