"""The queries of an engine that does not run, as its last batch left them; of their state the log knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import KaicepError, PipelineError
from ..catalog import Catalog
from ..flow import Dataflow, ParkedQueries, Registration, no_identities
from .flow_state import moments_of
from .journal import BatchJournal
from .query_registry import QueryRegistry
from .withdrawn_notes import KnownChanges, withdrawn_queries

__all__ = ["StoppedFlow", "flow_at_stop"]


@dataclass(frozen=True, slots=True)
class StoppedFlow:
    """What is durable of an engine's queries.

    Attributes:
        dataflow: with those that were registered, and no state; its streams are where they were.
        last: the last batch that was done.
        parked: those that are answered no more.
    """

    dataflow: Dataflow
    last: int
    parked: ParkedQueries


def flow_at_stop(project: Catalog, queries: Sequence[Registration], say: Callable[[str], None]) -> StoppedFlow:
    """What an engine has left of its queries.

    Args:
        project: with the knowledge that judged the last batch.
        queries: those that may have been registered.
        say: takes a line of the log about what was found damaged.

    Raises:
        PipelineError: no engine has done a batch.
    """
    settings = project.settings
    folder = settings.path(settings.engine.state) / "queries"
    last, parts = BatchJournal(folder / "batches.jsonl", settings.root).delivered() or (0, {})
    moments = moments_of(parts)
    if not last or moments is None:
        raise PipelineError("no engine has answered the project's queries yet", hint="kaicep run it first")
    parked = ParkedQueries()
    parked.restore(parts)
    known, dataflow = _registered(folder, project, queries, (last, parts), say)
    for registration in known:
        with suppress(KaicepError):  # the next engine tells it
            dataflow.register(registration)
    dataflow.recall(moments, no_identities)
    return StoppedFlow(dataflow, last, parked)


def _registered(
    folder: Path,
    project: Catalog,
    queries: Sequence[Registration],
    noted: tuple[int, Mapping[str, bytes]],
    say: Callable[[str], None],
) -> tuple[list[Registration], Dataflow]:
    """The queries that were registered, and a data flow for them that knows which ones were withdrawn."""
    last, parts = noted
    registry, changes, dataflow = (
        QueryRegistry(folder / "registrations.json", say),
        KnownChanges(parts),
        project.dataflow(isolated=True),
    )
    known, notes = registry.read(queries), registry.notes()
    withdrawn = withdrawn_queries(
        changes.withdrawn if notes is None else notes,
        queries,
        queries if notes is None else known,
        changes,
        batch_of=lambda _: last + 1,
        project=project,
        say=say,
    )
    dataflow.queries.withdrawn, dataflow.queries.changed_until = withdrawn, dict(changes.until)
    dataflow.queries.changed_since = withdrawn.changed_since(changes.since)
    return known, dataflow
