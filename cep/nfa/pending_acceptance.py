"""Accepted partial matches whose NOTs at the end are not decided yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

import numpy as np
import polars as pl

from ...expressions import Ints
from ..limits import Ceilings
from ..match import NOTHING_AWAITED, PendingNegation, Recurrence
from ..order import UNBOUNDED
from .negation_buffer import PartitionBuffers
from .runtime import AcceptedMatch
from .shared_buffer import Remainder

__all__ = ["PendingAcceptance"]

_ACCEPTED = "accepted"


class PendingAcceptance:
    """Reports what was accepted when it is known to be a match.

    Args:
        last: the last moment of WITHIN, in microseconds.
        report: takes matches, and when they became true.
        recurrence: of EVERY.
        longest: how long after the first event of a match its EVERY goes on at the most, in microseconds.
        ceilings: of the query.
    """

    def __init__(
        self,
        last: int,
        report: Callable[[int, AcceptedMatch], None],
        recurrence: Recurrence,
        longest: int,
        ceilings: Ceilings,
    ) -> None:
        self._report, self._last, self._longest, self._ceilings = report, last, longest, ceilings
        self._new: list[tuple[AcceptedMatch, int, int]] = []
        self._pending = PendingNegation(last, {_ACCEPTED: np.empty(0, dtype=object)}, recurrence=recurrence)
        self.next_events = self._pending.next_events

    @property
    def next_end(self) -> int | None:
        """When the first interval of a NOT ends."""
        self._flush()
        ended = self._pending.time[self._pending.awaited == NOTHING_AWAITED]
        return int(ended.min()) if len(ended) else None

    @property
    def awaited(self) -> Ints:
        """See `PendingNegation.awaited`."""
        self._flush()
        return self._pending.awaited

    def prospects(self, moment: int) -> Iterator[tuple[AcceptedMatch, int]]:
        """What waits and may still become a match, nothing coming that forbids it, and the last moment at which it may.

        Args:
            moment: in microseconds; all is known up to it.
        """
        for accepted, time, awaited in self.entries():
            until = self.last_chance(moment, accepted, time if awaited == NOTHING_AWAITED else UNBOUNDED)
            if until is not None:
                yield accepted, until

    def last_chance(self, moment: int, accepted: AcceptedMatch, time: int) -> int | None:
        """The last moment, behind one, at which what has come to an end may become a match; `None`: it may not.

        Args:
            moment: in microseconds; nothing is known behind it.
            accepted: what has come to an end.
            time: when it becomes a match, of EVERY the next time.
        """
        period = self._pending.recurrence.period
        if period is not None:
            until = min(self._until(accepted), _end_of_window(accepted.buffers))
            time = UNBOUNDED if until >= UNBOUNDED else time + (until - time) // period * period
        return time if time > moment and accepted.holds_at(time) else None

    def entries(self) -> list[tuple[AcceptedMatch, int, int]]:
        """What waits, the time as far as it is known, and the number of the event whose next one is awaited."""
        self._flush()
        p = self._pending
        return list(zip(p.columns[_ACCEPTED].tolist(), p.time.tolist(), p.awaited.tolist(), strict=True))

    def matches(self) -> Iterator[AcceptedMatch]:
        """What waits."""
        yield from (accepted for accepted, _, _ in self.entries())

    def settle(self, accepted: AcceptedMatch) -> None:
        """Report a match, or let it wait."""
        final, time = accepted.final, accepted.time
        if final.awaits is None and final.due is None:
            if final.holds is None or accepted.holds:
                self._report(time, accepted)
            return
        due = time if final.due is None else final.due(accepted.registers, time)
        awaited = NOTHING_AWAITED if final.awaits is None else final.awaits(accepted.registers)
        self.add(accepted, due, awaited)

    def settled_at(self, accepted: AcceptedMatch, moment: int) -> int | None:
        """When what has come to an end became a match, if it did by a moment; `None`: it did not, or it recurs."""
        final = accepted.final
        time = accepted.time if final.due is None else final.due(accepted.registers, accepted.time)
        recurs = self._pending.recurrence.period is not None
        settled = final.awaits is None and not recurs and time <= min(moment, self._last)
        return time if settled and accepted.holds_at(time) else None

    def add(self, accepted: AcceptedMatch, time: int, awaited: int) -> None:
        """Have it wait."""
        self._new.append((accepted, time, awaited))

    def _flush(self) -> None:
        if self._new:
            accepted, time, awaited = zip(*self._new, strict=True)
            column = np.empty(len(accepted), dtype=object)
            column[:] = accepted
            until = np.array([self._until(a) for a in accepted])
            self._pending.add({_ACCEPTED: column}, np.array(time), np.array(awaited), until)
            self._new = []

    def _until(self, accepted: AcceptedMatch) -> int:
        last: int = min(self._last, accepted.registers[0] + self._longest)
        return last

    def clear(self) -> None:
        """Forget what waits."""
        self._new = []
        self._pending.keep(np.zeros(len(self._pending), dtype=bool))

    def note(self, events: pl.DataFrame) -> None:
        """Take in which events followed others directly."""
        self.next_events.note(events)

    def let_pass(self, watermark: int) -> None:
        """Report what the watermark makes certain, each once: at the end of the first of its NOTs that holds."""
        self._flush()
        if not len(self._pending):
            return
        if self._pending.recurrence.period is not None:
            self._let_recur(watermark)
            return
        columns, times = self._pending.release(watermark)
        reported: set[int] = set()
        for time, accepted in zip(times.tolist(), columns[_ACCEPTED].tolist(), strict=True):
            if id(accepted.node) not in reported and accepted.holds:
                reported.add(id(accepted.node))
                self._report(time, accepted)
        if reported:
            self._keep(lambda accepted: id(accepted.node) not in reported)

    def _let_recur(self, watermark: int) -> None:
        """The same of EVERY: at each of its moments, until one at which it does not hold: it holds at no later one."""
        counts = self._pending.due_counts(np.arange(len(self._pending)), watermark)
        self._ceilings.check_batch(int(counts.sum()))
        columns, times = self._pending.release(watermark)
        reported: set[tuple[int, int]] = set()
        stopped: set[int] = set()
        for time, accepted in zip(times.tolist(), columns[_ACCEPTED].tolist(), strict=True):
            accepted.before, accepted.moment = accepted.moment, time
            if id(accepted) in stopped or not accepted.holds:
                stopped.add(id(accepted))
            elif (id(accepted.node), time) not in reported:
                reported.add((id(accepted.node), time))
                self._report(time, accepted)
        if stopped:
            self._keep(lambda accepted: id(accepted) not in stopped)

    def retire(self, windows: AbstractSet[object]) -> None:
        """Drop what waits in context windows that have ended."""
        self._flush()
        self._keep(lambda accepted: accepted.buffers.window not in windows)

    def drop(self, left: Remainder) -> None:
        """Drop what no match may hold any more because of matches that stand."""
        self._flush()
        self._keep(lambda c: left.of(c.buffers.key[:-1], c.registers[1], c.node) is not None)

    def _keep(self, test: Callable[[AcceptedMatch], bool]) -> None:
        kept = [test(accepted) for accepted in self._pending.columns[_ACCEPTED]]
        self._pending.keep(np.array(kept, dtype=bool))


def _end_of_window(buffers: PartitionBuffers) -> int:
    """Until when the context window of a partition goes on, as far as that is known."""
    return UNBOUNDED if buffers.windows is None else buffers.until
