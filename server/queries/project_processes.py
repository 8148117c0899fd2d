"""Processes that load a project and do what is asked of it: what takes too long is ended, and others go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import pyoxigraph as ox

from ...config import Settings
from ..sparql import ProcessPool

__all__ = ["ProjectProcesses"]

Given = ParamSpec("Given")
Found = TypeVar("Found")

_WHO_ASKS = 2


class ProjectProcesses:
    """Does things with a project in other processes; none of them is begun before it is needed.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        first = (load_project, settings)
        self._asking, self._writing = ProcessPool(_WHO_ASKS, first=first), ProcessPool(1, first=first)

    def start(self) -> None:
        """Let one process load the project, so that who asks first does not wait for that.

        Raises:
            ProblemError: it does not start.
        """
        self._asking.call(None, self._settings.server.query_timeout.total_seconds(), nothing)

    def ask(
        self,
        do: Callable[Concatenate[ox.Store, Settings, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """What a function of a module finds out about the project.

        Args:
            do: given an empty store, which it has no use for, and the settings.
            args: what it is given behind these.
            named: likewise.

        Raises:
            ProblemError: it refuses, or takes longer than `query_timeout`.
        """
        seconds = self._settings.server.query_timeout.total_seconds()
        return self._asking.call(None, seconds, do, self._settings, *args, **named)

    def change(
        self,
        do: Callable[Concatenate[ox.Store, Settings, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """Likewise of a function that changes something; one at a time, since two would take each other for an engine.

        Raises:
            ProblemError: it refuses, or takes longer than `upload_timeout`.
        """
        seconds = self._settings.server.upload_timeout.total_seconds()
        return self._writing.change(seconds, do, self._settings, *args, **named)

    def close(self) -> None:
        """Answer no more."""
        self._asking.close()
        self._writing.close()


def nothing(_: ox.Store) -> None:
    """Do nothing: the process is there then."""


def load_project(_: ox.Store, settings: Settings) -> None:
    """Load what every other question needs, too."""
    from ...api import Project  # noqa: PLC0415 - the server needs none of it
    from ...explain import explain_registrations  # noqa: F401, PLC0415 - likewise

    Project.of(settings)
