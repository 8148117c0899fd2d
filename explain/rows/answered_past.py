"""The row of an engine's query, explained from what the archive's logs have of events and rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc

from ...archive import ReadView, open_read_view
from ...errors import PipelineError
from ...pipeline import Catalog
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ...pipeline.durability import StateReplay, StoppedFlow, flow_at_stop
from ...pipeline.flow import Batch
from ...pipeline.knowledge import KnowledgeStore, KnowledgeVersions
from ..archived_event import archived_event
from .deriving_rows import DerivingRows, with_shown_keys
from .row_contexts import KnownRow, RowExplanation
from .row_explainer import RowExplainer

__all__ = ["explain_row"]

_MICROSECOND = timedelta(microseconds=1)


def explain_row(project: Catalog, row: str) -> RowExplanation:
    """Explain a row that an engine has reported; see `Project.why_row`."""
    settings = project.settings
    queries = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    left = flow_at_stop(project, queries, lambda _: None)
    with open_read_view(settings, project.knowledge, project.shapes, store=False) as archive:
        known = _kept_row(archive, row)
        flows = left.dataflow.flows
        if known is not None and known.query not in flows:
            raise PipelineError(
                f"query '{known.query}', which gave the row, is registered no more", hint="`kaicep queries` lists them"
            )
        graph = left.dataflow.queries
        sets = list(graph.contexts) if known is None else [s.name for s in flows[known.query].query.context_sets]
        explainer = _replayed(project, archive, left, sets)
        if known is None:
            made = explainer.deriving.of_id(row)
            if made is None:
                hint = "copy _id of a row; rows of queries without a name are not kept"
                raise PipelineError(f"no row has the id '{row}'", hint=hint)
            known = made.row
        return explainer.explain(flows[known.query].query, known)


def _kept_row(archive: ReadView, row: str) -> KnownRow | None:
    """The row of a named query that the archive keeps; `None`: it has none of this id."""
    log = archive.matches.log
    for label in log.streams():
        rows = log.read(label, None, None)
        found = rows.filter(pc.equal(rows["_id"], row)).to_pylist()
        if found:
            events = {n[1:]: tuple(ids or ()) for n, ids in found[0].items() if n.startswith("?")}
            contexts = tuple(found[0].get("_context") or ())
            return KnownRow(label, found[0]["_time"], row, events, contexts, found[0])
    return None


def _replayed(project: Catalog, archive: ReadView, left: StoppedFlow, sets: Sequence[str]) -> RowExplainer:
    """What deriving queries have made of the log, up to where the engine stopped.

    Raises:
        PipelineError: the log does not reach back far enough.
    """
    labels = [label for name in sets for label in left.dataflow.queries.deriving(name)]
    dataflow, asked = left.dataflow.unheard(list(dict.fromkeys(labels)), left.last)
    registrations = [with_shown_keys(one) for one in asked]
    for registration in registrations:
        dataflow.register(registration)
    for each in left.dataflow.queries.contexts.values():
        if each.set.name in sets and each.set.name not in dataflow.queries.contexts:
            dataflow.queries.begin_contexts(each.set, each.now)
    deriving = DerivingRows(registrations)
    if registrations:
        versions = KnowledgeVersions(
            project, KnowledgeStore(project.settings.path(project.settings.engine.state) / "ontology")
        )
        streams = set[str]().union(*map(left.dataflow.queries.awaited, labels))  # no other stream holds changes back
        begun = [moment for name in streams if (moment := left.dataflow.watermarks[name]) is not None]
        if not begun:
            raise PipelineError("nothing has opened a context yet: no event of its streams has come", hint="ask later")
        last = min(begun) - _MICROSECOND
        after = last + _MICROSECOND
        moments = dict.fromkeys(dataflow.annotators, (last, after))
        replay = StateReplay(dataflow, archive, versions, moments, left.last, until=last)
        replay.recall()
        if not replay.whole:
            raise PipelineError(
                "who opened its contexts is not known: the log has forgotten events that may have done so",
                hint="let it keep more: log_age, log_size under [archive]",
            )
        for batch in (*replay.batches(), Batch(advances=dict.fromkeys(dataflow.annotators, after))):
            deriving.take(dataflow.process(batch).rows())
    histories = {name: contexts.history for name, contexts in dataflow.queries.contexts.items()}

    def event_of(stream: str, event: str) -> pa.Table | None:
        if stream not in project.annotators:
            return None
        try:
            return archived_event(project, stream, event)
        except PipelineError:
            return None

    return RowExplainer(project, histories, deriving, event_of)
