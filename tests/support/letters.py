"""Streams and patterns of letters: `a` stands for an event of kind a, and the variable of that name for such events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from kaicep import Project
from oracle.evaluate import Oracle

from .cases import difference

__all__ = [
    "agreed",
    "answer",
    "expected",
    "expected_of",
    "moment",
    "project",
    "question",
    "seconds",
    "stream",
    "written",
]

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
_ATTRIBUTES = {
    "name": {"datatype": "xsd:string"},
    "kind": {"datatype": "xsd:string"},
    "x": {"datatype": "xsd:double"},
    "group": {"datatype": "xsd:string"},
}
_STREAM = {
    "event_type": "<urn:letters:Event>",
    "time": {"attribute": "at"},
    "identity": ["name"],
    "attributes": _ATTRIBUTES,
}
SETTINGS = {"streams": {"letters": _STREAM, "others": _STREAM}}
_ORDER = ("FILTER", "JOIN", "WINDOW", "PARTITION", "GROUP", "HAVING", "POLICY", "AFTER", "LIMIT", "OUTPUT")
_EVENT = re.compile(
    r"(?P<kind>[a-z])(?P<x>-?\d+(\.\d+)?)?(@(?P<at>\d+(\.\d+)?))?(/(?P<group>\w+))?(?P<other>!)?(#(?P<place>\d+))?"
)


@cache
def project() -> Project:
    """The engine's project."""
    return Project.parse(SETTINGS)


@cache
def _oracle() -> Oracle:
    return Oracle(SETTINGS)


def moment(seconds: float) -> datetime:
    """So many seconds after the streams begin."""
    return BEGIN + timedelta(seconds=seconds)


def stream(text: str) -> dict[str, list[dict[str, object]]]:
    """Events from text such as `a b5 c@7.5 d/left e!`.

    `b5` has `x` 5; `c@7.5` comes at 7.5 s, others a second after the one before, the first at 0 s; `d/left` is of the
    group left; `e!` is of the stream `others`. An event is named by its kind and its place: `a1 b2 c3`; `f#9` has
    place 9.
    """
    found: dict[str, list[dict[str, object]]] = {"letters": [], "others": []}
    seconds = -1.0
    for place, word in enumerate(text.split(), 1):
        event = _EVENT.fullmatch(word)
        assert event is not None, word
        seconds = seconds + 1 if event["at"] is None else float(event["at"])
        found["others" if event["other"] else "letters"].append(
            {
                "name": f"{event['kind']}{event['place'] or place}",
                "kind": event["kind"],
                "at": moment(seconds).isoformat(),
                "x": None if event["x"] is None else float(event["x"]),
                "group": event["group"],
            }
        )
    return found


def question(
    pattern: str, *clauses: str, select: str = "", window: str | None = "1h", others: str = "", beside: str = ""
) -> str:
    """A query for a pattern of variables of one letter, each for events of its kind.

    Args:
        pattern: of SEQ.
        clauses: what else the query says, in any order.
        select: its items; by default the first variable that is matched.
        window: the WINDOW over all variables that are matched; `None`: none.
        others: the variables of the stream `others`.
        beside: variables of FROM that the pattern does not name.
    """
    variables = list(dict.fromkeys([*re.findall(r"\?(\w)\b", pattern), *beside]))
    absent = re.findall(r"NOT \?(\w)\b", pattern)
    matched = [v for v in variables if v not in absent]
    sources = ", ".join(f"(?{v}, {'others' if v in others else 'letters'})" for v in variables)
    lines = [f"SELECT {select or f'COUNT(?{matched[0]}) AS n'}", f"FROM {sources}"]
    lines += [clause for clause in clauses if clause.startswith("WITHIN")]
    lines += [f"FILTER (?{v}.kind = '{v}')" for v in variables]
    lines.append(f"SEQ ({pattern})")
    if window is not None:
        lines.append(f"WINDOW ({', '.join(f'?{v}' for v in matched)}, {window})")
    behind = sorted((c for c in clauses if not c.startswith("WITHIN")), key=lambda c: _ORDER.index(c.split()[0]))
    return "\n".join([*lines, *behind])


def written(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The events of each row, variable by variable: `a1 b2 b3`."""
    return [_written(row) for row in rows]


def _written(row: Mapping[str, Any]) -> str:
    return " ".join(i.rsplit("/", 1)[1] for ids in row["_events"].values() for i in ids)


def seconds(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """When each row became true."""
    return [(row["_time"] - BEGIN).total_seconds() for row in rows]


def answer(text: str, events: str, registered_at: datetime | None = None) -> list[dict[str, Any]]:
    """The engine's rows."""
    return list(project().evaluate(text, stream(events), registered_at=registered_at))


def expected(text: str, events: str, registered_at: datetime | None = None) -> list[dict[str, Any]]:
    """The oracle's rows."""
    return _oracle().evaluate(text, stream(events), registered_at)


def expected_of(
    text: str, streams: Mapping[str, list[dict[str, object]]], registered_at: datetime | None = None
) -> list[dict[str, Any]]:
    """The oracle's rows over any streams."""
    return _oracle().evaluate(text, streams, registered_at)


def agreed(pattern: str, events: str, *clauses: str, **more: str | None) -> list[str]:
    """What engine and oracle both find for a pattern: the events of each row.

    Args:
        pattern: of SEQ.
        events: a stream of letters.
        clauses: see `question`, and so are `more`.
        more: see `clauses`.
    """
    text = question(pattern, *clauses, **more)  # type: ignore[arg-type]  # by name
    actual, wanted = answer(text, events), expected(text, events)
    found = difference(actual, wanted)
    assert found is None, found
    return written(wanted)
