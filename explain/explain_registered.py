"""How queries would be answered if they were registered now, in words: by what the archive holds already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..annotator import Annotated
from ..archive import ReadView, open_read_view
from ..errors import ArchiveError
from ..pipeline.flow import Backfill, Dataflow, Registration, begin_in_the_past
from ..planner import outline, speaks_of_the_past

if TYPE_CHECKING:
    from ..pipeline import Catalog

__all__ = ["explain_registrations"]


def explain_registrations(project: Catalog, queries: Sequence[Registration]) -> list[str]:
    """Explain queries; of those that begin in the past also what the planner chooses, and why.

    Nothing of the past is answered, but the planner may ask a bucket of the store for a sample. A running engine goes
    on meanwhile.

    Args:
        project: theirs.
        queries: in order, each after those whose output it reads; when they were registered is of no account.
    """
    if not any(speaks_of_the_past(q.query) for q in queries) or not _has_archive(project):
        return [project.explain(q.query) for q in queries]
    try:
        return _over_archive(project, queries)
    except ArchiveError as error:
        told = [f"past: the archive tells nothing: {error.message}"]
        return [project.explain(q.query, told if speaks_of_the_past(q.query) else ()) for q in queries]


def _has_archive(project: Catalog) -> bool:
    return project.settings.path(project.settings.archive.path).is_dir()


def _over_archive(project: Catalog, queries: Sequence[Registration]) -> list[str]:
    """Register queries behind the archive's last events; see what is chosen for the past of each that has one."""
    dataflow = project.dataflow()
    with open_read_view(project.settings, project.knowledge, project.shapes) as archive:
        dataflow.accept(_last_events(archive, dataflow))
        for query in queries:
            dataflow.register(replace(query, now=dataflow.now(query.query)))
        for label in begin_in_the_past(dataflow, list(dataflow.flows)):
            choice = Backfill(dataflow, [label], archive, upto=None).choice
            dataflow.flows[label].past = [f"past by {choice}"]
    for flow in dataflow.flows.values():
        flow.past = [*flow.past, *outline(flow.query, project.shapes, project.knowledge)]
    return [project.explain_flow(flow) for flow in dataflow.flows.values()]


def _last_events(archive: ReadView, dataflow: Dataflow) -> dict[str, Annotated]:
    """By stream, the events that tell how far it has come: those of its greatest time stamp."""
    found = {}
    for stream in dataflow.annotators:
        history = archive.scan([stream])
        known = history.time_range()
        if known is not None:
            found[stream] = Annotated.again(history.read(known[1], None, {})[stream])
    return found
