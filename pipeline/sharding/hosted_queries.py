"""The queries of a plan as one process has them: compiled once, with the state that it has seen last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cachetools import LRUCache

from ...errors import PipelineError
from ..catalog import Catalog
from ..flow import Dataflow, QueryRuntime, Registration
from .query_unit import QueryUnit, units_of
from .row_merge import with_moments

__all__ = ["HostedQueries", "HostingPlan", "StatePlace", "hosted"]

_PLANS = 4


@dataclass(frozen=True, slots=True)
class HostingPlan:
    """What is answered, by which knowledge.

    Attributes:
        key: equal for equal plans, in every process.
        catalog: the project.
        registrations: the queries, each after those whose output it reads.
        shards: into how many a query is cut at most.
    """

    key: str
    catalog: Catalog
    registrations: tuple[Registration, ...]
    shards: int


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
        apart: those that read source streams alone, each by itself; their rows say hidden when their events happened.
    """

    def __init__(self, plan: HostingPlan) -> None:
        self.plan = plan
        self.units: tuple[QueryUnit, ...] = units_of(plan.registrations)
        self.apart: Dataflow = plan.catalog.dataflow()
        self._templates: dict[str, Dataflow] = {}
        self._live: dict[tuple[str, int], tuple[StatePlace, QueryRuntime | Dataflow]] = {}
        for unit in self.units:
            for registration in self._registrations(unit) if unit.single else ():
                self.apart.register(registration)

    @staticmethod
    def _registrations(unit: QueryUnit) -> tuple[Registration, ...]:
        """The queries of a unit, whose rows say when their events happened if they may come from several shards."""
        if not unit.single and unit.key is None:
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

    def flow(self, unit: QueryUnit) -> QueryRuntime:
        """The query of a single unit, for what it is given of events and how its rows look; it has no state."""
        return self.apart.flows[unit.name]

    def flows(self, unit: QueryUnit) -> Mapping[str, QueryRuntime]:
        """By label, the queries of a unit, for how their rows look; they have no state."""
        if unit.single:
            return {unit.name: self.flow(unit)}
        if unit.name not in self._templates:
            self._templates[unit.name] = self._begun(self._registrations(unit))
        return self._templates[unit.name].flows

    def _begun(self, registrations: Sequence[Registration]) -> Dataflow:
        dataflow = self.plan.catalog.dataflow()
        for registration in registrations:
            dataflow.register(registration)
        return dataflow

    def single(self, unit: QueryUnit, place: StatePlace, state: bytes | None) -> QueryRuntime:
        """The query of a shard of a single unit as it is in a state; `None`: no event has come."""
        known = self._known(place)
        if isinstance(known, QueryRuntime):
            return known
        template = self.flow(unit)
        flow = self.apart.compile(template.registration, template.filters)
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
        registrations = self._registrations(unit)
        dataflow = self._begun(()) if state else self._begun(registrations)
        lost = dataflow.restore(state, registrations) if state else ()
        if lost:
            labels = ", ".join(registration.label for registration in lost)
            raise PipelineError(f"the state of {labels} is of other queries", hint="begin with an empty folder")
        for flow in dataflow.flows.values() if unit.key is not None else ():
            flow.gives_hidden = True
        return dataflow

    def _known(self, place: StatePlace) -> QueryRuntime | Dataflow | None:
        """What is in a state already; whoever takes it changes it, so that it is none of that state any more."""
        known, live = self._live.pop((place.unit, place.shard), (None, None))
        return live if known == place and place.file else None

    def keep(self, place: StatePlace, live: QueryRuntime | Dataflow) -> None:
        """Remember what is in a state, for the next batch; a cache only, since that may come to another process."""
        self._live[place.unit, place.shard] = place, live


_HOSTED: LRUCache[str, HostedQueries] = LRUCache(_PLANS)


def hosted(plan: HostingPlan) -> HostedQueries:
    """The queries of a plan in this process: compiled with the first task, and kept for those that follow."""
    if plan.key not in _HOSTED:
        _HOSTED[plan.key] = HostedQueries(plan)
    return _HOSTED[plan.key]
