"""WITHIN: the past, present and future that a query or a set of contexts is about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ..source_text import Span


@dataclass(frozen=True, slots=True)
class Instant:
    """A bound of WITHIN: `now` plus `offset`, or `moment`; `inclusive` as `(` and `)` say (the paper's way)."""

    moment: datetime | None
    offset: timedelta
    inclusive: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """WITHIN; a `None` bound is unbounded."""

    lower: Instant | None
    upper: Instant | None
    span: Span | None


DEFAULT_BOUNDS = Bounds(Instant(None, timedelta(0), inclusive=False), None, None)
"""`[now, )`."""
