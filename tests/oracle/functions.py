"""The scalar functions, on values that are bound."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from .values import Value, inside, lexical

__all__ = ["FUNCTIONS"]

HALF = Fraction(1, 2)


def _round(number: Any) -> Any:
    """XPath's: halves towards positive infinity."""
    return (
        number if isinstance(number, int) or not math.isfinite(number) else float(math.floor(Fraction(number) + HALF))
    )


def _floor(number: Any) -> Any:
    return number if isinstance(number, int) or not math.isfinite(number) else float(math.floor(number))


def _ceil(number: Any) -> Any:
    return number if isinstance(number, int) or not math.isfinite(number) else float(math.ceil(number))


def _regex(text: str, pattern: str, flags: str = "") -> bool:
    return re.search(pattern, text, re.IGNORECASE if "i" in flags else 0) is not None


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "ABS": lambda x: abs(x) if isinstance(x, float) or inside(abs(x)) else abs(float(x)),
    "CONVERT": lambda value, factor, offset, *_unit: value * factor + offset,
    "ROUND": _round,
    "FLOOR": _floor,
    "CEIL": _ceil,
    "STR": lexical,
    "CONCAT": lambda *values: "".join(map(lexical, values)),
    "LCASE": lambda s: s.lower(),
    "UCASE": lambda s: s.upper(),
    "STRLEN": len,
    "CONTAINS": lambda text, part: part in text,
    "STRSTARTS": lambda text, start: text.startswith(start),
    "STRENDS": lambda text, end: text.endswith(end),
    "REGEX": _regex,
    "YEAR": lambda t: t.year,
    "MONTH": lambda t: t.month,
    "DAY": lambda t: t.day,
    "HOURS": lambda t: t.hour,
    "MINUTES": lambda t: t.minute,
    "SECONDS": lambda t: t.second + t.microsecond / 1_000_000,
    "LOCAL": lambda t, zone: t.astimezone(ZoneInfo(zone)).replace(tzinfo=UTC),
}
