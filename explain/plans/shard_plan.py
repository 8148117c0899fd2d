"""What runs where when executors answer: by what queries are cut into shards, and which go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...pipeline.flow import Registration
from ...pipeline.sharding import QueryUnit, units_of
from .plan_node import PlanNode

__all__ = ["describe_shards"]


def describe_shards(queries: Sequence[Registration]) -> dict[str, PlanNode]:
    """Explain, by label, in how many places executors answer registered queries, and what is done in each."""
    return {one.label: _of_unit(unit, one.label) for unit in units_of(queries) for one in unit.registrations}


def _of_unit(unit: QueryUnit, label: str) -> PlanNode:
    return PlanNode("shards", _cut(unit), tuple(_done(unit, label)))


def _cut(unit: QueryUnit) -> str:
    if unit.key is None:
        return f"one: {unit.why_one}"
    by = "each event by itself" if unit.by_event else f"by {unit.key.text}"
    engine = "" if unit.single else "; in an engine one, where queries come and go"
    return f"as many as there are cores, {by}{engine}"


def _done(unit: QueryUnit, label: str) -> Iterator[PlanNode]:
    """What is done where records are read, and in a shard."""
    others = [one.label for one in unit.registrations if one.label != label]
    given = "its candidates" if unit.single else "whole events"
    asked = "FILTERs and PATHs are asked there; " if unit.single else ""
    yield PlanNode("where files are read", f"{asked}shards are given {given}")
    whole = ", which answer each other" if others else ""
    yield PlanNode("in a shard", f"its operator{' and those of ' + ', '.join(others) if others else ''}{whole}")
