"""Times that requests name: how long, or from when on; what is none is told by the name of its parameter."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..archive.sparql import parse_time_argument
from ..errors import ArchiveError
from ..language import parse_duration
from .problem import ProblemError

__all__ = ["duration_parameter", "moment_before", "moment_parameter"]

_WAY_OUT = "write a number and a unit, such as 90s, 15min, 24h or 7d"


def duration_parameter(name: str, text: str) -> timedelta:
    """How long a parameter says; not negative.

    Raises:
        ProblemError: 400, it is no duration.
    """
    try:
        found = parse_duration(text.strip())
    except (ValueError, KeyError) as error:
        raise ProblemError(400, f"{name}: '{text}' is no duration", _WAY_OUT) from error
    if found < timedelta():
        raise ProblemError(400, f"{name}: '{text}' is less than nothing", _WAY_OUT)
    return found


def moment_before(name: str, text: str, newest: datetime) -> datetime:
    """The moment that lies so long before the newest event as a parameter says.

    Raises:
        ProblemError: 400, it is no duration, or longer than time is.
    """
    try:
        return newest - duration_parameter(name, text)
    except OverflowError as error:
        raise ProblemError(400, f"{name}: '{text}' reaches back before the year 1", _WAY_OUT) from error


def moment_parameter(name: str, text: str, newest: datetime) -> datetime:
    """The moment that a parameter names: `2026-06-01T08:00Z`, `now`, `now - 1h`; now is the newest event.

    Raises:
        ProblemError: 400, it names none.
    """
    try:
        return parse_time_argument(text, newest, name)
    except ArchiveError as error:
        raise ProblemError(400, f"{name}: {error.message}", error.hint or "") from error
