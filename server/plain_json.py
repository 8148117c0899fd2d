"""Values of rows and events as JSON has them, in the form of the sinks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

from ..pipeline.sinks import iso

__all__ = ["plain_value"]

_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000


def plain_value(value: object) -> object:
    """A value that JSON has: times in ISO 8601 with `Z`, durations as `PT90S`; NaN and INF are null."""
    match value:
        case datetime():
            return iso(value)
        case timedelta():
            return _duration(value // _MICROSECOND)
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {name: plain_value(part) for name, part in value.items()}
        case list() | tuple():
            return [plain_value(part) for part in value]
        case _:
            return value


def _duration(microseconds: int) -> str:
    seconds, rest = divmod(abs(microseconds), _SECOND)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{'-' * (microseconds < 0)}PT{seconds}{fraction}S"
