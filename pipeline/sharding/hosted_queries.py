"""The queries of a plan as one process has them: compiled once, with the state that it has seen last."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeAlias

from cachetools import LRUCache
from polars.exceptions import PanicException

from ...cep.order import sees_all_events
from ...errors import KaicepError, PipelineError, error_fields
from ...language.nodes import Element, Group, Query, Source, walk_pattern
from ..catalog import Catalog
from ..flow import Dataflow, QueryRuntime, Registration, failure_of
from .deals import PLACE, EventDeal, deals_of
from .part_file import UnreadablePartError
from .query_unit import QueryUnit, units_of
from .row_merge import with_moments

__all__ = ["Failures", "HostedQueries", "HostingPlan", "StatePlace", "hosted"]

_LOG = logging.getLogger("kaicep")
_PLANS = 4

Failures: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By label, what stopped a query, as `error_fields` describes it."""


@dataclass(frozen=True, slots=True)
class HostingPlan:
    """What is answered, by which knowledge.

    Attributes:
        key: equal for equal plans, in every process.
        catalog: the project.
        registrations: the queries, each after those whose output it reads.
        shards: into how many a query is cut at most.
        kept: by label, the unit of queries that have answered each other so far; see `units_of`.
        durable: it is an engine's: events are kept for the log, and what cannot be taken; a query that fails stops
            nothing but itself and what reads it; one that a state does not hold begins anew.
        since: by label, that before which the changes of contexts of a query count for nothing.
        sets: by name, when each set of contexts was registered, where that is no longer said by who speaks of it.
    """

    key: str
    catalog: Catalog
    registrations: tuple[Registration, ...]
    shards: int
    kept: Mapping[str, str] = field(default_factory=dict)
    durable: bool = False
    since: Mapping[str, datetime] = field(default_factory=dict)
    sets: Mapping[str, datetime | None] = field(default_factory=dict)

    def dataflow(
        self, registrations: Sequence[Registration], state: Mapping[str, bytes]
    ) -> tuple[Dataflow, Sequence[Registration]]:
        """Queries that are answered together, as they are in a state.

        Args:
            registrations: theirs.
            state: what a snapshot of a data flow has of them; empty: no event has come.

        Returns:
            The data flow, and those of the queries that begin with it, since the state does not hold them.
        """
        dataflow = self.catalog.dataflow(isolated=self.durable, timely=self.durable)
        dataflow.queries.changed_since = dict(self.since)
        begun = dataflow.restore(state, registrations) if state else registrations
        sets = [each for registration in begun for each in registration.query.context_sets]
        dataflow.queries.begin_contexts_at(sets, self.sets)
        for registration in begun:
            dataflow.register(registration)
        return dataflow, begun


@dataclass(frozen=True, slots=True)
class StatePlace:
    """Where the state of a shard is.

    Attributes:
        file: its name, or nothing before the first batch.
        unit: of which queries.
        shard: which one.
    """

    file: str
    unit: str
    shard: int


