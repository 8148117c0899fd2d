"""What a query does is its own affair: one that fails is stopped, and the others go on (docs/decisions/170)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from polars.exceptions import PanicException

from ....errors import KaicepError
from .parked_queries import failure_of
from .query_runtime import QueryRuntime

__all__ = ["CancelledError", "QueryIsolation"]

T = TypeVar("T")

_LOG = logging.getLogger("kaicep")


class CancelledError(BaseException):
    """Ends a batch that is not to be finished; no query's failure."""


class QueryIsolation:
    """Lets queries do something, one by one.

    Args:
        isolated: a query that fails, whatever it fails with, is stopped; otherwise its error is raised.

    Attributes:
        cancelled: whether nothing more is to be done.
    """

    def __init__(self, *, isolated: bool) -> None:
        self.isolated = isolated
        self.cancelled = threading.Event()

    def run(self, flow: QueryRuntime, do: Callable[[], T]) -> T | None:
        """Let a query do something; one that fails is stopped, and `None` is what it has done.

        Raises:
            CancelledError: nothing more is to be done.
        """
        try:
            self.leave_when_cancelled()
            return do()
        except (Exception, PanicException) as error:
            self.leave_when_cancelled()  # whatever it failed with, it was ended
            if not self.isolated:
                raise
            if not isinstance(error, KaicepError):
                _LOG.exception("query %s failed", flow.registration.label)
            flow.fail(failure_of(flow.registration.label, error))
            return None

    def cancel(self) -> None:
        """Do nothing more, from any thread."""
        self.cancelled.set()

    def leave_when_cancelled(self) -> None:
        """Raise `CancelledError` if nothing more is to be done."""
        if self.cancelled.is_set():
            raise CancelledError
