"""A process that does one piece of work, says how far it is, and can be ended at any time."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import pyoxigraph as ox

from ...errors import KaicepError, PipelineError, error_fields, error_of
from ...storage import ChildProcess, Telling, serve_parent
from ..problem import ProblemError

__all__ = ["JobProcess", "Work", "ask_apart", "main"]

Work = Callable[..., Any]
"""A function of a module: given what tells how far it is, and then arguments; its result is JSON."""

_POLL_S = 0.5
_ENDED = "the process that does it has ended: it needs too much memory, or was stopped"


class JobProcess:
    """One piece of work in a process of its own.

    Args:
        work: what is done.
        arguments: that it is given behind what tells how far it is.
    """

    def __init__(self, work: Work, *arguments: object) -> None:
        self._work, self._arguments = work, arguments
        self._child: ChildProcess | None = None
        self._cancelled = False

    def run(self, seconds: float, told: Telling) -> Any:
        """Do it.

        Args:
            seconds: that it may take.
            told: hears how far it is.

        Returns:
            Its result.

        Raises:
            ProblemError: it is refused, takes too long, needs too much memory, or is cancelled.
        """
        until = time.monotonic() + seconds
        self._child = ChildProcess(_words)
        try:
            connection = self._child.connection
            connection.recv()
            connection.send((self._work, self._arguments))
            while not self._cancelled:
                if time.monotonic() > until:
                    hint = "try less of the past, or let job_timeout be longer"
                    raise ProblemError(503, PipelineError(f"not done within {seconds:g} s", hint=hint))
                if connection.poll(_POLL_S):
                    kind, content = connection.recv()
                    if kind == "done":
                        return content
                    if kind == "refused":
                        raise ProblemError(content[0], error_of(content[1]))
                    told(*content)
        except (EOFError, OSError) as error:
            if not self._cancelled:
                raise ProblemError(503, PipelineError(_ENDED, hint="try less of the past")) from error
        finally:
            self._child.close()
        raise ProblemError(409, "it was cancelled")

    def cancel(self) -> bool:
        """End it, from any thread, which can always be: it changes nothing."""
        self._cancelled = True
        child = self._child
        if child is not None:
            child.kill()
        return True


def ask_apart(told: Telling, do: Callable[..., Any], *arguments: object) -> Any:
    """What processes are asked otherwise that stay, and that takes long, as work of a process of its own.

    Args:
        told: hears how far it is.
        do: given a store, which it has no use for, the arguments, and `told`.
        arguments: of it.
    """
    told("loading", 0.0)
    return do(ox.Store(), *arguments, told=told)


def main(number: int) -> None:
    """Do what comes through the pipe; what the process runs.

    Args:
        number: of the file that is its end of the pipe.
    """
    serve_parent()
    connection = Connection(number)
    connection.send(None)
    work, arguments = connection.recv()
    try:
        found = work(lambda *at: connection.send(("told", at)), *arguments)
    except ProblemError as problem:
        connection.send(("refused", (problem.status, error_fields(problem.error))))
    except KaicepError as error:
        connection.send(("refused", (400, error_fields(error))))
    else:
        connection.send(("done", found))


def _words(number: int) -> list[str]:
    return ["-c", f"from {__name__} import main; main({number})"]
