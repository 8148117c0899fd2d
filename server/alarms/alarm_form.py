"""Which contexts of a project are alarms: who tells of them, and by which event somebody says that one was seen.

They are those of docs/alarms.md, and known by two names: `raised`, and `seen`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...language.nodes import Binary, Column, Constant, ContextSet, Expression, Query, Source, StreamType
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start
from ..plain_json import plain_value

__all__ = ["RAISED", "SEEN", "WHO", "AlarmForm", "SeenEvent", "alarm_forms", "key_values"]

RAISED, SEEN = "raised", "seen"
"""The contexts of an alarm that nobody has seen, and of one that somebody has."""
WHO = "who"
"""The column that says who that was."""
_TOLD = ("context", "change")


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """The event that leads from `raised` to `seen`.

    Attributes:
        stream: whose event it is.
        time: its attribute that has the time stamp.
        said: attributes that its query compares with, and the values.
        key: the attributes that are the keys of the set, in their order.
        who: the attribute that says who has seen it; `None`: nobody asks.
        people: the named query that tells who it was; `None`: nobody asks.
    """

    stream: str
    time: str
    said: Mapping[str, object]
    key: tuple[str, ...]
    who: str | None = None
    people: str | None = None


@dataclass(frozen=True, slots=True)
class AlarmForm:
    """A set of contexts that are alarms.

    Attributes:
        set: its name.
        key: the names of its keys.
        told: the named query whose rows are the changes of these contexts.
        seen: how one is acknowledged; `None`: no event does that.
    """

    set: str
    key: tuple[str, ...]
    told: str
    seen: SeenEvent | None


def alarm_forms(_: ox.Store, settings: Settings) -> list[AlarmForm]:
    """The sets of a project whose alarms some query tells.

    Raises:
        KaicepError: the project is wrong.
    """
    project = Project.of(settings)
    queries = [one.query for one in registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())]
    sets = [known.set for known in project.vocabulary(queries).contexts.values()]
    found = ((one, _told(one, queries)) for one in sets if one.context(RAISED) is not None)
    return [
        AlarmForm(one.name, tuple(key.name for key in one.keys), told, _seen(one, queries))
        for one, told in found
        if told is not None
    ]


def key_values(_: ox.Store, settings: Settings, form: AlarmForm, key: Mapping[str, str]) -> dict[str, object]:
    """What the event of an alarm has for its keys: where they are individuals, the values that stand for these.

    Args:
        settings: of the project.
        form: of its set, with `seen`.
        key: by name.
    """
    if form.seen is None:
        return {}
    linkers = Project.of(settings).annotators[form.seen.stream].linkers
    found: dict[str, object] = {}
    for name, attribute in zip(form.key, form.seen.key, strict=True):
        value = linkers[attribute].value(key[name]) if attribute in linkers else None
        found[attribute] = key[name] if value is None else value
    return found


def _told(of: ContextSet, queries: Iterable[Query]) -> str | None:
    """The query whose rows have the changes of a set."""
    wanted = {*_TOLD, *(key.name for key in of.keys)}
    for query in queries:
        streams = [source.stream.name for source in query.sources]
        if streams == [of.changes_stream] and query.rule is None and wanted <= _columns(query):
            return query.name
    return None


def _seen(of: ContextSet, queries: Sequence[Query]) -> SeenEvent | None:
    for query in queries:
        change = query.change
        if change is None or (change.context.set, change.context.context) != (of.name, SEEN):
            continue
        key = _key(of, query)
        if len(query.sources) == 1 and key is not None:
            (source,) = query.sources
            people = next((one for one in queries if _tells_who(one, of, source)), None)
            who = None if people is None else _selected(people, WHO)
            told = None if people is None or who is None else people.name
            return SeenEvent(source.stream.name, source.stream.time or "", _said(source), key, who, told)
    return None


def _key(of: ContextSet, query: Query) -> tuple[str, ...] | None:
    """The attributes that the keys are, in a query that changes a set; `None`: some key is none."""
    change = query.change
    values = {item.name: item.value for item in query.items}
    names = [] if change is None else [_attribute(query.sources[0].stream, values.get(name)) for name in change.keys]
    found = tuple(name for name in names if name is not None)
    return found if len(found) == len(of.keys) else None


def _said(source: Source) -> dict[str, object]:
    """What the FILTERs of an event variable demand of single attributes."""
    found: dict[str, object] = {}
    for condition in source.filters:
        match condition:
            case Binary("=", Column() as column, Constant() as constant):
                name = _attribute(source.stream, column)
                if name is not None:
                    found[name] = plain_value(constant.value)
            case _:
                pass
    return found


def _tells_who(query: Query, of: ContextSet, source: Source) -> bool:
    streams = [one.stream.name for one in query.sources]
    wanted = {WHO, *(key.name for key in of.keys)}
    return (
        query.name is not None
        and query.change is None
        and streams == [source.stream.name]
        and wanted <= _columns(query)
    )


def _columns(query: Query) -> set[str]:
    return {item.name for item in query.items if not item.hidden}


def _selected(query: Query, name: str) -> str | None:
    """The attribute that a column is."""
    value = next(item.value for item in query.items if item.name == name)
    return _attribute(query.sources[0].stream, value)


def _attribute(stream: StreamType, value: Expression | None) -> str | None:
    if not isinstance(value, Column):
        return None
    return next((one.name for one in stream.attributes if value.name in (one.name, one.property)), None)
