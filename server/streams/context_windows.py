"""The sets of contexts of a project, and when each context held lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...archive import open_read_view
from ...config import Settings
from ...errors import ArchiveError
from ...language.nodes import ContextSet
from ...pipeline import labelled, queries_read
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ..jobs import TrialSpan
from ..plain_json import plain_value
from ..problem import ProblemError
from .context_chronicle import key_columns
from .context_follower import ContextFollower, FollowedQueries

__all__ = ["context_windows"]


def context_windows(_: ox.Store, settings: Settings, last: str) -> list[dict[str, Any]]:
    """The sets, each with the windows of its contexts that hold at some moment of the last time of the archive.

    It is a cut of what the whole archive tells: what began before that time has its true begin, and a partition that
    has not changed in it is in what it was in before. The first call of a process reads all events of the streams that
    decide about contexts; a later one those that came since, and those of the last hour (and the lateness of streams)
    once more. An event that lies further back than that has all of them read again. What is kept is a window for each
    change, the 20 000 latest of each set.

    Args:
        settings: of the project.
        last: how far back from the newest event, such as `24h`.

    Returns:
        Of each `set` its `contexts` (`name`, `default`), the names of its `key`, `from` and `to`: the time that was
        asked for, but nothing before the first event of the log, null without events; and `windows` as
        `ContextChronicle.windows` tells them. Where the log has forgotten its first events, what held in a partition
        before the first change since is not told.

    Raises:
        KaicepError: the project is wrong, or `last` is no duration.
        ProblemError: 503, the archive is so large that more of it has to be read first; the next call goes on.
    """
    span = TrialSpan(last=last)
    span.check()
    project = Project.of(settings)
    registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    queries = [one.query for one in registered]
    sets = [known.set for known in project.vocabulary(queries).contexts.values()]
    if not sets:
        return []
    texts = (*(one.query.normal for one in registered), *(of.normal for of in sets))
    follower = _follower(_Followed(settings.root, texts, project.knowledge.version, project, sets))
    try:
        return _told(project, follower, span)
    except ProblemError:
        raise
    except BaseException:
        _follower.cache_clear()  # nobody knows how far it has come
        raise


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a follower depends on."""

    root: Path
    texts: tuple[str, ...]
    knowledge: str
    project: Project = field(compare=False)
    sets: Sequence[ContextSet] = field(compare=False)


@lru_cache(maxsize=1)
def _follower(of: _Followed) -> ContextFollower:
    text = ";\n".join(map(_changes, of.sets))
    read = labelled(queries_read(of.project, text))
    own = of.project.registrations(text, "query", [one.query for one in read])
    sets = {one.label: each for one, each in zip(own, of.sets, strict=True)}
    return ContextFollower(of.project, FollowedQueries((*read, *own), sets))


def _changes(of: ContextSet) -> str:
    """A query that tells the changes of a set."""
    columns = {"context": "context", "change": "change", **key_columns(of)}
    items = (f"?c.{name if name.isidentifier() else f'<{name}>'} AS {column}" for name, column in columns.items())
    return f"SELECT {', '.join(items)} FROM (?c, CONTEXTS({of.name}))"  # noqa: S608 - χ-CEP, of names that it has checked


def _told(project: Project, follower: ContextFollower, span: TrialSpan) -> list[dict[str, Any]]:
    settings, begun = project.settings, True
    try:
        with open_read_view(settings, project.knowledge, project.shapes, store=False) as archive:
            done = follower.follow(archive, settings.server.query_timeout.total_seconds() / 2)
            begun = not archive.forgets or archive.log.first is None or archive.log.first.batch <= 1
    except ArchiveError as error:
        if error.place is not None:
            raise
        done = 1.0
    if done < 1:
        said = f"when contexts held is being found out: {done:.0%} of the archive lies behind"
        raise ProblemError(503, said, "ask again", Retry_After="5")
    first, newest = follower.first, follower.newest
    if first is None or newest is None:
        return [_head(one.set) | {"from": None, "to": None, "windows": []} for one in follower.sets]
    start = max(span.moments(newest)[0] or first, first)
    time = {"from": plain_value(start), "to": plain_value(newest)}
    return [_head(one.set) | time | {"windows": one.windows(start, newest, begun=begun)} for one in follower.sets]


def _head(of: ContextSet) -> dict[str, Any]:
    contexts = [{"name": one.name, "default": one == of.default} for one in of.contexts]
    return {"set": of.name, "contexts": contexts, "key": [key.name for key in of.keys]}
