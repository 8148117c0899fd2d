"""The sets of contexts of a project, and when each context held lately."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...errors import ArchiveError
from ...language.nodes import ContextSet
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ...storage import untold
from ..jobs import TrialSpan, try_past

__all__ = ["context_windows"]

_MOST = 20_000


def context_windows(_: ox.Store, settings: Settings, last: str) -> list[dict[str, Any]]:
    """The sets, each with the windows of its contexts in the last time that the archive knows.

    What began a window before that is not known, but that it held until the first change is.

    Args:
        settings: of the project.
        last: how far back from the newest event, such as `24h`.

    Returns:
        Of each `set`, `contexts` (`name`, `default`), `key`: the names of the keys, and `windows`: `context`, `key` by
        name, `from` (null: before that time), `to` (null: it is open).

    Raises:
        KaicepError: the project is wrong, or `last` is no duration.
    """
    TrialSpan(last=last).check()
    project = Project.of(settings)
    registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    known = project.vocabulary([one.query for one in registered]).contexts
    return [_told(settings, one.set, last) for one in known.values()]


def _told(settings: Settings, of: ContextSet, last: str) -> dict[str, Any]:
    keys = [key.name for key in of.keys]
    return {
        "set": of.name,
        "contexts": [{"name": one.name, "default": one == of.default} for one in of.contexts],
        "key": keys,
        "windows": list(_windows(_changes(settings, of, keys, last), keys)),
    }


def _changes(settings: Settings, of: ContextSet, keys: list[str], last: str) -> Iterable[Mapping[str, Any]]:
    """The changes of a set, in the order in which they were made."""
    items = ", ".join(f"?c.{name} AS {name}" for name in ("context", "change", "since", *keys))
    text = f"SELECT {items} FROM (?c, CONTEXTS({of.name}))"  # noqa: S608 - χ-CEP, of names that it has checked
    try:
        found = try_past(untold, settings, text, TrialSpan(last=last), _MOST)
    except ArchiveError as error:
        if error.message == "the archive holds no event yet" or error.place is None:
            return []
        raise
    rows: list[Mapping[str, Any]] = found["rows"]
    return rows


def _windows(changes: Iterable[Mapping[str, Any]], keys: list[str]) -> Iterator[dict[str, Any]]:
    """Windows of the changes that begin and end them."""
    opened: dict[tuple[Any, ...], dict[str, Any]] = {}
    for change in changes:
        place = (change["context"], *(change[key] for key in keys))
        if change["change"] == "started":
            window = {"context": change["context"], "key": {key: change[key] for key in keys}}
            opened[place] = window | {"from": change["_time"], "to": None}
        elif place in opened:
            yield opened.pop(place) | {"to": change["_time"]}
        else:
            window = {"context": change["context"], "key": {key: change[key] for key in keys}}
            yield window | {"from": change["since"], "to": change["_time"]}
    yield from opened.values()
