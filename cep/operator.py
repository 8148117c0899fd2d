"""What an operator of a query does: candidates in, rows out, state in between."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Protocol

import polars as pl
import pyarrow as pa

from ..language.nodes import Query
from .match import CommonSteps
from .order import EventTable, SharedEvents
from .output import MatchFrame, RowCounts
from .query_state import HeldState
from .snapshot_codec import TakenState

__all__ = ["END_OF_TIME", "Operator"]

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
"""The watermark that ends the streams: it passes every event and every window."""


class Operator(Protocol):
    """A pure operator: its rows depend on its candidates alone, not on how they were cut into batches."""

    @property
    def ended(self) -> bool:
        """Whether LIMIT is reached: nothing more will be reported."""

    @property
    def waiting(self) -> bool:
        """Whether more will be reported without any further candidate, as soon as the watermark is there."""

    @property
    def due(self) -> datetime | None:
        """The next watermark that may make it report more without any further candidate; `None`: none will.

        Candidates that wait for the watermark count too. It may be too early, never too late.
        """

    @property
    def held_since(self) -> datetime | None:
        """The smallest `_time` that rows held back may have, by OUTPUT or because a match may still grow.

        `None`: there are none.

        Rows to come have a `_time` of at least this, or of at least the watermark.
        """

    @property
    def counts(self) -> RowCounts:
        """How many matches became how many rows so far."""

    @property
    def no_rows(self) -> pa.Table:
        """None of its rows, with all their columns, those for the doubles beside integers too."""

    def process(self, candidates: Mapping[str, pa.Table | pl.DataFrame], watermark: datetime | None) -> pa.Table:
        """Take in newly arrived candidates and report what became true: all rows of `pieces`."""

    def pieces(
        self,
        candidates: Mapping[str, pa.Table | pl.DataFrame],
        watermark: datetime | None,
        steps: CommonSteps | None = None,
    ) -> Iterator[pa.Table]:
        """Take in newly arrived candidates and report what became true, piece by piece; all of them are to be taken.

        Args:
            candidates: per variable (one without is as good as an empty table), in order of arrival; columns `_time`,
                `_id` and the source's columns; every time stamp is at or above the previous call's watermark. Of a
                query that `sees_all_events`, under `EVENTS` what `all_events` gives. Of a query in contexts, the
                candidates of `partitioned_by_window`, and under `CONTEXT_WINDOWS` (`windows_schema`) each window that
                one of them lies in, or may lie in as FOR asks, and each that has ended since the last call. What is
                told must hold of all moments below the watermark.
            watermark: aware; no candidate below it will follow; `None`: nothing is known. Must not go backwards.
            steps: of a query that `is_shared`, what it does together with others that are equal but for their contexts,
                and that are given the same candidates and watermark: those in windows of any of these contexts.

        Yields:
            Rows of the settled query's `output_schema`, in output order, over all calls; nothing where there are none.
            OUTPUT hands over the rows of a period together.

        Raises:
            OperatorError: the watermark is naive.
            CeilingError: the query asks for more than its ceilings allow; what it gave before stays.
        """

    def ends_by(self, moment: datetime) -> bool:
        """Whether LIMIT is reached with what is certain at a moment, reported or not; all is known up to it."""

    def state(self, moment: datetime, query: Query) -> HeldState:
        """What a watched query holds.

        Args:
            moment: all is known up to it, and nothing behind it: it lies one microsecond before the watermark.
            query: the query as it was before it was watched.
        """

    def end_at(self, moment: datetime | None) -> None:
        """Know that all sources end, and the greatest time stamp of theirs: EVERY goes no further than that."""

    def share(self, events: SharedEvents) -> None:
        """Keep what others keep of the same events, instead of a copy."""

    def rest(self) -> None:
        """Need nothing of what was given so far: all windows of its contexts are still to come."""

    def offer(self) -> tuple[Hashable, object] | None:
        """Where a query that `is_shared` has come to, for others that are equal but for their contexts.

        `None`: it has no state that is worth it, or shares nothing.
        """

    def report(self, matches: MatchFrame, watermark: datetime | None) -> pa.Table:
        """Report matches that were found elsewhere, all of which became true below the watermark.

        Args:
            matches: in output order, behind those that were reported before.
            watermark: as in `process`.

        Raises:
            CeilingError: more of them became true with one event than the query's ceiling allows.
        """

    def prime(self, candidates: Mapping[str, pa.Table | pl.DataFrame], watermark: datetime | None) -> None:
        """Take in candidates whose matches below the watermark were reported elsewhere.

        Args:
            candidates: as in `process`; those that matches which become true later can still hold.
            watermark: as in `process`.
        """

    def mark(self) -> object:
        """The state as it is now, in memory."""

    def rewind(self, mark: object) -> None:
        """Go back to where `mark` was taken, as often as need be."""

    def snapshot(self) -> bytes:
        """The state; an operator that restores it goes on as if nothing had happened."""

    def taken(self) -> TakenState:
        """The state of now, for a snapshot beside which events are kept."""

    def restore(self, data: bytes, events: Mapping[str, EventTable] | None = None) -> None:
        """Take the state of a snapshot.

        Args:
            data: the snapshot.
            events: those that were kept beside it.

        Raises:
            OperatorError: the bytes are no snapshot, of another version, or of another query.
        """
