"""A data flow of the driver in which a state is made that tasks go on with: in shards, where they have these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

import polars as pl
import pyarrow as pa

from ...expressions import frame_of
from ...language.nodes import quantified_variables
from ..catalog import Catalog
from ..flow import QueryRuntime, Registration
from ..flow.queries import EventBatch, Selected
from ..sharding import QueryUnit, of_shard, units_of, with_moments
from .catalog_flow import CatalogFlow

__all__ = ["ReplayedFlow", "ShardRuntime"]


class ShardRuntime(QueryRuntime):
    """A query, or one shard of it.

    Attributes:
        part: of which unit, which shard, of how many; `None`: it is whole.
    """

    part: tuple[QueryUnit, int, int] | None = None

    def become(self, whole: QueryRuntime, unit: QueryUnit, shard: int, shards: int) -> None:
        """Be one shard of a query, and be answered by itself."""
        self.part, self.kin, self.likeness = (unit, shard, shards), None, None
        self.intake.shed = whole.intake.shed

    @property
    def is_given_all(self) -> bool:
        """See `QueryRuntime.is_given_all`: a shard is given its own candidates."""
        return self.part is None and super().is_given_all

    def _candidates(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> dict[str, Selected]:
        found = super()._candidates(events, watermark)
        if self.part is None:
            return found
        unit, shard, shards = self.part
        return {variable: of_shard(_frame(of), unit, variable, shard, shards) for variable, of in found.items()}


class ReplayedFlow(CatalogFlow):
    """A data flow whose queries may be divided into shards.

    Args:
        project: settings, knowledge, annotations.
        shards: into how many.

    Attributes:
        project, shards: the same.
    """

    runtime = ShardRuntime

    def __init__(self, project: Catalog, shards: int) -> None:
        super().__init__(project)
        self.project, self.shards = project, shards
        self._divided: dict[str, Registration] = {}

    def divide(self) -> None:
        """Let queries that have shards, and have seen nothing, be answered in these.

        Rows of quantified events, be it of one or none, wait for those of other shards, outside of operators: such
        queries stay whole.
        """
        for unit in units_of([flow.registration for flow in self.flows.values()]):
            quantified = quantified_variables(unit.registrations[0].query.pattern)
            if unit.single and unit.key is not None and not quantified:
                self._divide(unit)

    def _divide(self, unit: QueryUnit) -> None:
        (registration,) = unit.registrations
        whole = self.flows[unit.name]
        self.queries.remove(unit.name)
        for shard in range(self.shards):
            label = f"{unit.name}#{shard}"
            in_shard = replace(registration, query=with_moments(registration.query), label=label)
            flow = cast("ShardRuntime", self.compile(in_shard, whole.filters))
            flow.become(whole, unit, shard, self.shards)
            self.queries.add(flow)
            self._divided[label] = registration

    @property
    def made(self) -> list[tuple[Registration, list[QueryRuntime]]]:
        """The queries, each with what has answered it: itself, or its shards."""
        found: dict[str, tuple[Registration, list[QueryRuntime]]] = {}
        for label, flow in self.flows.items():
            registration = self._divided.get(label, flow.registration)
            found.setdefault(registration.label, (registration, []))[1].append(flow)
        return list(found.values())

    def is_divided(self, label: str) -> bool:
        """Whether a query has been answered in shards."""
        return any(registration.label == label for registration in self._divided.values())


def _frame(found: pa.Table | pl.DataFrame) -> pl.DataFrame:
    return found if isinstance(found, pl.DataFrame) else frame_of(found, found.column_names)
