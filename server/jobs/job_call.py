"""Work that one of the server's standing processes does, or one of its own: whoever asked need not wait for it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from ...storage import Telling
from ..sparql import WatchedCall

__all__ = ["JobCall"]


class JobCall:
    """One piece of work, for the client that asks now; given up, nothing of it has happened.

    Args:
        work: what is done, given the call that hears how far it is; its result is JSON, or a document.
    """

    def __init__(self, work: Callable[[WatchedCall], Any]) -> None:
        self._work, self._context = work, copy_context()
        self._watch = WatchedCall()

    def run(self, seconds: float, told: Telling) -> Any:  # noqa: ARG002 - the work has a limit itself
        """Do it.

        Args:
            seconds: as of other jobs.
            told: hears how far it is.

        Raises:
            ProblemError: it is refused, takes too long, or was given up.
        """
        self._watch.told = told
        self._watch.check()
        return self._context.run(self._work, self._watch)

    def cancel(self) -> bool:
        """Give it up; `False`: it changes something already, and is finished."""
        return self._watch.cancel()
