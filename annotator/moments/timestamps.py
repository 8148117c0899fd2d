"""Time stamps: ISO 8601 text with or without a zone, Arrow time stamps and dates → UTC microseconds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..datatypes import ARROW_MOMENT, MOMENT

# The usual machine form of our time, read by one kernel; finer ones take a few, and everything else goes through the
# pattern below.
_USUAL = r"^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$"
_ZULU = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$"
# Polars' \d is a digit of any script; the zone's are cast to numbers, which only these can be.
_PARTS = (
    r"^\s*(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[Tt ](?P<minutes>\d\d:\d\d)(?:(?P<seconds>:\d\d)(?P<fraction>[.,]\d+)?)?)?"
    r"\s*(?:[Zz]|(?P<sign>[+-])(?P<hours>[0-9]{2})(?::?(?P<offset>[0-9]{2}))?)?\s*$"
)
_SAMPLE, _DISTINCT = 4096, 0.9
_TOO_FINE = r"(\.\d{6})\d+$"
LONGEST_YEARS = (-62_135_596_800_000_000, 253_402_300_800_000_000)
"""The beginning of the year 1, and the end of 9999, in microseconds since the epoch."""


def parse_moments(raw: pl.Series) -> pl.Series:
    """Moments of raw values; null where a value is none.

    Text is a date with or without time (seconds and their fraction may be missing, `T` may be a space) and zone
    (`Z`, `+08:00`, `+0800`, `+08`, perhaps after a space); without a zone it is UTC. A fraction is cut after
    microseconds. Naive Arrow time stamps are UTC. Numbers are never guessed at. Years are 1 to 9999.
    """
    if raw.dtype == pl.String:
        if (usual := _usual(raw)) is not None:
            return usual
        codes, texts = distinct_texts(raw)
        moments = _of_text(raw) if codes is None else _of_text(texts).gather(codes)
    elif isinstance(raw.dtype, pl.Datetime):
        moments = raw.cast(MOMENT)
    elif raw.dtype == pl.Date:
        moments = raw.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    else:
        return pl.repeat(None, len(raw), dtype=MOMENT, eager=True)
    inside = moments.to_physical().is_between(*LONGEST_YEARS, closed="left")
    return moments if inside.all() else pl.select(pl.when(inside).then(moments)).to_series()


def distinct_texts(raw: pl.Series) -> tuple[pl.Series | None, pl.Series]:
    """Each different text once, and for each value its place among them; `None`, and all, where few come again.

    The sensors of a building share their time stamps, and to read one takes as long as to look twenty up.
    """
    if _mostly_distinct(raw):
        return None, raw
    encoded = raw.to_arrow(compat_level=pl.CompatLevel.newest()).dictionary_encode()
    return pl.Series(encoded.indices), pl.Series(encoded.dictionary, dtype=pl.String)


def _mostly_distinct(raw: pl.Series) -> bool:
    """Whether in a sample hardly any value comes twice."""
    if len(raw) <= _SAMPLE:
        return False
    places = np.random.default_rng(0).choice(len(raw), _SAMPLE, replace=False, shuffle=False)
    return raw.gather(places).n_unique() > _DISTINCT * _SAMPLE


def _of_text(text: pl.Series) -> pl.Series:
    if text.str.contains(_ZULU).all():
        return _read(text.str.strip_suffix("Z"))
    parts = pl.DataFrame({"text": text}).select(pl.col("text").str.extract_groups(_PARTS)).unnest("text")
    seconds = pl.col("seconds").fill_null(":00")
    fraction = pl.col("fraction").str.replace(",", ".", literal=True).fill_null("")
    local = pl.col("date") + "T" + pl.col("minutes").fill_null("00:00") + seconds + fraction
    away = pl.col("hours").cast(pl.Int64) * 60 + pl.col("offset").fill_null("0").cast(pl.Int64)
    zoned = parts.select(
        local.alias("local"),
        pl.when(pl.col("sign") == "-").then(-away).otherwise(away).fill_null(0).alias("away"),
        ((pl.col("hours").cast(pl.Int64) > 14) | (pl.col("offset").cast(pl.Int64) > 59))
        .fill_null(value=False)
        .alias("no"),
    )
    moments = zoned.select(
        pl.when(~pl.col("no")).then(_read(zoned["local"]) - pl.duration(minutes=pl.col("away"), time_unit="us"))
    )
    return moments.to_series()


def _usual(text: pl.Series) -> pl.Series | None:
    """The moments, if all values have the usual form; `None` when one has not, or is no moment, as on 30 February."""
    array = text.to_arrow()
    if not pc.all(pc.match_substring_regex(array, _USUAL), min_count=0).as_py():
        return None
    try:
        return pl.Series(text.name, array.cast(ARROW_MOMENT))
    except pa.ArrowInvalid:
        return None


def _read(local: pl.Series) -> pl.Series:
    # A leap second (:60) would be read as the next minute's first; a stream's clock has none.
    if (leap := local.str.contains(":60", literal=True)).any():
        local = pl.select(pl.when(~leap).then(local)).to_series()
    if local.str.contains(_TOO_FINE).any():
        local = local.str.replace(_TOO_FINE, "$1")
    return local.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us").dt.replace_time_zone("UTC")
