"""The engine as people have it in Python: the hosted engine, whose handles explain their queries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..pipeline import Catalog
from ..pipeline.durability import Progress
from ..pipeline.hosting import StreamingEngine
from ..pipeline.sinks import Sink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logging.getLogger("kaicep")


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

    def __init__(
        self,
        project: Catalog,
        *,
        spark: SparkSession | None = None,
        sinks: Sequence[Sink] = (),
        on_batch: Callable[[Progress], None] | None = None,
        on_knowledge: Callable[[str], None] = _LOG.info,
        on_notice: Callable[[str], None] = _LOG.info,
    ) -> None:
        super().__init__(
            project,
            Catalog.explain_flow,
            spark=spark,
            sinks=sinks,
            on_batch=on_batch,
            on_knowledge=on_knowledge,
            on_notice=on_notice,
        )
