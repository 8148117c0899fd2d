"""Patterns with runs: an automaton per partition (LANGUAGE §3, Runs)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from ...errors import CeilingError, OperatorError
from ...language.columns import Names
from ...language.query import Query
from ..contiguity import EVENTS
from ..interval import Interval
from ..output import Matches
from ..state import State
from .arrivals import Arrivals
from .completed import Completed
from .limits import Limits
from .paths import paths
from .program import Program, Run
from .rows import Found, Reporting
from .snapshot import Snapshot
from .under_way import UnderWay
from .waiting import Waiting

__all__ = ["RunsKernel"]

_END = 2**62
_FEW = 1_000  # rows that are not worth a look at what is still of use


class RunsKernel:
    """Shows events to the runs of their partitions, and reports in output order.

    Args:
        query: with SEQ.
        within: the moments of WITHIN.
        limits: how much the query may take.

    Raises:
        OperatorError: FROM has a variable that SEQ does not name.
    """

    def __init__(self, query: Query, within: Interval, limits: Limits) -> None:
        self.program = Program(query, (within.first, within.last))
        self._limits = limits
        named = {*self.program.places.positive, *self.program.places.negations}
        outside = next((s.variable for s in query.sources if s.variable not in named), None)
        if outside is not None:
            raise OperatorError(
                f"?{outside} stands in FROM and not in SEQ, beside a repetition: this cannot be run",
                hint=f"name ?{outside} in SEQ, or join the output of a named query to it",
            )
        variables = [s.variable for s in query.sources if s.variable in self.program.places.positive]
        self._reporting = Reporting(query, variables)
        self._arrivals = Arrivals(query, self.program, variables, self._reporting.rows)
        self._waiting = Waiting(self._report)
        self._under_way = UnderWay(
            self.program, variables, self._arrivals.keyed, self._waiting.settle, limits.runs_per_partition
        )
        self._looks_behind = self.program.strict and bool(self.program.places.negations)
        self._swept = -_END
        self._kept = 0
        self._counted = (-1, 0)
        windows = [width for _, width in self.program.windows]
        waits = [n.duration for n in self.program.places.negations.values() if n.duration is not None]
        self._horizon = sum(windows) + sum(int(wait.total_seconds() * 1_000_000) for wait in waits)
        self._period = max(windows, default=0) // 4

    @property
    def names(self) -> Names:
        """See `Reporting`."""
        return self._reporting.names

    @property
    def due(self) -> int | None:
        """When the interval of a NOT is over, or a run can be prolonged no more."""
        first = self._waiting.next_end
        ends = [] if first is None else [first]
        ends += [stage.deadline(run) for stage, run, _ in self._under_way.held()]
        return min(ends) + 1 if ends else None

    @property
    def held_since(self) -> int | None:
        """The earliest time of what may still be prolonged, and of what comes behind it."""
        held = [t for t in (self._under_way.held_time, self._reporting.earliest) if t is not None]
        return min(held, default=None)

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> Matches | None:
        """The matches that became certain."""
        if any(frame.height for frame in released.values()):
            self._under_way.take(self._arrivals.read(released))
        if self._looks_behind:
            self._waiting.look_behind(released[EVENTS], self._under_way.held())
        self._under_way.let_go(watermark)
        if watermark - self._swept >= self._period and self._reporting.size > 2 * self._kept + _FEW:
            self._sweep(watermark)
        self._waiting.let_pass(watermark)
        held = self._under_way.held_time
        return self._reporting.report(_END if held is None else held)

    def _report(self, time: int, completed: Completed) -> None:
        node = completed.node
        number = node[3][1] if len(node) == 4 else -1
        known = self._counted[1] if self._counted[0] == number else 0
        self._counted = (number, known + node[0])
        most = self._limits.matches_per_event
        if self._counted[1] > most:
            raise CeilingError(
                f"more than {most} matches became true with one event",
                hint="bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER MATCH with "
                "it; or raise matches_per_event in [engine]",
            )
        self._reporting.found += [Found(time, path) for path in paths(node)]

    def _sweep(self, watermark: int) -> None:
        """Drop what is of no use any more."""
        self._swept = watermark
        self._under_way.prune(watermark)
        oldest = min(watermark, min((run[0] for run in self._remembered()), default=watermark))
        for rows in self._reporting.rows.values():
            rows.forget(oldest)
        self._kept = self._reporting.size
        self._reporting.standing.forget(min((run[1] for run in self._remembered()), default=_END))
        self._under_way.forget(oldest - self._horizon, self._waiting.runs())

    def _remembered(self) -> Iterator[Run]:
        """The slots of all runs that are under way or wait: they begin with T and number of the first event."""
        yield from (run for _, run, _ in self._under_way.runs())
        yield from (completed.run for completed in self._waiting.runs())
        yield from (tuple(found.path[0][1]) for found in self._reporting.found)

    def state(self) -> State:
        """All runs, what waits, and the candidates that they hold."""
        return self._snapshot.state(self._swept)

    def load(self, state: State) -> None:
        """Go on from there."""
        self._snapshot.load(state)
        swept = state.numbers["swept"]
        self._swept = -_END if swept is None else swept

    @property
    def _snapshot(self) -> Snapshot:
        return Snapshot(self.program, self._arrivals, self._under_way, self._waiting, self._reporting)
