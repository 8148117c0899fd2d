"""Matches of joins that wait until last NOTs are over, or recur until timers are (docs/semantics.md 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ..limits import Ceilings
from ..order import UNBOUNDED
from ..output import MatchTable
from ..partitions import PartitionWindows
from .candidate_buffer import CandidateBuffer
from .event_counts import NewEvents
from .match_contexts import windows_of_matches
from .negation import NegationConstraint, Refutation
from .pending_negation import NOTHING_AWAITED, PendingNegation
from .recurrence import Recurrence

__all__ = ["AwaitedMatches"]

_DISJUNCT = "#disjunct"


@dataclass(slots=True)
class AwaitedMatches:
    """What is complete but for NOTs that end after it; a match is told by rows of candidates that are kept.

    Attributes:
        negations: by disjunct, those that end after its matches; disjuncts that have none are left out.
        bound: the variables that matches bind.
        ambiguous: whether the same events may be found as a match in several ways.
        last: WITHIN's last moment, in microseconds.
        width: the shortest WINDOW, in microseconds.
        ceilings: of the query.
        windows: of a query in contexts, what is known of their windows.
        recurrence: of EVERY.
        pending: the matches.
    """

    negations: Mapping[int, tuple[NegationConstraint, ...]]
    bound: Sequence[str]
    ambiguous: bool
    last: int
    width: int
    ceilings: Ceilings
    windows: PartitionWindows | None
    recurrence: Recurrence = field(init=False)
    pending: PendingNegation = field(init=False)

    def __post_init__(self) -> None:
        every = (n.every for of in self.negations.values() for n in of if n.every is not None)
        self.recurrence = Recurrence(next(every, None))
        columns = dict.fromkeys((_DISJUNCT, *self.bound), np.empty(0, dtype=np.int64))
        self.pending = PendingNegation(self.last, columns, recurrence=self.recurrence)

    def __len__(self) -> int:
        return len(self.pending)

    @property
    def rows(self) -> Mapping[str, Ints]:
        """By variable, the candidates of each match, numbered as `CandidateBuffer.fixed` does."""
        return {v: rows for v, rows in self.pending.columns.items() if v != _DISJUNCT}

    def settle(
        self, refutation: Refutation, found: MatchTable, watermark: int, new: NewEvents, buffer: CandidateBuffer
    ) -> MatchTable:
        """What became true, of new matches and of those that were waiting; the others go on waiting.

        Args:
            refutation: looks for events that NOTs forbid.
            found: the new matches.
            watermark: see `Kernel.advance`.
            new: counts them.
            buffer: the candidates.

        Raises:
            CeilingError: an event ends more matches than it may, or there are more rows than in one batch.
        """
        if not self.negations:
            return found
        waited = len(self.pending)
        self._take_in(refutation, found, buffer)
        self._stop_recurring(refutation, watermark, waited, buffer)
        released, when = self.pending.release(watermark)
        of_disjunct = released.pop(_DISJUNCT)
        candidates = refutation.probe.candidates
        over = MatchTable(of_disjunct, buffer.current(released), when)
        if self.windows is not None:
            windows = windows_of_matches(over.rows, {}, candidates)
            over = over.at(when <= self.windows.of("until", windows))
        if self.recurrence.period is not None:
            return over
        due = refutation.unrefuted(over, self.negations)
        if len(due.time) > self.ceilings.limits.matches_per_event and not self.ambiguous:
            numbers = due.last_numbers(candidates)
            self.ceilings.check("matches_per_event", int(np.unique(numbers, return_counts=True)[1].max()))
        waiting = {v: rows for v, rows in self.rows.items() if (rows >= 0).all()}
        new.check_waiting(refutation.probe.keys, candidates, buffer.current(waiting))
        return due

    def _take_in(self, refutation: Refutation, found: MatchTable, buffer: CandidateBuffer) -> None:
        """Let new matches wait."""
        time, awaited = found.time.copy(), np.full(len(found.time), NOTHING_AWAITED)
        for disjunct, negations in self.negations.items():
            places, rows = found.of_disjunct(disjunct)
            if len(places):
                time[places] = refutation.due(negations, rows, time[places])
            for negation in negations if len(places) else ():
                if negation.strict:
                    after = refutation.last_number(rows, negation.before)
                    awaited[places] = np.maximum(awaited[places], after)
        inside = (time <= self.last) & (time < UNBOUNDED)
        columns = {_DISJUNCT: found.disjunct, **buffer.fixed(found.rows)}
        columns = {name: column[inside] for name, column in columns.items()}
        self.pending.add(columns, time[inside], awaited[inside], self._recurs_until(refutation, found)[inside])

    def _recurs_until(self, refutation: Refutation, found: MatchTable) -> Ints:
        """Up to which moment what was found recurs: EVERY lies within WITHIN and the shortest WINDOW."""
        until = np.full(len(found.time), self.last)
        for disjunct in self.negations if self.recurrence.period is not None else ():
            places, rows = found.of_disjunct(disjunct)
            if len(places):
                until[places] = np.minimum(until[places], refutation.earliest(rows) + self.width)
        return until

    def _stop_recurring(self, refutation: Refutation, watermark: int, waited: int, buffer: CandidateBuffer) -> None:
        """Note what came that ends EVERY; what comes later is looked at then.

        Args:
            refutation: looks for it.
            watermark: see `Kernel.advance`.
            waited: how many of the matches that wait have looked at what came before.
            buffer: the candidates.

        Raises:
            CeilingError: there are more moments than may become rows of one batch.
        """
        if self.recurrence.period is None or not len(self.pending):
            return
        waiting = MatchTable(self.pending.columns[_DISJUNCT], buffer.current(self.rows), self.pending.time)
        for disjunct, negations in self.negations.items():
            places, rows = waiting.of_disjunct(disjunct)
            for negation in negations if len(places) else ():
                ends = refutation.last_moment(negation, rows, places < waited)
                self.pending.until[places] = np.minimum(self.pending.until[places], ends)
        counts = self.pending.due_counts(np.arange(len(self.pending)), watermark)
        self.ceilings.check_batch(int(counts.sum()))

    def drop_again(self, found: MatchTable, buffer: CandidateBuffer) -> None:
        """Drop what was found, as other disjuncts have it.

        Matches of the same events, whose solutions differ in nothing that is selected, are one row: all are dropped.
        """
        if not len(self.pending) or not len(found.time) or self.recurrence.period is not None:
            return
        rows = pl.DataFrame(buffer.fixed(found.rows))
        waiting = pl.DataFrame({v: self.pending.columns[v] for v in rows.columns}).with_row_index("#")
        again = waiting.join(rows, on=rows.columns, how="semi")["#"].to_numpy()
        self.pending.keep(~np.isin(np.arange(waiting.height), again))

    def drop_with(self, marked: Mapping[str, Bools], buffer: CandidateBuffer) -> None:
        """Drop what holds a marked candidate."""
        if len(self.pending):
            waiting = buffer.current(self.rows)
            self.pending.keep(~np.any([np.append(marked[v], False)[rows] for v, rows in waiting.items()], axis=0))
