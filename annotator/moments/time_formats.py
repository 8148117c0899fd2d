"""How time stamps are written: a reader for each format, raw values → clock readings and which of them name a zone.

Source: the formats that exports of building automation, spreadsheets and time series databases have in use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from ...settings import TIME_FORMATS
from .timestamps import LONGEST_YEARS, distinct_texts, parse_moments

__all__ = ["READERS", "ClockReadings", "read_clock"]

_NAIVE = pl.Datetime("us")
_ZONED_ISO = r"^\s*\d{4}-\d\d-\d\d.*(?:[Zz]|[+-]\d\d(?::?\d\d)?)\s*$"
_WHOLE = r"^\s*[+-]?[0-9]{1,19}(?:\.0*)?\s*$"
_DECIMAL = r"^\s*[+-]?[0-9]{1,19}(?:\.[0-9]*)?\s*$"
_TIME_OF_DAY = (
    r"(?:(?:,\s*|\s+|[Tt])(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2})(?::(?P<s>[0-9]{2})(?P<f>[.,][0-9]+)?)?"
    r"\s*(?P<half>[AaPp])?(?:\.?[Mm]\.?)?)?\s*(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?\s*$"
)
_TWO_DIGITS = r"(?P<{}>[0-9]{{1,2}})"
_YEAR, _LONG_YEAR = r"(?P<y>[0-9]{4}|[0-9]{2})", r"(?P<y>[0-9]{4})"
_BETWEEN = r"[./-]"
_POSIX_CENTURY = 69  # two digits from here on are of the last century (POSIX strptime)
_NOON = 12


@dataclass(frozen=True, slots=True)
class ClockReadings:
    """What a clock showed.

    Attributes:
        clock: naive microseconds; null where a value is no time stamp of the format.
        zoned: whether the value names its zone, or needs none; then `clock` is UTC.
    """

    clock: pl.Series
    zoned: pl.Series

    @classmethod
    def utc(cls, clock: pl.Series) -> ClockReadings:
        """Readings that need no zone."""
        return cls(clock, pl.repeat(value=True, n=len(clock), dtype=pl.Boolean, eager=True))


def read_clock(raw: pl.Series, time_format: str) -> ClockReadings:
    """Read time stamps of a named format, or of a pattern of `strftime`; null where a value is none."""
    reader = READERS.get(time_format)
    return reader(raw) if reader is not None else _of_pattern(raw, time_format)


def _once_each(read: Callable[[pl.Series], ClockReadings]) -> Callable[[pl.Series], ClockReadings]:
    """A reader that reads each different text once."""

    def read_distinct(raw: pl.Series) -> ClockReadings:
        codes, texts = distinct_texts(raw) if raw.dtype == pl.String else (None, raw)
        found = read(texts)
        if codes is None:
            return found
        return ClockReadings(found.clock.gather(codes), found.zoned.gather(codes).fill_null(value=False))

    return read_distinct


def _iso(raw: pl.Series) -> ClockReadings:
    clock = parse_moments(raw).dt.replace_time_zone(None)
    if raw.dtype != pl.String:
        return ClockReadings(clock, pl.repeat(value=False, n=len(raw), dtype=pl.Boolean, eager=True))
    return ClockReadings(clock, raw.str.contains(_ZONED_ISO).fill_null(value=False))


def _epoch(per_second: int) -> Callable[[pl.Series], ClockReadings]:
    def read(raw: pl.Series) -> ClockReadings:
        return ClockReadings.utc(_inside(_micros(raw, per_second)).cast(_NAIVE))

    return read


def _micros(raw: pl.Series, per_second: int) -> pl.Series:
    """Numbers as microseconds, int64: whole ones exactly, fractions to the nearest microsecond."""
    if raw.dtype == pl.String:
        if raw.str.contains(_WHOLE).all():
            return _whole_micros(
                raw.str.strip_chars().str.extract(r"^([+-]?\d+)").cast(pl.Int64, strict=False), per_second
            )
        fits = pl.DataFrame({"x": raw}).select(pl.when(pl.col("x").str.contains(_DECIMAL)).then(pl.col("x")))
        raw = fits.to_series().str.strip_chars().cast(pl.Float64, strict=False)
    if raw.dtype.is_integer():
        return _whole_micros(raw.cast(pl.Int64, strict=False), per_second)
    if not raw.dtype.is_numeric():
        return pl.repeat(None, len(raw), dtype=pl.Int64, eager=True)
    units, scale = raw.cast(pl.Float64), 1_000_000 / per_second
    if per_second > 1_000_000:
        return (units * scale).round().cast(pl.Int64, strict=False)
    whole = units.floor()  # apart, since the product of both parts may have no room for the last microsecond
    fraction = ((units - whole) * scale).round().cast(pl.Int64, strict=False)
    return _whole_micros(whole.cast(pl.Int64, strict=False), per_second) + fraction


def _whole_micros(units: pl.Series, per_second: int) -> pl.Series:
    if per_second > 1_000_000:
        return units // (per_second // 1_000_000)
    factor = 1_000_000 // per_second
    first, last = LONGEST_YEARS
    inside = units.is_between(-(-first // factor), last // factor)
    return pl.select(pl.when(inside).then(units)).to_series() * factor


def _inside(micros: pl.Series) -> pl.Series:
    inside = micros.is_between(*LONGEST_YEARS, closed="left")
    return micros if inside.all() else pl.select(pl.when(inside).then(micros)).to_series()


def _dates(order: str) -> Callable[[pl.Series], ClockReadings]:
    """A reader of dates in numbers, `/`, `.` or `-` between them, perhaps with a time of day and a zone."""
    parts = {"d": _TWO_DIGITS.format("d"), "m": _TWO_DIGITS.format("mon"), "y": _YEAR, "Y": _LONG_YEAR}
    pattern = r"^\s*" + _BETWEEN.join(parts[part] for part in order) + _TIME_OF_DAY

    def read(raw: pl.Series) -> ClockReadings:
        if raw.dtype != pl.String:
            return _iso(raw)
        return _iso(_as_iso(raw, pattern))

    return _once_each(read)


def _as_iso(text: pl.Series, pattern: str) -> pl.Series:
    """The same moments as ISO 8601; null where the text does not have the pattern."""
    found = pl.DataFrame({"text": text}).select(pl.col("text").str.extract_groups(pattern)).unnest("text")
    year, hour, half = pl.col("y").cast(pl.Int32), pl.col("h").cast(pl.Int32), pl.col("half").str.to_lowercase()
    full = (
        pl.when(pl.col("y").str.len_chars() > 2)
        .then(year)
        .otherwise(year + pl.when(year < _POSIX_CENTURY).then(2000).otherwise(1900))
    )
    clock = pl.when(half.is_null()).then(hour).otherwise(hour % _NOON + pl.when(half == "p").then(_NOON).otherwise(0))
    shown = half.is_null() | hour.is_between(1, _NOON)
    day = pl.concat_str([_padded(full, 4), _padded(pl.col("mon"), 2), _padded(pl.col("d"), 2)], separator="-")
    seconds = pl.col("s").fill_null("00") + pl.col("f").fill_null("")
    moment = pl.concat_str([day, pl.lit("T"), _padded(clock, 2), pl.lit(":"), pl.col("m"), pl.lit(":"), seconds])
    zone = pl.col("zone").fill_null("")
    iso = pl.when(hour.is_null()).then(day + zone).when(shown).then(moment + zone)
    return found.select(iso.alias("iso")).to_series()


def _padded(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.String).str.zfill(width)


def _of_pattern(raw: pl.Series, pattern: str) -> ClockReadings:
    """What a pattern of `strftime` reads; `.%f` is the fraction of a second, as in Python."""
    if raw.dtype != pl.String:
        return _iso(raw)
    written = pattern.replace(".%f", "%.f")
    read = raw.str.strip_chars().str.to_datetime(written, strict=False, time_unit="us")
    zoned = isinstance(read.dtype, pl.Datetime) and read.dtype.time_zone is not None
    clock = read.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else read
    clock = _inside(clock.to_physical()).cast(_NAIVE)
    return ClockReadings(clock, pl.repeat(value=zoned, n=len(raw), dtype=pl.Boolean, eager=True))


READERS: Mapping[str, Callable[[pl.Series], ClockReadings]] = {
    "iso": _iso,
    "epoch_s": _epoch(1),
    "epoch_ms": _epoch(1_000),
    "epoch_us": _epoch(1_000_000),
    "epoch_ns": _epoch(1_000_000_000),
    "day_first": _dates("dmy"),
    "month_first": _dates("mdy"),
    "year_first": _dates("Ymd"),
}
"""The readers by the names of their formats."""
if tuple(READERS) != TIME_FORMATS:
    raise AssertionError(f"the project file knows the formats {TIME_FORMATS}, the annotator {tuple(READERS)}")
