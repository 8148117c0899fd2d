"""Queries in contexts that they derive, and rules that feed their own rows: answered together, in rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from weakref import WeakKeyDictionary

import pyarrow as pa

from ....cep import joined_rows
from ....language.nodes import ContextWindow
from ...monitoring import log_context
from ..queries import EventBatch, EventSplits, HeldEvents, QueryComponent, QueryGraph, QueryIsolation, QueryRuntime
from ..rules import FiringOrder
from .change_forecast import ChangeForecast
from .derivation import Derivation
from .row_forwarding import RowForwarding
from .running_answer import TimeSpent
from .withheld_queries import withhold

__all__ = ["CircleAnswering"]

_AT_ONCE = 2**20
"""So many moments are tried at once at first."""


class _StoppedError(Exception):
    """A query has failed, and those that wait for it and it for them are answered no more."""


class CircleAnswering:
    """Answers the queries of one component after the other; see `Derivation`.

    Args:
        queries: the registered queries.
        isolation: how each of them is run.
        forwarding: what their rows are handed on by.
    """

    def __init__(self, queries: QueryGraph, isolation: QueryIsolation, forwarding: RowForwarding) -> None:
        self._queries, self._isolation, self._forwarding = queries, isolation, forwarding
        self._at_once: dict[tuple[str, ...], int] = {}
        self._forecasts: WeakKeyDictionary[QueryRuntime, ChangeForecast | None] = WeakKeyDictionary()

    def answer(
        self,
        component: QueryComponent,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        splits: EventSplits,
        time: TimeSpent,
    ) -> Iterator[tuple[QueryRuntime, pa.Table]]:
        """Each query of a component and its rows, which its readers have been given."""
        flows = [self._queries.flows[label] for label in component.labels]
        withhold(self._queries, flows)
        upto = self._queries.known_to(component, watermarks)
        waiting = {}
        for flow in flows:
            flow.hold({s: events[s] for s in flow.streams if s in events})
            waiting[flow.registration.label] = HeldEvents()
            if upto is not None:
                released, others = flow.intake.held.ahead(upto, splits)
                waiting[flow.registration.label].take(released)
                flow.intake.held.keep(others)
        rows: Mapping[str, Sequence[pa.Table]] = {}
        if upto is not None and all(flow.failure is None for flow in flows):
            rows = self._settled(component, flows, waiting, upto, time)
        for flow in flows:
            found = joined_rows([flow.no_rows, *rows.get(flow.registration.label, ())])
            self._forwarding.serve(flow, found, events, watermarks, derives=False)
            yield flow, found

    def _settled(
        self,
        component: QueryComponent,
        flows: Sequence[QueryRuntime],
        waiting: Mapping[str, HeldEvents],
        upto: datetime,
        time: TimeSpent,
    ) -> Mapping[str, Sequence[pa.Table]]:
        """What rounds find; where one query fails, all of them have, since none is right without the others."""

        def answered(flow: QueryRuntime, given: Mapping[str, EventBatch], border: datetime) -> pa.Table:
            label = flow.registration.label
            with log_context(query=label), time.of(label):
                rows = self._isolation.run(flow, partial(flow.process, given, border))
            if rows is None:
                raise _StoppedError
            return rows

        sets = [self._queries.contexts[name] for name in component.sets]
        levels = _depths(flows)
        at_once, foreseen = self._at_once.get(component.sets, _AT_ONCE), partial(self._foreseen, flows, time)
        offer, emitted = self._forwarding.offer, self._forwarding.emitted
        by_ends = any(_reports_ends(flow, component.sets) for flow in flows)
        derivation = Derivation(
            levels, sets, answered, offer, at_once, foreseen=foreseen, emitted=emitted, by_ends=by_ends
        )
        try:
            return derivation.settle(waiting, upto)
        except _StoppedError:
            withhold(self._queries, flows)
            return {}
        finally:
            self._at_once[component.sets] = derivation.at_once

    def _foreseen(
        self,
        flows: Sequence[QueryRuntime],
        time: TimeSpent,
        events: Mapping[str, Mapping[str, EventBatch]],
        border: datetime,
    ) -> dict[str, Callable[[], None]]:
        """By label, what tells the contexts the changes that queries may make before a moment."""
        found: dict[str, Callable[[], None]] = {}
        names = {name for flow in flows for name in flow.query.streams}
        for flow in flows:
            label = flow.registration.label
            forecast = None if flow.streams & names else self._forecast(flow)
            if forecast is None or flow.query.change is None:
                continue
            with log_context(query=label), time.of(label):
                rows = self._isolation.run(flow, partial(forecast.rows, events[label], border))
            if rows is None:
                raise _StoppedError
            contexts = flow.contexts[flow.query.change.context.set]
            place = FiringOrder.of_query(self._queries.lineage.place_of_deriving(label))
            found[label] = partial(contexts.foresee, contexts.possible(flow.query, rows, place, forecast.partition))
        return found

    def _forecast(self, flow: QueryRuntime) -> ChangeForecast | None:
        """What foresees the rows of a query, made once; `None`: they cannot be foreseen."""
        if flow not in self._forecasts:
            self._forecasts[flow] = ChangeForecast.of(flow)
        return self._forecasts[flow]


def _reports_ends(flow: QueryRuntime, sets: Collection[str]) -> bool:
    """Whether a query reports whole context windows of some sets."""
    own = flow.query.in_context
    whole = any(isinstance(window, ContextWindow) for window in flow.query.windows)
    return own is not None and whole and not set(sets).isdisjoint(own.sets)


def _depths(flows: Sequence[QueryRuntime]) -> list[list[QueryRuntime]]:
    """Queries by depth: each after those whose output it reads."""
    depth: dict[str | None, int] = {}
    levels: dict[int, list[QueryRuntime]] = {}
    for flow in flows:
        own = 1 + max((depth[stream] for stream in flow.streams if stream in depth), default=-1)
        if flow.query.name is not None:
            depth[flow.query.name] = own
        levels.setdefault(own, []).append(flow)
    return [levels[place] for place in sorted(levels)]
