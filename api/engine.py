"""The engine as people have it in Python: its handles explain their queries."""

from __future__ import annotations

from ..pipeline.flow import QueryRuntime
from ..pipeline.hosting import StreamingEngine

__all__ = ["Engine"]


class Engine(StreamingEngine):
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one and stops it at the end.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.
        on_knowledge: called with each line that tells of a change of the ontology modules; by default it is logged.
        on_notice: likewise of queries that other processes submit and withdraw, and of queries that have ended.

    Example:
        >>> with Engine(Project.load("kaicep.toml")) as engine:  # doctest: +SKIP
        ...     handle = engine.submit("SELECT ?e.flowrate FILTER (?e.flowrate > 500)")
        ...     for row in handle.matches():
        ...         print(row)
    """

    def describe(self, runtime: QueryRuntime) -> str:
        """How a query is answered, and by which version of the knowledge, in words."""
        return self.project.explain_flow(runtime)
