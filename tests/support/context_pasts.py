"""Random documents with contexts that begin before they are registered; outages; what an archive has of that."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from .context_families import ContextCase, case

__all__ = ["ContextPast", "context_past"]

_CLAUSE = re.compile(r" (?:WHERE|PARTITION BY|GROUP BY|HAVING|AFTER MATCH|OUTPUT|LIMIT)\b")
_MOST = 12
"""Seconds, or as many units of a calendar, that a bound lies before or after what it speaks of."""


@dataclass(frozen=True)
class ContextPast:
    """A case, and when it is registered.

    Attributes:
        case: the question, with WITHIN.
        at: the moment of the registration.
        overlap: what is archived and live as well.
        in_flight: what is archived late.
        down: from when to when no engine runs; `None`: one runs always.
        snapshots: whether the state of operators survives that.
    """

    case: ContextCase
    at: datetime
    overlap: timedelta
    in_flight: timedelta
    down: tuple[datetime, datetime] | None
    snapshots: bool


def context_past(family: str, seed: int) -> ContextPast:
    """The past of a family that has this number: registered among its events, most bounds before that."""
    one, rng = case(family, seed), Random(f"past {family} {seed}")
    came = [row["t"] for rows in one.streams.values() for row in rows if row.get("t")]
    times = sorted(map(datetime.fromisoformat, came))
    unit = timedelta(minutes=20) if family == "calendars" else timedelta(seconds=1)
    at = rng.choice(times) + rng.choice((0, 0, 0.5, 2)) * unit
    usual = _bounds(rng, at, unit)
    statements = one.text.split(";\n")
    bounded = [_within(s, _bounds(rng, at, unit) if rng.random() < 0.15 else usual) for s in statements]
    seconds = (0, 0, 0.5, 1, 3, 60)
    down = None
    if rng.random() < 0.4:
        begin, end = sorted(rng.choice(times) + rng.choice((0, 0.5)) * unit for _ in range(2))
        down = begin, end
    return ContextPast(
        replace(one, text=";\n".join(bounded)), at,
        rng.choice(seconds) * unit, rng.choice(seconds) * unit, down, rng.random() < 0.5,
    )  # fmt: skip


def _bounds(rng: Random, at: datetime, unit: timedelta) -> str:
    lower, upper = rng.randint(1, _MOST) * unit, rng.randint(0, _MOST) * unit
    begin = rng.choice(("", "", f"now - {_text(lower)}", f"now - {_text(lower)}", _moment(at - lower), "now"))
    end = rng.choice(("", "", "", "", f"now + {_text(upper)}", _moment(at + upper)))
    if begin == "now" and not upper:  # between these lies nothing, which is refused
        end = ""
    return f"{rng.choice('([')}{begin}, {end}{rng.choice(')]')}"


def _text(duration: timedelta) -> str:
    return f"{int(duration.total_seconds())}s"


def _moment(of: datetime) -> str:
    return of.isoformat().replace("+00:00", "Z")


def _within(statement: str, bounds: str) -> str:
    """A statement with WITHIN where it belongs: behind IN CONTEXT, or at the end of a set."""
    place = _CLAUSE.search(statement)
    if statement.startswith("CREATE CONTEXTS") or place is None:
        return f"{statement} WITHIN {bounds}"
    return f"{statement[: place.start()]} WITHIN {bounds}{statement[place.start() :]}"
