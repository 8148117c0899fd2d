"""A query that is asked of the states of an engine that does not run: as its last batch left them (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...archive import open_read_view
from ..catalog import Catalog
from ..durability import flow_at_stop
from ..flow import Registration
from ..knowledge import KnowledgeStore, KnowledgeVersions
from ..results import Rows
from .asked_query import compile_asked
from .logged_states import answer_at
from .state_border import asked_border

__all__ = ["ask_stopped"]


def ask_stopped(
    project: Catalog, text: str, source: str, queries: Sequence[Registration], say: Callable[[str], None]
) -> Rows:
    """The answer of a query over the states at the end of the last batch that was done; nothing is written.

    Args:
        project: as the next engine would answer it.
        text: of the query that is asked.
        source: what it is called in messages.
        queries: those that the project has now; the ones that were registered are asked about.
        say: takes a line about what was found damaged.

    Raises:
        KaicepError: it is refused, no engine has done a batch, or there is no log of its events.
    """
    left = flow_at_stop(project, queries, say)
    parked = [known for known in left.parked if not known.resuming]
    asked = compile_asked(project, text, source, [flow.query for flow in left.dataflow.flows.values()], parked)
    border = asked_border(left.dataflow, asked, left.last)
    versions = KnowledgeVersions(
        project, KnowledgeStore(project.settings.path(project.settings.engine.state) / "ontology")
    )
    with open_read_view(project.settings, project.knowledge, project.shapes, store=False) as archive:
        return answer_at(project, asked, border, archive, versions)
