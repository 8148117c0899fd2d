"""How much one query may take before it is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from ..errors import CeilingError, Place
from ..language.nodes import Query, Window
from .time_limit import exceeded_limit

__all__ = ["EVENT_BYTES", "ROW_BYTES", "VALUE_BYTES", "Ceilings", "Limit", "Limits"]

ROW_BYTES, EVENT_BYTES, VALUE_BYTES, PLACE_BYTES = 120, 60, 40, 8
"""What a row takes by itself, for each event that it names, for each value of it, and an event of a partial match."""

Limit: TypeAlias = Literal[
    "matches_per_event",
    "partial_matches_per_partition",
    "pairs_per_event",
    "distinct_rows",
    "rows_per_batch",
    "windows_per_batch",
    "bytes_per_batch",
]
"""One of the attributes of `Limits`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings that turn a blow-up into an error of the query that causes it.

    Attributes:
        matches_per_event: so many matches may become true with one event, and in so many windows it may lie.
        partial_matches_per_partition: so many may be under way in one stage of a partition.
        pairs_per_event: so many pairs of a partial match and a candidate may be compared to find what one event ends.
        rows_per_batch: so many rows of a pattern may become certain in one batch, or so many matches be held at once.
        windows_per_batch: so many windows may be reported in one batch.
        bytes_per_batch: so much memory may what is found at once take, about.
        distinct_rows: so many different rows may DISTINCT remember.
    """

    matches_per_event: int = 100_000
    partial_matches_per_partition: int = 100_000
    pairs_per_event: int = 10_000_000
    distinct_rows: int = 1_000_000
    rows_per_batch: int = 2_000_000
    windows_per_batch: int = 2_000_000
    bytes_per_batch: int = 10**9


_EXCEEDED: Final[Mapping[Limit, tuple[str, str]]] = {
    "matches_per_event": (
        "more than {} matches became true with one event",
        "bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER MATCH with it",
    ),
    "partial_matches_per_partition": (
        "more than {} partial matches are under way in one partition",
        "bound the pattern: a shorter WINDOW, a JOIN of equal attributes, PARTITION BY, a maximum {m,n} or POLICY next",
    ),
    "pairs_per_event": (
        "more than {} pairs would be compared to find the matches of one event",
        "leave fewer to compare: a shorter WINDOW, a FILTER, a JOIN of equal attributes or PARTITION BY",
    ),
    "rows_per_batch": (
        "more than {} matches became true in one batch",
        "bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER MATCH with it",
    ),
    "windows_per_batch": (
        "more than {} windows ended in one batch",
        "write a longer step or a smaller size",
    ),
    "bytes_per_batch": (
        "what is found at once takes more than {} bytes",
        "bound the pattern or the window, or select less",
    ),
    "distinct_rows": (
        "DISTINCT has more than {} different rows to remember",
        "select values that come again, and no time stamps or identities; or leave DISTINCT out",
    ),
}
"""By limit: what is told when it is passed, and what to do beside raising it."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The limits of one query; what goes beyond them is an error that points into its text."""

    query: Query
    limits: Limits = field(default_factory=Limits)

    def most(self, limit: Limit) -> int:
        """How much the query may take of what a limit is of."""
        return int(getattr(self.limits, limit))

    def check(self, limit: Limit, count: int, window: Window | None = None) -> None:
        """Ask whether the query may take so much of what a limit is of.

        Raises:
            CeilingError: it may not.
        """
        most = self.most(limit)
        if count > most:
            message, hint = _EXCEEDED[limit]
            raise self._error(message.format(most), f"{hint}; or raise {limit} in [engine]", window)

    @property
    def row_bytes(self) -> int:
        """What a row takes whose variables are bound to one event each, about."""
        return ROW_BYTES + EVENT_BYTES * len(self.query.sources) + VALUE_BYTES * len(self.query.items)

    def check_batch(self, rows: int, size: int | None = None, window: Window | None = None) -> None:
        """Ask whether so much may become of the events of one batch, before it is made.

        Args:
            rows: how many matches, or windows.
            size: how many bytes their rows take, about; `None`: by their number.
            window: the clause that makes them; `None`: they are matches.

        Raises:
            CeilingError: it may not.
        """
        self.check("rows_per_batch" if window is None else "windows_per_batch", rows, window)
        self.check("bytes_per_batch", rows * self.row_bytes if size is None else size, window)

    def check_begun(self, count: int) -> None:
        """Ask whether so many partial matches may begin, or go on, in one batch.

        Raises:
            CeilingError: they may not.
        """
        self.check("bytes_per_batch", count * PLACE_BYTES * (len(self.query.sources) + 3))

    def check_time(self) -> None:
        """Ask whether the query may go on with the events of one batch.

        Raises:
            CeilingError: it has had its time.
        """
        seconds = exceeded_limit()
        if seconds is not None:
            raise self._error(
                f"it takes longer than {seconds:g} s for the events of one batch",
                "bound it: a shorter WINDOW, a FILTER, a JOIN of equal attributes, PARTITION BY, a maximum {m,n} or "
                "POLICY next; or raise query_timeout in [engine]",
            )

    def check_plan(self, count: int, most: int, what: str) -> None:
        """Ask whether a pattern may be taken apart into so much, when its query is compiled.

        Args:
            count: how much.
            most: how much at the most.
            what: what it is, with `ways` or `states`.

        Raises:
            CeilingError: it may not.
        """
        if count > most:
            raise self._error(
                f"this pattern has more than {most} {what}",
                "write several queries, with fewer elements in one AND, and fewer ORs one after another",
            )

    def check_windows(self, count: int, window: Window) -> None:
        """Ask whether one event may lie in so many windows.

        Args:
            count: how many of the window's extents hold one event.
            window: the clause.

        Raises:
            CeilingError: it may not.
        """
        most = self.limits.matches_per_event
        if count > most:
            raise self._error(
                f"each event lies in {count} windows, and {most} are the most",
                "write a longer step or a smaller size; or raise matches_per_event in [engine]",
                window,
            )

    def _error(self, message: str, hint: str, window: Window | None = None) -> CeilingError:
        return CeilingError(message, place=_place(self.query, window), hint=hint)


def _place(query: Query, window: Window | None) -> Place | None:
    """Where a window stands, or what makes matches: SEQ, else the first JOIN, else the query."""
    if query.document is None:
        return None
    if window is not None:
        return query.document.place(window.span)
    if query.pattern is not None:
        return query.document.place(query.pattern.span)
    return query.document.place(query.joins[0].span if query.joins else query.span)
