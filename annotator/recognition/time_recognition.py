"""How the time stamps of a column are written, found by trying every format on some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pyarrow as pa

from ...settings import EPOCHS, TIME_FORMATS, TimeSettings
from ..moments import ClockReadings, read_clock
from ..time_casts import cast_time
from ..type_casts import to_series

__all__ = ["TimeGuess", "recognise_time", "unlike_stated"]

_PATTERNS = (
    "%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M", "%d-%b-%y %H:%M:%S", "%d-%b-%y %H:%M", "%d-%b-%Y", "%d %b %Y %H:%M:%S",
    "%d %b %Y %H:%M", "%d %b %Y", "%b %d, %Y %I:%M:%S %p", "%b %d, %Y %H:%M:%S", "%b %d, %Y",
    "%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S", "%Y%m%d%H%M%S", "%Y%m%d%H%M", "%Y%m%d %H%M%S", "%Y%m%d %H:%M:%S",
)  # fmt: skip
"""What is written often and has no name among the formats."""
_NAMED_IN_TEXT = tuple(name for name in TIME_FORMATS if name not in EPOCHS)
_PLAUSIBLE = (datetime(1980, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
_DOTTED = re.compile(r"^\s*\d{1,2}\.\d{1,2}\.")
_HALF_OF_DAY = re.compile(r"(?i)[ap]\.?m\.?\s*$")
_MOST = 2_000
_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class TimeGuess:
    """How a column of time stamps is written.

    Attributes:
        format: a named format, or a pattern of `strftime`.
        share: how many of the values are such time stamps, from 0 to 1.
        rival: another format that reads the values as well, when nothing in them tells which is meant.
        zoned: whether all values name their zone, or need none.
    """

    format: str
    share: float
    rival: str | None = None
    zoned: bool = False


def recognise_time(column: pa.ChunkedArray) -> TimeGuess | None:
    """Find the format of a column's time stamps; `None`: it has none.

    Numbers count as time stamps only where all of them lie between 1980 and 2100 in one unit. Of day first and month
    first the one counts in which the time stamps go back least and span least: recordings go on, by small steps. Where
    that does not tell, points between the numbers mean day first, and AM and PM rather month first, which is a doubt.

    Args:
        column: raw values of any type, in order; some two thousand of them are tried.
    """
    kind = column.type
    if pa.types.is_temporal(kind) and not (pa.types.is_time(kind) or pa.types.is_duration(kind)):
        return TimeGuess("iso", 1.0, zoned=pa.types.is_timestamp(kind) and kind.tz is not None)
    raw = _sample(to_series(column).drop_nulls())
    if not len(raw):
        return None
    found = [_Reading.of(name, raw) for name in _candidates(raw)]
    fitting = [reading for reading in found if reading.share >= _SHARE and reading.is_plausible]
    if not fitting:
        return None
    best = min(fitting, key=lambda reading: reading.badness)
    equal = (one for one in fitting if one.badness[:3] == best.badness[:3] and one.differs(best))
    rival = next(equal, None)
    if rival is None or _DOTTED.search(raw[0]):
        return TimeGuess(best.name, best.share, None, best.zoned)
    if _HALF_OF_DAY.search(raw[0]):
        best, rival = rival, best
    return TimeGuess(best.name, best.share, rival.name, best.zoned)


def unlike_stated(column: pa.ChunkedArray, stated: str) -> TimeGuess | None:
    """The format that reads all time stamps where the stated one does not; `None`: it does, or none else does.

    Args:
        column: raw values of any type, in order; some two thousand of them are tried.
        stated: a named format, or a pattern of `strftime`.
    """
    there = column.drop_null()
    if not len(there):
        return None
    some = there.take(pa.array(np.linspace(0, len(there) - 1, min(_MOST, len(there))).astype(np.int64)))
    read = cast_time(some, TimeSettings(attribute="", format=stated)).values
    if len(read) - read.null_count() >= _SHARE * len(some):
        return None
    guess = recognise_time(there)
    return guess if guess is not None and guess.share == 1 else None


def _candidates(raw: pl.Series) -> Iterator[str]:
    if raw.dtype == pl.String:
        yield from (*_NAMED_IN_TEXT, *_PATTERNS, *EPOCHS)
    elif raw.dtype.is_numeric():
        yield from EPOCHS


def _sample(values: pl.Series) -> pl.Series:
    """At most some two thousand values from all over the column, in their order; text without white space around it."""
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    if len(values) > _MOST:
        values = values.gather(np.linspace(0, len(values) - 1, _MOST).astype(np.int64))
    return values.filter(values.str.strip_chars() != "") if values.dtype == pl.String else values


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a format makes of a sample."""

    name: str
    share: float
    zoned: bool
    moments: np.ndarray

    @classmethod
    def of(cls, name: str, raw: pl.Series) -> _Reading:
        read: ClockReadings = read_clock(raw, name)
        there = read.clock.is_not_null()
        micros = read.clock.drop_nulls().to_physical().to_numpy()
        return cls(name, int(there.sum()) / len(raw), bool(read.zoned.filter(there).all()), micros)

    @property
    def is_plausible(self) -> bool:
        """Whether numbers are time stamps, and not anything else that is counted; texts are what they look like."""
        if self.name not in EPOCHS and self.name not in _PATTERNS:
            return True
        first, last = (moment.timestamp() * 1_000_000 for moment in _PLAUSIBLE)
        return bool(((self.moments >= first) & (self.moments < last)).all())

    @property
    def badness(self) -> tuple[float, int, int, int]:
        """What is not read, steps back, the span; then the place among the formats."""
        back = int((np.diff(self.moments) < 0).sum())
        span = int(self.moments.max() - self.moments.min()) if len(self.moments) else 0
        places = (*TIME_FORMATS, *_PATTERNS)
        return (-self.share, back, span, places.index(self.name))

    def differs(self, other: _Reading) -> bool:
        """Whether a moment is another one by it."""
        return not np.array_equal(self.moments, other.moments)
