"""The plan of a semantic filter: what was decided for each of its subqueries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ...language.nodes import AllOf, AnyOf, Semantics, Subquery
from ...semfilter import ResidualQuery, SemanticFilter
from ...semfilter.runtime import FilterOptions, SubqueryFilter
from .plan_node import PlanNode

__all__ = ["describe_semantic_filter"]


def describe_semantic_filter(semantics: SemanticFilter) -> PlanNode:
    """Explain a semantic filter.

    Returns:
        The subqueries, joined by AND and OR; of each what the rules did, what its verdicts depend on, how they are
        found, what is left to SPARQL, and what it has cost so far.
    """
    if semantics.source.semantics is None:
        return PlanNode("", f"no PATH of ?{semantics.source.variable}")
    return _semantics(semantics.source.semantics, iter(semantics.subqueries), semantics.options)


def _semantics(semantics: Semantics, subqueries: Iterator[SubqueryFilter], options: FilterOptions) -> PlanNode:
    """The nodes of the subqueries in the order of the text, which is that of their filters."""
    match semantics:
        case Subquery():
            subquery = next(subqueries)
            return PlanNode("", f"PATH of ?{subquery.plan.subquery.variable}", tuple(_subquery(subquery, options)))
        case AllOf(parts):
            return PlanNode("", "all of", tuple(_semantics(part, subqueries, options) for part in parts))
        case AnyOf(parts):
            return PlanNode("", "any of", tuple(_semantics(part, subqueries, options) for part in parts))
        case _:
            assert_never(semantics)


def _subquery(subquery: SubqueryFilter, options: FilterOptions) -> Iterator[PlanNode]:
    plan, compiled = subquery.plan, subquery.compiled
    if not options.compiled:
        yield PlanNode("rules", "off, it is asked as it is written")
    yield from (PlanNode("", note) for note in plan.notes)
    if compiled is None:
        yield PlanNode("never holds", str(plan.unsatisfiable))
        return
    residual, verdicts = compiled.residual, compiled.materialised
    names = ["the event itself"] if residual.identified else []
    names += [_key(part.column, part.properties) for part in residual.key]
    yield PlanNode("key", ", ".join(names) or "none (one verdict for all events)")
    if verdicts is None or residual.materialisation is None:
        yield from _run_time(residual, options)
        yield PlanNode("SPARQL", residual.body.strip() or "(nothing left)")
    else:
        asked = " and ".join(f"?{name}" for name, _ in residual.materialisation.keys)
        yield PlanNode("verdicts", f"of all individuals, ahead: {len(verdicts):,} hold, {verdicts.rows:,} solutions")
        yield PlanNode("SPARQL", f"for all {asked}: {residual.materialisation.body}")
    if subquery.statistics.events:
        yield PlanNode("so far", str(subquery.statistics))


def _run_time(residual: ResidualQuery, options: FilterOptions) -> Iterator[PlanNode]:
    if residual.materialisation is not None:
        many = f"more than {options.table_size:,} solutions, too many to compute them ahead"
        yield PlanNode("verdicts", many if options.table_size else "none ahead, because the table is off")
    kept = f"the verdicts of {options.cache_size} keys, least recently used leave first"
    yield PlanNode("cache", kept if options.cache_size else "off, every event is evaluated")
    if not options.buffer:
        yield PlanNode("misses of a batch", "one by one, because the buffer is off")
    elif residual.unbatchable is None:
        yield PlanNode("misses of a batch", "together")
    else:
        yield PlanNode("misses of a batch", f"one by one, because {residual.unbatchable}")


def _key(column: str, properties: tuple[str, ...]) -> str:
    return f"{column} ({', '.join(f'<{iri}>' for iri in properties)})"
