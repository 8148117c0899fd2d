"""One registered query: from the events of its streams to its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ....annotator import EventShape
from ....cep import END_OF_TIME, AlikeForm, JointMember, Limits, TakenState, alike_form, build_operator
from ....cep.contexts import SetWindows
from ....cep.joins import implied_filters
from ....cep.order import EventTable, SharedEvents
from ....cep.output import MatchFrame
from ....cep.query_state import HeldState, watch
from ....errors import KaicepError
from ....language.nodes import Query, Source, StreamType
from ....ontology import KnowledgeBase
from ....planner import Range, Watermarks, lowest_watermark, resolve_bounds
from ....semfilter import SemanticFilter
from ....semfilter.runtime import FilterOptions, SubqueryStatistics
from ...profile import QueryProfile
from ..rules import RuleFiring, with_places
from .candidates import Asked, CandidateSelection, EventBatch, Selected
from .context_runtime import ContextRuntime
from .intake import EventIntake, EventSplits
from .kindred_queries import CommonCall, kin_of
from .query_input import QueryInput
from .registration import Registration, state_head, without_head
from .row_views import RowViews

if TYPE_CHECKING:
    from ....planner import Choice

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is equal of queries that may be answered together.

    Attributes:
        form: what their operators do.
        limits: how much each may take.
    """

    form: AlikeForm
    limits: Limits

    @property
    def key(self) -> str:
        """What tells it from what is not equal; all queries of an engine have one `limits`."""
        return self.form.key