class HostedQueries:
    """Compiled queries.

    Args:
        plan: which.

    Attributes:
        units: the queries as they are answered together.
        deals: by stream, how its events are dealt to shards.
        apart: those that read source streams alone, each by itself; their rows say hidden when their events happened.
    """

    def __init__(self, plan: HostingPlan) -> None:
        self.plan = plan
        self.units: tuple[QueryUnit, ...] = units_of(plan.registrations, plan.kept, changing=plan.durable)
        self.apart: Dataflow = plan.catalog.dataflow()
        self._lean: set[str] = set()
        self._templates: dict[str, Dataflow] = {}
        self._live: dict[tuple[str, int], tuple[StatePlace, QueryRuntime | Dataflow]] = {}
        for unit in self.units:
            for registration in self._registrations(unit) if unit.single else ():
                self._register(registration)
        self.deals = deals_of([unit for unit in self.units if unit.name in self._lean], self._identifies)

    def _register(self, registration: Registration) -> None:
        """Know what selects the candidates of a query: their places, where these are all that it is given."""
        if _takes_candidates_alone(registration.query):
            self._lean.add(registration.label)
            sources = tuple(replace(source, columns=_places(source)) for source in registration.query.sources)
            registration = replace(registration, query=replace(registration.query, sources=sources))
        self.apart.register(registration)

    def is_lean(self, unit: QueryUnit) -> bool:
        """Whether a unit is given places of events (`deals`), and no copies of what it takes."""
        return unit.name in self._lean

    def deal_of(self, unit: QueryUnit, variable: str) -> EventDeal:
        """How the events are dealt that a variable of a lean unit takes."""
        every = (deal for of_stream in self.deals.values() for deal in of_stream)
        return next(deal for deal in every if (unit.name, variable) in deal.takers)

    def identifying(self, stream: str) -> EventDeal | None:
        """How events are dealt so that equal identities are in one shard; `None`: not at all."""
        return next((deal for deal in self.deals.get(stream, ()) if deal.identifies), None)

    def _identifies(self, stream: str, column: str) -> bool:
        if self.plan.durable:  # identities that were seen stay in their shards, and which queries there are may change
            return False
        annotator = self.plan.catalog.annotators[stream]
        identity = {*annotator.annotation.identity}
        individuals = {a.individual: a.name for a in annotator.shape.attributes if a.individual is not None}
        follows = not identity or column in identity or individuals.get(column) in identity
        return follows and self.is_bounded(stream)

    @staticmethod
    def _registrations(unit: QueryUnit) -> tuple[Registration, ...]:
        """The queries of a unit, whose rows say when their events happened if they may come from several shards."""
        if unit.key is None:
            return unit.registrations
        return tuple(replace(one, query=with_moments(one.query)) for one in unit.registrations)

    @cached_property
    def work(self) -> tuple[tuple[QueryUnit, int], ...]:
        """Every shard of every unit."""
        return tuple((unit, shard) for unit in self.units for shard in range(unit.shards(self.plan.shards)))

    def is_bounded(self, stream: str) -> bool:
        """Whether an identity of a stream determines its time stamp."""
        annotation = self.plan.catalog.annotators[stream].annotation
        return not annotation.identity or annotation.time in annotation.identity

    def unit(self, name: str) -> QueryUnit:
        """A unit by its name."""
        return next(unit for unit in self.units if unit.name == name)

    @contextmanager
    def isolated(self, unit: QueryUnit, failures: dict[str, Mapping[str, Any]]) -> Iterator[None]:
        """Do something for a unit; of an engine's, what its queries fail with is noted, and nothing else fails.

        Raises:
            OSError, UnreadablePartError: what tasks have left cannot be read: that is no query's failure.
        """
        try:
            yield
        except (OSError, UnreadablePartError):
            raise
        except (Exception, PanicException) as error:
            if not self.plan.durable:
                raise
            if not isinstance(error, KaicepError):
                _LOG.exception("query %s failed", unit.name)
            failures |= {label: error_fields(failure_of(label, error)) for label in unit.labels}

    def flow(self, unit: QueryUnit) -> QueryRuntime:
        """The query of a single unit, for what it is given of events and how its rows look; it has no state."""
        return self.apart.flows[unit.name]

    def flows(self, unit: QueryUnit) -> Mapping[str, QueryRuntime]:
        """By label, the queries of a unit, for how their rows look; they have no state."""
        if unit.single:
            return {unit.name: self.flow(unit)}
        if unit.name not in self._templates:
            self._templates[unit.name], _ = self.plan.dataflow(self._registrations(unit), {})
        return self._templates[unit.name].flows

    def single(self, unit: QueryUnit, place: StatePlace, state: bytes | None) -> QueryRuntime:
        """The query of a shard of a single unit as it is in a state; `None`: no event has come."""
        known = self._known(place)
        if isinstance(known, QueryRuntime):
            return known
        (registration,) = self._registrations(unit)
        flow = self.apart.compile(registration, self.flow(unit).filters)
        if state is not None:
            flow.restore(state)
        return flow

    def several(self, unit: QueryUnit, place: StatePlace, state: dict[str, bytes]) -> Dataflow:
        """The queries of another unit as they are in a state; empty: no event has come.

        Raises:
            PipelineError: the state is not theirs.
        """
        known = self._known(place)
        if isinstance(known, Dataflow):
            return known
        dataflow, lost = self.plan.dataflow(self._registrations(unit), state)
        if state and lost and not self.plan.durable:
            labels = ", ".join(registration.label for registration in lost)
            raise PipelineError(f"the state of {labels} is of other queries", hint="begin with an empty folder")
        for flow in dataflow.flows.values() if unit.key is not None else ():
            flow.rows.gives_hidden = True
        return dataflow

    def _known(self, place: StatePlace) -> QueryRuntime | Dataflow | None:
        """What is in a state already; whoever takes it changes it, so that it is none of that state any more."""
        known, live = self._live.pop((place.unit, place.shard), (None, None))
        return live if known == place and place.file else None

    def keep(self, place: StatePlace, live: QueryRuntime | Dataflow) -> None:
        """Remember what is in a state, for the next batch; a cache only, since that may come to another process."""
        self._live[place.unit, place.shard] = place, live


def _takes_candidates_alone(query: Query) -> bool:
    """Whether a query without contexts is given nothing beside candidates: see `QueryInput.only_candidates`."""
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    quantifiers = (part.quantifier for part in parts if isinstance(part, Element | Group))
    return not sees_all_events(query) and all(q is None or q.until is None for q in quantifiers)


def _places(source: Source) -> tuple[str, ...]:
    """The columns of candidates that say which events they are, and what PATHs bind."""
    return (PLACE, *(name for name in source.columns if name.startswith("?")))


_HOSTED: LRUCache[str, HostedQueries] = LRUCache(_PLANS)


def hosted(plan: HostingPlan) -> HostedQueries:
    """The queries of a plan in this process: compiled with the first task, and kept for those that follow."""
    if plan.key not in _HOSTED:
        _HOSTED[plan.key] = HostedQueries(plan)
    return _HOSTED[plan.key]
