"""Windows of aggregates as SPARQL: each window with the candidates that it holds (paper §5.2, every possible window).

SPARQL says which candidates a window holds. What is computed of them is left to the operators' functions: SPARQL's sums
depend on their order, and it has no standard deviation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import polars as pl

from ...annotator import EventShape
from ...cep import HELD, LAST, WINDOW
from ...expressions import RefusedError
from ...language.nodes import BatchWindow, HoppingWindow, Query, SlidingWindow
from ...ontology import KnowledgeBase
from .candidate_query import CandidateQuery
from .match_query import rewrite_exact_candidates
from .solutions import iri_of, lexical_of, read_solutions
from .sparql_terms import duration_text, moment_text

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST = 20_000
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """A SELECT of windows and the candidates that they hold.

    Attributes:
        select: of the candidates.
        window: which windows.
    """

    select: CandidateQuery
    window: SlidingWindow | BatchWindow | HoppingWindow

    @property
    def apart(self) -> bool:
        """Whether all that is asked of the default graph is knowledge."""
        return self.select.apart

    @property
    def reach(self) -> timedelta:
        """How far back a window reaches."""
        extent = self.window.size if isinstance(self.window, HoppingWindow) else self.window.extent
        return extent if isinstance(extent, timedelta) else timedelta(0)

    def text(
        self,
        graphs: Mapping[str, Sequence[str]] | None,
        start: datetime | None,
        end: datetime | None,
        over: datetime | None,
    ) -> str:
        """The SPARQL for the windows that are over at some moment.

        Args:
            graphs: by stream, the graphs of its events; `None`: any, in an outline for people.
            start: of the events; aware; `None` in an outline for people.
            end: of the events; aware; `None` likewise.
            over: the moment, `end` or later: WITHIN ends where it says, a window that it cuts does not.

        Raises:
            RefusedError: there are too many windows.
        """
        inner = self.select.text_with(None if graphs is None else graphs[self.select.source.stream.name], start, end)
        indented = "\n".join(f"    {line}" for line in inner.splitlines())
        own, time = f"?{self.select.source.variable}", self.select.moment
        head = " ".join(f"?{name}" for name in self.select.variables)
        if isinstance(self.window, SlidingWindow):
            last = f"  {{ SELECT ({own} AS ?kaicep_last) ({time} AS ?kaicep_at) WHERE {{\n{indented}\n  }} }}"
            tests = [
                f"(?kaicep_at - {time}) < {duration_text(self.reach)}",
                f"{time} < ?kaicep_at || ({time} = ?kaicep_at && STR({own}) <= STR(?kaicep_last))",
            ]
            order, which = "?kaicep_at ?kaicep_last", last
        else:
            rows = " ".join(f"({k} {moment_text(a)} {moment_text(b)})" for k, a, b in self._windows(start, end, over))
            which = f"  VALUES (?kaicep_window ?kaicep_start ?kaicep_end) {{ {rows} }}"
            tests = [f"{time} >= ?kaicep_start", f"{time} < ?kaicep_end"]
            head, order = f"?kaicep_window {head}", f"?kaicep_window {time}"
        if isinstance(self.window, SlidingWindow):
            head = f"?kaicep_last ?kaicep_at {head}"
        filters = "\n".join(f"  FILTER ({test})" for test in tests)
        return f"SELECT {head} WHERE {{\n{which}\n  {{\n{indented}\n  }}\n{filters}\n}} ORDER BY {order}"

    def read(self, tsv: bytes, start: datetime | None, end: datetime | None, over: datetime | None) -> pl.DataFrame:
        """The candidates of each window, with the columns `WINDOW`, `LAST` and those of `HELD`; arguments as `text`."""
        sliding = isinstance(self.window, SlidingWindow)
        extra = ["kaicep_last"] if sliding else ["kaicep_window"]
        terms = read_solutions(tsv, [*extra, *self.select.variables])
        held = self.select.columns_of(terms)
        if sliding:
            return _sliding(held, iri_of(terms["kaicep_last"]), self.reach)
        number = lexical_of(terms["kaicep_window"]).cast(pl.Int64)
        known = [(k, _micros(a), _micros(b), _micros(b)) for k, a, b in self._windows(start, end, over)]
        windows = pl.DataFrame(known, schema=dict.fromkeys((WINDOW, *HELD), pl.Int64()), orient="row")
        held = held.with_columns(number.alias(WINDOW), pl.lit(None, pl.String()).alias(LAST))
        return held.join(windows, on=WINDOW, how="left", maintain_order="left")

    def _windows(
        self, start: datetime | None, end: datetime | None, over: datetime | None
    ) -> list[tuple[int, datetime, datetime]]:
        """The windows that can hold events with start <= `_time` < end and are over at some moment."""
        size, step, origin = _shape(self.window)
        if start is None or end is None or over is None:
            return []
        first = (start - origin - size) // step + 1
        last = min((over - origin - size) // step, (end - origin - _MICROSECOND) // step)
        if last - first >= _MOST:
            raise RefusedError(f"there are {last - first + 1:,} windows, more than SPARQL is asked of at once")
        try:
            return [(k, origin + k * step, origin + k * step + size) for k in range(first, last + 1)]
        except OverflowError:
            raise RefusedError("a window begins or ends beyond the calendar") from None


def rewrite_windows(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> WindowQuery:
    """Rewrite a query with aggregates.

    Raises:
        RefusedError: SPARQL cannot say it.
    """
    if query.sources[0].bindings:
        raise RefusedError("an event with several solutions stands several times in a window")
    window = query.windows[0]
    extent = window.size if isinstance(window, HoppingWindow) else getattr(window, "extent", None)
    if not isinstance(window, SlidingWindow | BatchWindow | HoppingWindow):
        raise RefusedError("the ends of such windows follow from the events before them")
    if not isinstance(extent, timedelta):
        raise RefusedError("a window of so many events: SPARQL counts none")
    if isinstance(window, BatchWindow) and window.start == "first":
        raise RefusedError("windows that begin with the first event have to know it")
    return WindowQuery(rewrite_exact_candidates(query, 0, shapes, knowledge), window)


def _shape(window: SlidingWindow | BatchWindow | HoppingWindow) -> tuple[timedelta, timedelta, datetime]:
    """Size, step and origin of windows of time."""
    match window:
        case BatchWindow(extent=timedelta() as extent, start=start):
            return extent, extent, start if isinstance(start, datetime) else _EPOCH
        case HoppingWindow(size=timedelta() as size, step=timedelta() as step):
            return size, step, _EPOCH
        case _:
            raise RefusedError("a window of so many events: SPARQL counts none")


def _sliding(held: pl.DataFrame, last: pl.Series, reach: timedelta) -> pl.DataFrame:
    times = held.filter(held["_id"] == last).select(
        pl.col("_id").alias(LAST), pl.col("_time").to_physical().alias("#at")
    )
    found = held.with_columns(last.alias(LAST)).join(times, on=LAST, how="left", maintain_order="left")
    at = pl.col("#at")
    return found.with_columns(
        pl.col(LAST).rank("dense").cast(pl.Int64).alias(WINDOW),
        (at - reach // _MICROSECOND).alias(HELD[0]),
        at.alias(HELD[1]),
        at.alias(HELD[2]),
    ).drop("#at")


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