class QueryRuntime:
    """Runs one query over the events of its streams, batch by batch.

    Attributes:
        knowledge: what its PATHs are evaluated against.
        past: how its past is answered; `None`: it has none, or that is not chosen yet.
        failure: what stopped it, until it is resumed; `None`: nothing did.
        contexts: by name, the sets of contexts that there are; of a query in none, nothing is asked of them.
        kin: what is equal of queries in contexts that may be answered together; `None`: it is answered by itself.
        likeness: the same of queries that differ in what they ask of single events.
        intake: what it takes of the events of its streams.
        firing: of a rule, what it does for its rows.
        rows: what is made of its rows.
        input: what its operator is given of events.
        holds_back: whether those that read its rows wait for those that OUTPUT keeps.

    Args:
        registration: the query and when it was registered.
        shape_of: how the events of a stream become triples.
        knowledge: the knowledge base.
        options: how PATHs are evaluated.
        limits: how much the query may take.
        filters: by event variable, those that are compiled already for this knowledge; the others are compiled.
        change_bounds: the WITHIN of the set that the query derives: its history begins and ends with these.
        share: of the events of source streams, those that are looked at; `None`: all.

    Raises:
        KaicepError: the query cannot be answered with this knowledge, or within its limits.
    """

    def __init__(
        self,
        registration: Registration,
        shape_of: Callable[[StreamType], EventShape],
        knowledge: KnowledgeBase,
        options: FilterOptions,
        limits: Limits | None = None,
        *,
        filters: Mapping[str, SemanticFilter] = MappingProxyType({}),
        change_bounds: Range | None = None,
        share: float | None = None,
    ) -> None:
        query, withdrawal = registration.query, registration.withdrawal
        query = watch(query) if registration.watched else query
        self.firing = None if query.rule is None else RuleFiring(query, query.rule, registration.now)
        query = query if query.rule is None else with_places(query)
        self.intake = EventIntake(query, share)
        self._until = None if withdrawal is None else withdrawal.until
        self.contexts: Mapping[str, ContextRuntime] = {}
        self.registration = registration
        self.query = query
        self._made_with = shape_of, options, limits, change_bounds
        self.knowledge = knowledge
        within = resolve_bounds(query.bounds, registration.now)
        self.within = within if change_bounds is None else within.meet(change_bounds)
        implied = {} if registration.watched else implied_filters(query)
        self.kin = kin_of(query)
        self._sets = () if query.in_context is None else query.in_context.sets

        def semantics_of(source: Source) -> SemanticFilter:
            ready = filters.get(source.variable)
            return ready or SemanticFilter(source, shape_of(source.stream), knowledge, options, query.document)

        self.input = QueryInput(query, self.within, semantics_of, implied)
        operator = build_operator(query, self.within.interval, limits, watched=registration.watched)
        self._operator, self.rows = operator, RowViews(query, lambda: operator.no_rows, self.firing, share)
        form = None if registration.watched else alike_form(self._operator.query)
        self.likeness = None if form is None else Likeness(form, limits or Limits())
        self._derives = frozenset(self.query.changed_sets)
        self._watermark: datetime | None = None
        self.holds_back = True
        self.failure: KaicepError | None = None
        self.past: Choice | None = None

    @cached_property
    def streams(self) -> frozenset[str]:
        """Names of the streams that it reads."""
        return frozenset(s.stream.name for s in self.query.sources)

    def alike(self, query: Query) -> QueryRuntime:
        """One of another query over the same knowledge, whose sources ask for the same; without any state."""
        shape_of, options, limits, bounds = self._made_with
        registration = Registration(query, self.registration.label, self.registration.now)
        return QueryRuntime(
            registration, shape_of, self.knowledge, options, limits, filters=self.filters, change_bounds=bounds
        )

    @property
    def filters(self) -> dict[str, SemanticFilter]:
        """By event variable, what judges its PATHs."""
        return {selection.source.variable: selection.semantics for selection in self.sources}

    @property
    def sources(self) -> tuple[CandidateSelection, ...]:
        """What selects the candidates of each event variable."""
        return self.input.sources

    @property
    def columns(self) -> dict[str, frozenset[str]]:
        """By stream, the columns of its events that are looked at."""
        return self.input.columns

    @property
    def subqueries(self) -> tuple[SubqueryStatistics, ...]:
        """What each PATH has cost so far: source by source, in the order of the text."""
        return tuple(s for source in self.sources for s in source.semantics.statistics)

    @property
    def profile(self) -> QueryProfile:
        """What has become of its events so far."""
        return QueryProfile(self.query, self.input.profile, self._operator.counts, self.ending, self.input.unplaced)

    @property
    def given(self) -> tuple[int, int, int] | None:
        """Of a query in contexts, the events of its streams, those in windows of these, those with an unbound key."""
        return None if self.input.placing is None else (*self.input.placed, self.input.unplaced)

    @property
    def ended(self) -> bool:
        """Whether no further row can come: LIMIT is reached, or the watermark has passed WITHIN and every window."""
        return self.ending is not None

    @property
    def ending(self) -> str | None:
        """Why no further row can come, in words; `None`: one can."""
        if self.failure is not None:
            return str(self.failure)
        if self._operator.ended:
            return "LIMIT is reached"
        closed = self.within.closed(self._watermark) and not self._operator.waiting
        return f"WITHIN has passed: {self.within}" if closed else None

    @property
    def due(self) -> datetime | None:
        """The next watermark that may bring further rows without a further event; `None`: none will."""
        if self.ended:
            return None
        waiting = [self._operator.due, None if (first := self.intake.held.earliest) is None else first + _MICROSECOND]
        return min((moment for moment in waiting if moment is not None), default=None)

    @property
    def derives(self) -> frozenset[str]:
        """The sets whose contexts it changes."""
        return self._derives

    @property
    def withdrawn(self) -> bool:
        """Whether it was withdrawn, and has been answered as far as its changes count."""
        passed = self.row_watermark(self._watermark)
        return self._until is not None and passed is not None and passed >= self._until

    def counted(self, rows: pa.Table, since: datetime | None) -> pa.Table:
        """The rows that make changes: of a query that was withdrawn, those before that.

        Args:
            rows: of the query.
            since: those before count for nothing.
        """
        if self._until is not None:
            rows = rows.filter(pc.less(rows["_time"], pa.scalar(self._until, rows["_time"].type)))
        if since is not None:
            rows = rows.filter(pc.greater_equal(rows["_time"], pa.scalar(since, rows["_time"].type)))
        return rows

    @property
    def watermark(self) -> datetime | None:
        """How far it has been answered."""
        return self._watermark

    def watermark_of(self, watermarks: Watermarks) -> datetime | None:
        """The smallest watermark of its streams; `None`: one of them has not begun."""
        return lowest_watermark({name: watermarks[name] for name in self.streams})

    def released(
        self, events: Mapping[str, EventBatch], watermarks: Watermarks, splits: EventSplits
    ) -> tuple[Mapping[str, EventBatch], datetime | None]:
        """What it is given of the events of a batch, and the watermark up to which it is answered.

        A query in contexts waits with events until it is known in which of them these lie.
        """
        watermark = self.watermark_of(watermarks)
        if self.query.in_context is None:
            return events, watermark
        self.hold({stream: events[stream] for stream in self.streams if stream in events})
        moments = [watermark, *(self.contexts[name].known for name in self._sets)]
        known = [moment for moment in moments if moment is not None]
        if len(known) < len(moments):
            return {}, None
        return self.intake.release(min(known), splits), min(known)

    def hold(self, events: Mapping[str, EventBatch]) -> None:
        """Wait with events that have come, but those that its past has given already."""
        self.intake.hold(events, self._watermark)

    def mark(self) -> object:
        """The state as it is now, in memory; see `rewind`."""
        return self._operator.mark(), self._watermark, self.input.mark()

    def rewind(self, mark: object) -> None:
        """Go back to where `mark` was taken, as often as need be."""
        state, self._watermark, counts = cast("tuple[object, datetime | None, object]", mark)
        self._operator.rewind(state)
        self.input.rewind(counts)

    def row_watermark(self, watermark: datetime | None) -> datetime | None:
        """What no later row's `_time` lies below, when the streams' watermark is this one: OUTPUT holds rows back."""
        held = self._operator.held_since if self.holds_back else None
        return watermark if held is None or watermark is None else min(watermark, held)

    def ends_by(self, moment: datetime) -> bool:
        """Whether LIMIT is reached with what is certain at a moment, reported or not; all is known up to it."""
        return self._operator.ends_by(moment)

    def state(self, moment: datetime) -> HeldState:
        """What it holds at a moment, up to which all is known; it is watched."""
        if self.within.closed(moment + _MICROSECOND):
            return HeldState()
        return self._operator.state(moment, self.registration.query)

    def share(self, events: SharedEvents) -> None:
        """See `Operator.share`."""
        self._operator.share(events)

    def end_at(self, moment: datetime | None) -> None:
        """See `Operator.end_at`."""
        self.rows.ends_at = moment
        self._operator.end_at(moment)

    def process(
        self,
        events: Mapping[str, EventBatch],
        watermark: datetime | None,
        found: Mapping[str, pa.Table] = MappingProxyType({}),
    ) -> pa.Table:
        """The rows that become certain: all of `pieces`."""
        return pa.concat_tables([self.no_rows, *self.pieces(events, watermark, found)], promote_options="default")

    def pieces(
        self,
        events: Mapping[str, EventBatch],
        watermark: datetime | None,
        found: Mapping[str, pa.Table] = MappingProxyType({}),
        common: CommonCall | None = None,
    ) -> Iterator[pa.Table]:
        """The rows that become certain, piece by piece; all of them are to be taken.

        Args:
            events: by stream, what was admitted since the last call.
            watermark: the smallest watermark of the query's streams; `None`: one of them has not begun.
            found: by event variable, candidates that the archive's store found; WITHIN is still to be applied.
            common: what it does together with others, which are given the same; `None`: nothing.

        Raises:
            CeilingError: it asks for more than its ceilings allow.
        """
        if self.failure is not None:
            return
        events = self.intake.answered(events, self._watermark)
        if self.is_passed_over(events, watermark):
            return
        if common is not None:
            if self.input.placing is None:
                candidates = self._candidates(events, watermark)
            else:
                candidates = self.input.common_candidates(common, self._windows, self._watermark, watermark)
            yield from self._operator.pieces(candidates, watermark, common.steps)
            self._watermark = watermark
            return
        candidates = self._candidates(events, watermark)
        for variable, table in found.items():
            candidates[variable] = _together(self.within.select(table), candidates.get(variable))
        yield from self.answered(candidates, watermark)

    def answered(self, candidates: Mapping[str, Selected], watermark: datetime | None) -> Iterator[pa.Table]:
        """The rows that become certain with candidates: as of `pieces`."""
        if self._needs(candidates, watermark):
            yield from self._operator.pieces(candidates, watermark)
        self._watermark = watermark

    def needed(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> Mapping[str, Selected] | None:
        """Of a query that may be answered with others, what its operator is given of events; `None`: it needs nothing.

        Args:
            events: as of `pieces`.
            watermark: likewise.
        """
        candidates = self._candidates(self.intake.taken(events, self._watermark), watermark)
        if self._needs(candidates, watermark):
            return candidates
        self._watermark = watermark
        return None

    @property
    def is_given_all(self) -> bool:
        """Whether it looks at all events of its streams, as all others do, and its operator at candidates alone."""
        return self.intake.is_whole(self._watermark) and self.input.only_candidates

    def passes(self, watermark: datetime | None) -> bool:
        """Pass over a batch without candidates, if its operator is not to be asked: time alone makes no rows."""
        if self._needs({}, watermark):
            return False
        self._watermark = watermark
        return True

    def joining(self, candidates: Mapping[str, Selected], given: Hashable = None) -> JointMember:
        """What it is among queries that are answered together.

        Args:
            candidates: what its operator is given, as far as it is not told otherwise.
            given: equal where that is equal; `None`: that is not known.
        """
        return JointMember(self._operator, cast("Likeness", self.likeness).form, candidates, given)

    def pass_to(self, watermark: datetime | None) -> None:
        """Have been answered up to a watermark, together with others."""
        self._watermark = watermark

    def _needs(self, candidates: Mapping[str, Selected], watermark: datetime | None) -> bool:
        """Whether the operator has to be asked: it is given something, or time alone may make rows.

        Otherwise it learns with the next call how far the watermark has come: batches may be cut as one likes.
        """
        if self.input.placing is not None or self.registration.watched or any(map(len, candidates.values())):
            return True
        due = self._operator.due
        over = watermark is not None and watermark >= END_OF_TIME
        return over or (due is not None and (watermark is None or watermark >= due))

    def report(self, matches: MatchFrame, watermark: datetime | None) -> pa.Table:
        """The rows of matches that the archive's store found; see `Operator.report`."""
        return self._operator.report(matches, watermark)

    def prime(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> None:
        """Take in events whose matches were reported already; see `Operator.prime`."""
        self._operator.prime(self._candidates(self.intake.left(events), watermark), watermark)

    def _candidates(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> dict[str, Selected]:
        """What the operator is given of events."""
        if self.input.placing is None:
            return self.input.candidates(events)
        return self.input.placed_candidates(events, self._windows, self._watermark, watermark)

    def asked(self, stream: str) -> tuple[Asked, ...]:
        """See `QueryInput.asked`."""
        return self.input.asked(stream)

    def is_passed_over(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> bool:
        """Pass over events if none of its contexts holds in the time of a call, and it waits for nothing.

        Args:
            events: what `released` gave, or `pieces` is given.
            watermark: likewise.

        Returns:
            Whether it did so, and there are no rows: nothing else is to be done.
        """
        placing = self.input.placing
        if placing is None or not placing.pushed_down or placing.beyond:
            return False
        if watermark is None or self.failure is not None:
            return False
        if placing.holds(self._windows, self._watermark, watermark) or self._operator.due is not None:
            return False
        self.input.pass_over(events)
        if self.kin is not None:
            self._operator.rest()
        self._watermark = watermark
        return True

    def company(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> Hashable | None:
        """What is equal of queries that are answered together in a call; `None`: this one is answered by itself."""
        if self.kin is None or self.failure is not None or self.ended:
            return None
        if self.input.placing is None and (self.registration.watched or not self.intake.is_whole(self._watermark)):
            return None
        given = tuple((stream, id(events[stream])) for stream in sorted(self.streams & events.keys()))
        return self.kin, self.within, id(self.knowledge), self._watermark, watermark, given

    def offer(self) -> tuple[Hashable, object] | None:
        """See `Operator.offer`."""
        return self._operator.offer()

    @property
    def _windows(self) -> dict[str, SetWindows]:
        """The windows of its contexts."""
        return {name: self.contexts[name].windows for name in self._sets}

    @cached_property
    def no_rows(self) -> pa.Table:
        """What `process` gives when nothing became certain."""
        return self._operator.no_rows

    def fail(self, error: KaicepError) -> None:
        """Stop: no row comes any more, and the state is of no use."""
        self.failure = error

    def judge_by(
        self,
        filters: Mapping[str, SemanticFilter],
        shape_of: Callable[[StreamType], EventShape],
        knowledge: KnowledgeBase,
    ) -> None:
        """Judge PATHs by other knowledge from now on.

        Args:
            filters: by event variable, those that are compiled already.
            shape_of: how the events of a stream become triples.
            knowledge: the knowledge base.
        """
        self.knowledge = knowledge

        def semantics_of(selection: CandidateSelection) -> SemanticFilter:
            ready = filters.get(selection.source.variable)
            return ready or selection.semantics.over(shape_of(selection.source.stream), knowledge)

        self.input.judge_by(semantics_of)

    def taken(self) -> TakenState:
        """See `Operator.taken`."""
        return self._operator.taken()

    def snapshot(self) -> bytes:
        """The operator's state and what identifies the registration."""
        return self.taken().written(before=state_head(self.registration.query, self.registration.now))

    def join(self, other: QueryRuntime) -> None:
        """Go on for another shard of the same selection too.

        Raises:
            OperatorError: the query is none, or looks at its rows together.
        """
        self._operator.join(other._operator)

    def restore(self, state: bytes, events: Mapping[str, EventTable] | None = None) -> None:
        """Go on from a snapshot of the same query; `events`: those that were kept beside it.

        Raises:
            OperatorError: the snapshot is of another query or version.
        """
        self._operator.restore(without_head(state), events)


def _together(found: pa.Table, others: Selected | None) -> pa.Table:
    """Candidates from the store and from events, in any order: operators sort."""
    if others is None or not len(others):
        return found
    frames = [of if isinstance(of, pl.DataFrame) else pl.DataFrame(pl.from_arrow(of)) for of in (found, others)]
    both = pl.concat(frames, how="vertical_relaxed")
    return both.to_arrow(compat_level=pl.CompatLevel.newest())
