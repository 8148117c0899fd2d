"""The states of queries at the border between two batches, from the log of events (LANGUAGE-2 §9)."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType

from ...archive import ReadView
from ...errors import PipelineError
from ...language.nodes import Query
from ..catalog import Catalog
from ..durability import StateReplay
from ..flow import Batch
from ..knowledge import KnowledgeVersions
from ..results import Rows
from .on_demand_answer import answer_asked
from .state_border import StateBorder
from .state_cut import StateCut

__all__ = ["answer_at"]

_MICROSECOND = timedelta(microseconds=1)


def answer_at(
    project: Catalog, asked: Query, border: StateBorder, archive: ReadView, versions: KnowledgeVersions
) -> Rows:
    """The answer of a query that is asked at a border; nobody else waits for it.

    Args:
        project: what it was compiled against.
        asked: the query.
        border: where it is asked.
        archive: whose log has the events up to there.
        versions: of the knowledge: each event is judged by that which judged it.

    Raises:
        KaicepError: it cannot be answered, one that it asks of has failed, or the log has not all that it needs.
    """
    dataflow = border.dataflow
    for registration in border.registrations:
        dataflow.register(registration)
    after = border.moment + _MICROSECOND
    moments = dict.fromkeys(dataflow.annotators, (border.moment, after))
    replay = StateReplay(dataflow, archive, versions, moments, border.last, until=border.moment)
    replay.recall()
    if not replay.whole:
        raise PipelineError(
            "the log has forgotten events that the state may hold",
            hint="let it keep more (log_age, log_size under [archive]), or bound the query by a shorter WINDOW",
        )
    for batch in (*replay.batches(), Batch(advances=dict.fromkeys(dataflow.annotators, after))):
        _ = dataflow.process(batch).matches
    rows = answer_asked(project, asked, StateCut(dataflow, border.moment).tables(asked), border.moment)
    return Rows(rows, MappingProxyType(dict(project.settings.prefixes)))
