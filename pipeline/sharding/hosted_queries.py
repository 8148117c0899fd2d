"""The queries of a plan as one process has them: compiled once, with the state that it has seen last."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from cachetools import LRUCache
from polars.exceptions import PanicException

from ...errors import KaicepError, PipelineError, error_fields
from ..catalog import Catalog
from ..flow import Dataflow, QueryRuntime, Registration, failure_of
from .part_file import UnreadablePartError
from .query_unit import QueryUnit, units_of
from .row_merge import with_moments

__all__ = ["Failures", "HostedQueries", "HostingPlan", "StatePlace", "hosted"]

_LOG = logging.getLogger("kaicep")
_PLANS = 4

Failures: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By unit of queries, what stopped it, as `error_fields` describes it."""


@dataclass(frozen=True, slots=True)
class HostingPlan:
    """What is answered, by which knowledge.

    Attributes:
        key: equal for equal plans, in every process.
        catalog: the project.
        registrations: the queries, each after those whose output it reads.
        shards: into how many a query is cut at most.
        kept: by label, the unit of queries that have answered each other so far; see `units_of`.
        durable: it is an engine's: events are kept for the log, and what cannot be taken; a unit of queries that fails
            stops nothing else; a query that a state does not hold begins anew.
    """

    key: str
    catalog: Catalog
    registrations: tuple[Registration, ...]
    shards: int
    kept: Mapping[str, str] = field(default_factory=dict)
    durable: bool = False


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
        self.units: tuple[QueryUnit, ...] = units_of(plan.registrations, plan.kept)
        self.apart: Dataflow = plan.catalog.dataflow()
        self._live: dict[tuple[str, int], tuple[StatePlace, QueryRuntime | Dataflow]] = {}
        for unit in self.units:
            for registration in unit.registrations if unit.single else ():
                self.apart.register(replace(registration, query=with_moments(registration.query)))

    @cached_property
    def work(self) -> tuple[tuple[QueryUnit, int], ...]:
        """Every shard of every unit."""
        return tuple((unit, shard) for unit in self.units for shard in range(unit.shards(self.plan.shards)))

    def unit(self, name: str) -> QueryUnit:
        """A unit by its name."""
        return next(unit for unit in self.units if unit.name == name)

    @contextmanager
    def isolated(self, unit: QueryUnit, failures: dict[str, Mapping[str, Any]]) -> Iterator[None]:
        """Do something for a unit; of an engine's, what it fails with is noted, and nothing else fails.

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
            failures[unit.name] = error_fields(failure_of(unit.labels[0], error))

    def flow(self, unit: QueryUnit) -> QueryRuntime:
        """The query of a single unit, for what it is given of events and how its rows look; it has no state."""
        return self.apart.flows[unit.name]

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
        dataflow = self.plan.catalog.dataflow()
        lost: Sequence[Registration] = dataflow.restore(state, unit.registrations) if state else unit.registrations
        if state and lost and not self.plan.durable:
            labels = ", ".join(registration.label for registration in lost)
            raise PipelineError(f"the state of {labels} is of other queries", hint="begin with an empty folder")
        for registration in lost:
            dataflow.register(registration)
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
