"""Work that the server does itself, or one of its standing processes: whoever asked need not wait for it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

__all__ = ["JobCall"]


class JobCall:
    """One piece of work, for the client that asks now; once begun, it is finished.

    Args:
        work: what is done; its result is JSON.

    Attributes:
        ends: it cannot be ended.
    """

    ends = False

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work, self._context = work, copy_context()

    def run(self, seconds: float, tell: Callable[[float], object]) -> Any:  # noqa: ARG002 - the work has a limit itself
        """Do it.

        Args:
            seconds: as of other jobs.
            tell: likewise; nobody knows how far it is.

        Raises:
            ProblemError: it is refused, or takes too long.
        """
        return self._context.run(self._work)

    def cancel(self) -> None:
        """Let it be: a change that is given up half-way may have happened."""
