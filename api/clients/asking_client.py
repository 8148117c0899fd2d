"""The client of states: asks the running engine if there is one, else what the last one has left."""

from __future__ import annotations

from collections.abc import Callable

from ...config import Settings
from ...pipeline.asking import ask_stopped
from ...pipeline.control import (
    Requests,
    SubmittedQueries,
    asking_folder,
    folder_of,
    registered_at_start,
    rows_told,
)
from ...pipeline.results import Rows
from ..project import Project

__all__ = ["ask_states"]


def ask_states(settings: Settings, text: str, source: str, say: Callable[[str], None]) -> Rows:
    """The answer of a query that is asked once, of the states of registered ones.

    Args:
        settings: of the project.
        text: χ-CEP over STATE, PARTIAL and CONTEXTS.
        source: what it is called in messages.
        say: takes a line about what was found damaged.

    Raises:
        KaicepError: it is refused, or cannot be answered.
    """
    requests = Requests(asking_folder(settings))
    if requests.engine_runs():
        return rows_told(requests.ask({"ask": text, "source": source}), settings.prefixes)
    try:
        project = Project.of(settings)
        queries = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
        return ask_stopped(project, text, source, queries, say)
    finally:
        requests.lock.release()
