"""What processes of tests do with the store that they have open."""

from __future__ import annotations

import os
import signal
import time

import pyoxigraph as ox
from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError
from kaicep.storage import SETTLED, Telling

__all__ = ["add", "add_in_stages", "count", "end", "priority", "refuse", "sleep"]

ONE = ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.Literal("1"))


def add(store: ox.Store, *, hang: bool = False) -> int:
    """Add a quad, and count; perhaps take long then."""
    store.add(ONE)
    store.flush()
    if hang:
        time.sleep(60)
    return len(store)


def add_in_stages(store: ox.Store, told: Telling, before: float = 0.0, after: float = 0.0) -> int:
    """Tell how far that is; take so many seconds before anything changes, and then."""
    told("parsing", 0.5)
    time.sleep(before)
    told(SETTLED, 0.0)
    time.sleep(after)
    return add(store)


def count(store: ox.Store) -> int:
    """How many quads it has."""
    return len(store)


def refuse(_: ox.Store, *, problem: bool) -> None:
    """Raise an error."""
    raise ProblemError(406, "in no such form") if problem else ArchiveError("this is no query", hint="write one")


def priority(_: ox.Store, *, after: float = 0.0) -> int:
    """How far the process gives way to others, after some time."""
    time.sleep(after)
    return os.getpriority(os.PRIO_PROCESS, 0)


def end(_: ox.Store) -> None:
    """End at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(_: ox.Store, seconds: float) -> None:
    """Take long."""
    time.sleep(seconds)
