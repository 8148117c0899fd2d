"""How queries of a project are answered: as they run, or as they would if they were registered now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...annotator import AnnotatedBatch
from ...errors import ArchiveError
from ...language.nodes import Query
from ...pipeline import Catalog
from ...pipeline.flow import Batch, Dataflow, QueryRuntime, Registration
from ...pipeline.knowledge import KnowledgeStore
from ...planner import speaks_of_the_past
from .plan_node import PlanNode
from .query_plan import describe_query
from .semantic_filter_plan import describe_semantic_filter
from .service_plan import describe_service

if TYPE_CHECKING:
    from ...archive import ReadView

__all__ = ["explain_query", "explain_registrations", "explain_runtime", "runtimes_of"]


def explain_runtime(
    project: Catalog, runtime: QueryRuntime, past: Iterable[PlanNode] = (), others: Iterable[Registration] = ()
) -> PlanNode:
    """Explain how a registered query is answered, and by which version of the knowledge.

    Args:
        project: its.
        runtime: of the query; what its PATHs have cost so far is told.
        past: what else is to be told of its past.
        others: registered queries, among which are those that derive its contexts.
    """
    filters = {
        source.source.variable: describe_semantic_filter(source.semantics)
        for source in runtime.sources
        if source.source.semantics is not None
    }
    chosen = () if runtime.past is None else (PlanNode("", f"past by {runtime.past}"),)
    service = describe_service(project.settings.queries.service(runtime.registration.label))
    plan = describe_query(runtime.query, filters, runtime.within, (*chosen, *past, *service), others)
    if not project.knowledge.modules:
        return plan
    known = PlanNode("knowledge", KnowledgeStore.of(project.settings).in_words(project.knowledge))
    return replace(plan, children=(*plan.children, known))


def explain_query(
    project: Catalog, query: Query, past: Iterable[PlanNode] = (), others: Iterable[Registration] = ()
) -> PlanNode:
    """Explain how a compiled query would be answered if it were registered before the first event.

    Args:
        project: its.
        query: of this project.
        past: what is told before the strategies for its past.
        others: registered queries, among which are those that derive its contexts.
    """
    (runtime,) = runtimes_of(project, [Registration(query, query.name or "query")])
    return explain_runtime(project, runtime, (*past, *_strategies(project, query)), others)


def runtimes_of(project: Catalog, queries: Iterable[Registration]) -> list[QueryRuntime]:
    """Queries of a project as they would run, if they were registered before the first event."""
    return [QueryRuntime(one, project.shape, project.knowledge, project.options) for one in queries]


def explain_registrations(project: Catalog, queries: Sequence[Registration]) -> list[PlanNode]:
    """Explain queries as if they were registered now; of their past also what the planner chooses, and why.

    Nothing of the past is answered, but the planner may ask a bucket of the store for a sample. A running engine goes
    on meanwhile.

    Args:
        project: theirs.
        queries: in order, each after those whose output it reads; when they were registered is of no account.
    """
    from .shard_plan import describe_shards  # noqa: PLC0415 - loads what answers in shards, which most never need

    shards = describe_shards(queries)
    plans = zip(queries, _explained(project, queries), strict=True)
    return [replace(plan, children=(*plan.children, shards[query.label])) for query, plan in plans]


def _explained(project: Catalog, queries: Sequence[Registration]) -> list[PlanNode]:
    if not any(speaks_of_the_past(q.query) for q in queries) or not _has_archive(project):
        return [explain_query(project, q.query, others=queries) for q in queries]
    try:
        return _over_archive(project, queries)
    except ArchiveError as error:
        told = [PlanNode("past", f"the archive tells nothing: {error.message}")]
        return [explain_query(project, q.query, told if speaks_of_the_past(q.query) else (), queries) for q in queries]


def _strategies(project: Catalog, query: Query) -> tuple[PlanNode, ...]:
    if not speaks_of_the_past(query):
        return ()
    from .backfill_strategies import describe_strategies  # noqa: PLC0415 - loads the archive, which most never need

    return describe_strategies(query, project.shapes, project.knowledge)


def _has_archive(project: Catalog) -> bool:
    from ...archive import ArchivePlace  # noqa: PLC0415 - likewise

    return ArchivePlace.of(project.settings).is_likely


def _over_archive(project: Catalog, queries: Sequence[Registration]) -> list[PlanNode]:
    """Register queries behind the archive's last events; see what is chosen for the past of each that has one."""
    from ...archive import open_read_view  # noqa: PLC0415 - likewise
    from ...pipeline.flow import Backfill, queries_with_a_past  # noqa: PLC0415 - likewise

    dataflow = project.dataflow()
    with open_read_view(project.settings, project.knowledge, project.shapes) as archive:
        dataflow.process(Batch(_last_events(archive, dataflow)))
        for query in queries:
            dataflow.register(replace(query, now=dataflow.now(query.query)))
        for label in queries_with_a_past(dataflow, list(dataflow.flows)):
            dataflow.flows[label].past = Backfill(dataflow, [label], archive, upto=None).choice
    return [
        explain_runtime(project, flow, _strategies(project, flow.query), queries) for flow in dataflow.flows.values()
    ]


def _last_events(archive: ReadView, dataflow: Dataflow) -> dict[str, AnnotatedBatch]:
    """By stream, the events that tell how far it has come: those of its greatest time stamp."""
    found = {}
    for stream in dataflow.annotators:
        history = archive.scan([stream])
        known = history.time_range()
        if known is not None:
            found[stream] = AnnotatedBatch.of_events(history.read(known[1], None, {})[stream])
    return found
