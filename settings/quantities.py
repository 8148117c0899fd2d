"""Durations, sizes and addresses as people write them in the project file."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field

from ..language import parse_duration

__all__ = ["Duration", "Endpoint", "Size", "Timeout", "parse_size"]

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|sec|s|min|hour|h|day|d|week)\s*")
_BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(kB|MB|GB|TB)\s*")


def _duration(text: object) -> object:
    """`"5s"`, `"1.5 min"` as a `timedelta`; anything else is refused."""
    if text is None or isinstance(text, timedelta):
        return text
    found = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        message = f'{text!r} is no duration; write a number and one of ms, s, min, h, d, week, such as "5s"'
        raise ValueError(message)
    return parse_duration(found[1] + found[2])


def _timeout(text: object) -> object:
    """A duration, or `"never"`: the longest one that there is."""
    return timedelta.max if text == "never" else _duration(text)


def parse_size(text: object) -> object:
    """`"500 MB"` as a number of bytes; anything else is refused."""
    if text is None:
        return None
    found = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        message = f"'{text}' is no size; write a number and one of kB, MB, GB, TB, such as \"50GB\""
        raise ValueError(message)
    return int(float(found[1]) * _BYTES[found[2]])


def _endpoint(text: object) -> object:
    """The URL of a SPARQL endpoint; anything else is refused."""
    if text is None:
        return None
    parts = urlsplit(text) if isinstance(text, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        message = f"'{text}' is no address of a SPARQL endpoint; write one such as \"http://localhost:7878/query\""
        raise ValueError(message)
    return text


Duration = Annotated[timedelta, BeforeValidator(_duration), Field(ge=timedelta(0))]
Timeout = Annotated[timedelta, BeforeValidator(_timeout), Field(ge=timedelta(0))]
Size = Annotated[int | None, BeforeValidator(parse_size)]
Endpoint = Annotated[str | None, BeforeValidator(_endpoint)]
