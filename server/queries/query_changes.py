"""Submitting, withdrawing, parking and resuming queries, as the command line does it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pyoxigraph as ox

from ...api import Project
from ...api.clients import park, resume, submit, withdraw
from ...config import Settings
from ...errors import KaicepError, PipelineError, QuerySyntaxError, QueryTypeError
from ...pipeline import queries_read
from ...pipeline.control import SilentEngineError, SubmittedQueries, folder_of
from ...storage import masked
from ..problem import ProblemError
from .query_backfill import with_past
from .query_naming import with_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Submitted", "park_query", "resume_query", "submit_document", "withdraw_query"]

_WARNING = "warning: "


@dataclass(frozen=True, slots=True)
class Submitted:
    """What has become of a document.

    Attributes:
        labels: of its queries.
        warnings: what may be wrong with it.
    """

    labels: tuple[str, ...]
    warnings: tuple[str, ...]


def submit_document(
    _: ox.Store,
    settings: Settings,
    text: str,
    label: str | None,
    retention: timedelta | None,
    taken: Collection[str],
    *,
    backfill: bool = False,
) -> Submitted:
    """Register the queries of a document; those without a name get one.

    Args:
        settings: of the project.
        text: χ-CEP.
        label: see `with_names`.
        retention: bounds the state of queries that no WINDOW bounds.
        taken: labels of registered queries, but for those that were submitted since.
        backfill: whether queries that say nothing of time are answered over all that the archive has.

    Raises:
        ProblemError: 422, it is refused; 409, it contradicts what is registered; 503, the engine does not answer.
    """
    with _told_as_problems():
        project = Project.of(settings)
        # As it was sent, so that places are right; and with the names, which may be taken.
        queries = project.registrations(text, "query", queries_read(project, text), retention)
        if not queries:
            raise ProblemError(422, PipelineError("the document has no query", hint="add one, such as SELECT …"))
        named = with_names(with_past(text) if backfill else text, label, {*taken, *_submitted(settings)})
        with masked(settings.engine.umask):
            said = submit(settings, named, label, retention)
    warnings = [warning for one in queries for warning in one.query.warnings]
    warnings += [line.removeprefix(_WARNING) for line in said if line.startswith(_WARNING)]
    labels = [line.partition(": ")[0] for line in said if not line.startswith(_WARNING)]
    return Submitted(tuple(labels), tuple(warnings))


def _submitted(settings: Settings) -> Iterator[str]:
    """The labels of what was submitted until now: of requests that come at once, each is given another name."""
    return (label for one in SubmittedQueries(folder_of(settings)).documents() for label in one.queries)


def withdraw_query(_: ox.Store, settings: Settings, label: str) -> None:
    """Withdraw a query that was submitted.

    Raises:
        ProblemError: 409, others cannot do without it; 503, the engine does not answer.
    """
    _changed(withdraw, settings, label)


def park_query(_: ox.Store, settings: Settings, label: str, by: str | None) -> list[str]:
    """Answer a query no more until it is resumed; what happened, in lines.

    Args:
        settings: of the project.
        label: of the query.
        by: who asks for it, if that is known.

    Raises:
        ProblemError: 409, it is parked already, or has ended; 503, the engine does not answer.
    """
    return _changed(partial(park, by=by), settings, label)


def resume_query(_: ox.Store, settings: Settings, label: str) -> list[str]:
    """Let a parked query go on; what happened, in lines.

    Raises:
        ProblemError: 409, it is not parked; 503, the engine does not answer.
    """
    return _changed(resume, settings, label)


def _changed(do: Callable[[Settings, str], list[str]], settings: Settings, label: str) -> list[str]:
    with _told_as_problems(), masked(settings.engine.umask):
        return do(settings, label)


@contextmanager
def _told_as_problems() -> Iterator[None]:
    try:
        yield
    except (QuerySyntaxError, QueryTypeError) as error:
        raise ProblemError(422, error) from error
    except SilentEngineError as error:
        raise ProblemError(503, error) from error
    except KaicepError as error:
        raise ProblemError(409, error) from error
