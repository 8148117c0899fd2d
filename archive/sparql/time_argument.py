"""Moments as people write them on a command line."""

from __future__ import annotations

import re
from datetime import datetime

from ...errors import ArchiveError, Place
from ...language import parse_duration, parse_moment

_RELATIVE = re.compile(r"\s*now\s*(?:([+-])\s*(\d+(?:\.\d+)?\s*(?:ms|sec|s|min|hour|h|day|d|week))\s*)?")


def parse_time_argument(text: str, now: datetime | None, source: str) -> datetime:
    """The moment that a text names: `2021-09-07`, `2021-09-07T08:00+08:00`, `now`, `now - 1h`.

    Args:
        text: as written; without a zone it is UTC.
        now: the time of the newest event, as in χ-CEP; `None`: there is none.
        source: what the text is called in messages.

    Raises:
        ArchiveError: it names none.
    """
    found = _RELATIVE.fullmatch(text)
    try:
        if found is None:
            return parse_moment(text.strip())
        if now is None:
            raise ArchiveError(
                "there are no events, whose newest would be now",
                place=Place(source),
                hint="name a moment, such as 2021-09-07T08:00Z",
            )
        if found[1] is None:
            return now
        duration = parse_duration(re.sub(r"\s", "", found[2]))
        return now + duration if found[1] == "+" else now - duration
    except (ValueError, OverflowError) as error:
        raise ArchiveError(
            f"'{text}' is no moment",
            place=Place(source),
            hint="write 2021-09-07, 2021-09-07T08:00+08:00, now, or now - 1h",
        ) from error
