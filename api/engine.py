"""The engine as people have it in Python: a stream's engine whose queries are explained."""

from __future__ import annotations

from ..explain import RowExplanation, explain_query, explain_row, explain_runtime, plan_text
from ..language.nodes import Query
from ..pipeline.hosting import StreamingEngine

__all__ = ["Engine"]


class Engine(StreamingEngine):
    """Answers registered queries over the streams of a project and archives every event.

    Args:
        project: settings, knowledge, annotations.
        spark: a session to use; by default the engine starts one when there is something to read, and stops it at the
            end.
        sources: by stream, streaming DataFrames of raw tuples, in place of the sources of the project file; they arrive
            in the order in which Spark delivers.
        sinks: where the rows of all queries go, besides the handles.
        on_batch: called after each batch with the progress so far.
        on_knowledge: called with each line that tells of a change of the ontology modules; by default it is logged.
        on_notice: likewise of queries that other processes submit and withdraw, and of queries that have ended.
        on_failure: called at once with what made a batch fail; by default it is logged. Whoever waits is raised it.

    Raises:
        PipelineError: something given is no sink, or no stream; the message says what it lacks.

    Example:
        >>> with Engine(Project.load("kaicep.toml")) as engine:  # doctest: +SKIP
        ...     handle = engine.submit("SELECT ?e.flowrate FILTER (?e.flowrate > 500)")
        ...     for row in handle.matches():
        ...         print(row)
    """

    def explain(self, label: str, query: Query) -> str:
        """How a query of this project is answered, in words.

        Args:
            label: under which it is registered; then it is explained as it is answered, else as it would be.
            query: the query.
        """
        runtime = self.runtime_of(label)
        others = self.registered
        told = (
            explain_query(self.project, query, others=others)
            if runtime is None
            else explain_runtime(self.project, runtime, others=others)
        )
        return plan_text(told, self.project.knowledge.prefixes)

    def why_row(self, row: str) -> RowExplanation:
        """In which windows of contexts a row lies that this engine has reported; see `Project.why_row`.

        Args:
            row: its `_id`; the batch of the row is done.

        Raises:
            PipelineError: no row has it, or the log does not reach back far enough.
        """
        return explain_row(self.project, row)
