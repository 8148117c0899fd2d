"""The row of an engine's query, explained from what the archive's logs have of events and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ...archive import ReadView, open_read_view
from ...errors import PipelineError
from ...pipeline import Catalog
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ...pipeline.durability import StateReplay, StoppedFlow, flow_at_stop
from ...pipeline.flow import Batch, QueryRows
from ...pipeline.knowledge import KnowledgeStore, KnowledgeVersions
from ..archived_event import archived_event
from .deriving_rows import DerivingRows, known_rows, with_shown_keys
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
        sets = list(left.dataflow.queries.contexts) if known is None else _sets_of(left, [known.query])
        explained = _replayed(project, archive, left, sets)
        if known is None and (made := explained.explainer.deriving.of_id(row)) is not None:
            known = made.row
        if known is None and (unkept := _unkept(left)):
            explained = _replayed(project, archive, left, _sets_of(left, unkept), unkept=unkept, row=row)
            known = explained.row
        if known is None:
            raise PipelineError(f"no row has the id '{row}'", hint="copy _id of a row of a query that is registered")
        return explained.explainer.explain(flows[known.query].query, known)


class _Replayed(NamedTuple):
    """What the log tells: an explainer, and the row that was looked for, if the log has made it again."""

    explainer: RowExplainer
    row: KnownRow | None


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


def _unkept(left: StoppedFlow) -> list[str]:
    """The queries whose rows the archive does not keep, for they have no name."""
    return [label for label, flow in left.dataflow.flows.items() if flow.query.name is None and flow.firing is None]


def _sets_of(left: StoppedFlow, labels: Sequence[str]) -> list[str]:
    """The sets of contexts that queries speak of."""
    return list(dict.fromkeys(s.name for label in labels for s in left.dataflow.flows[label].query.context_sets))


def _replayed(
    project: Catalog,
    archive: ReadView,
    left: StoppedFlow,
    sets: Sequence[str],
    *,
    unkept: Sequence[str] = (),
    row: str = "",
) -> _Replayed:
    """What queries have made of the log, up to where the engine stopped.

    Args:
        project: its streams and knowledge.
        archive: its logs.
        left: the queries, where the engine stopped.
        sets: of contexts, whose deriving queries are answered again.
        unkept: further queries.
        row: the id of a row of one of these.

    Raises:
        PipelineError: the log does not reach back far enough.
    """
    graph = left.dataflow.queries
    labels = [*(label for name in sets for label in graph.lineage.deriving(name)), *unkept]
    dataflow, asked = left.dataflow.unheard(list(dict.fromkeys(labels)), left.last)
    registrations = [with_shown_keys(one) for one in asked]
    for registration in registrations:
        dataflow.register(registration)
    for each in graph.contexts.values():
        if each.set.name in sets and each.set.name not in dataflow.queries.contexts:
            dataflow.queries.begin_contexts(each.set, each.now)
    deriving, found = DerivingRows(registrations), list[KnownRow]()
    if registrations:
        versions = KnowledgeVersions(
            project, KnowledgeStore(project.settings.path(project.settings.engine.state) / "ontology")
        )
        streams = set[str]().union(*map(graph.lineage.awaited, labels))  # no other stream holds rows back
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
            answers = list(dataflow.process(batch).rows())
            deriving.take(answers)
            found += [one for answer in answers if answer.label in unkept for one in _row_of(answer, row)]
    histories = {name: contexts.history for name, contexts in dataflow.queries.contexts.items()}

    def event_of(stream: str, event: str) -> pa.Table | None:
        if stream not in project.annotators:
            return None
        try:
            return archived_event(project, stream, event)
        except PipelineError:
            return None

    return _Replayed(RowExplainer(project, histories, deriving, event_of), next(iter(found), None))


def _row_of(answer: QueryRows, row: str) -> Iterator[KnownRow]:
    """The row of an id, if it is among some."""
    return known_rows(answer.label, answer.rows.filter(pc.equal(answer.rows["_id"], row)))
