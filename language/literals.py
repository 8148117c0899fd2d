"""Numbers, strings, durations and moments: from their text to Python values, and back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

_MICROSECONDS = {"ms": 1_000, "s": 10**6, "sec": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "hour": 3600 * 10**6}
_MICROSECONDS |= {"d": 86_400 * 10**6, "day": 86_400 * 10**6, "week": 604_800 * 10**6}
UNITS = tuple(_MICROSECONDS)
"""The units that a duration may have."""

_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "\\": "\\", '"': '"', "'": "'"}
_QUOTED = {character: f"\\{letter}" for letter, character in _ESCAPES.items() if character != "'"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_XSD_DURATION = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_MOMENT = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?(Z|[+-]\d{2}:\d{2})?")
# What quoted strings and IRIs look like, to be compiled with DOTALL. Without `+` behind the star each character of one
# that never ends would take two kilobytes.
IRI = r"<[^\x00-\x20<>\"{}|^`\\]*>"
STRING = (
    r'"""(?:(?:"|"")?(?:[^"\\]|\\.))*+"""|\'\'\'(?:(?:\'|\'\')?(?:[^\'\\]|\\.))*+\'\'\''
    r'|"(?:[^"\\\n\r]|\\.)*+"|\'(?:[^\'\\\n\r]|\\.)*+\''
)
CALENDAR = datetime.max - datetime.min  # noqa: DTZ901 - a duration
"""How long the years 1 to 9999 are."""
INT64 = 2**63
"""Integers are from `-INT64` to `INT64 - 1`."""


def parse_duration(text: str) -> timedelta:
    """`5min` as a `timedelta`, to the microsecond.

    Raises:
        ValueError: it has more than 64 bits of microseconds, or is shorter than one.
    """
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    duration = _timedelta(Fraction(number) * _MICROSECONDS[text[len(number) :].lower()])
    if not duration and Fraction(number):
        raise ValueError("it is shorter than a microsecond")
    return duration


def _timedelta(microseconds: Fraction) -> timedelta:
    if int(microseconds) >= INT64:
        raise ValueError("it is too long")
    return timedelta(microseconds=int(microseconds))


def parse_xsd_duration(text: str) -> timedelta:
    """`PT5M` as a `timedelta`; years and months have no fixed length and are refused.

    Raises:
        ValueError: it is no `xsd:dayTimeDuration`.
    """
    found = _XSD_DURATION.fullmatch(text)
    if found is None or not any(found.groups()[1:]) or text.endswith("T"):
        raise ValueError("it is no duration of days, hours, minutes and seconds")
    days, hours, minutes, seconds = (Fraction(part or 0) for part in found.groups()[1:])
    length = _timedelta((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**6)
    return -length if found[1] else length


def parse_moment(text: str) -> datetime:
    """`2012-05-07T09:00` as an aware UTC time; without a zone it is UTC.

    Raises:
        ValueError: it is no moment of the calendar.
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError("it is no dateTime")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction = int((found[7] or "")[:6].ljust(6, "0"))
    zone = "+00:00" if found[8] in (None, "Z") else found[8]
    try:
        local = datetime(year, month, day, hour, minute, second, fraction, tzinfo=UTC)
        return local - _offset(zone)
    except (ValueError, OverflowError) as error:
        raise ValueError("no calendar has it") from error


def _offset(zone: str) -> timedelta:
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 14 or minutes > 59:
        raise ValueError(zone)
    return timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)


def parse_integer(text: str) -> int:
    """A 64-bit integer.

    Raises:
        ValueError: it has more than 64 bits, or is no integer.
    """
    if not re.fullmatch(r"[+-]?\d{1,400}", text):
        raise ValueError("it is no integer")
    value = int(text)
    if not -INT64 <= value < INT64:
        raise ValueError("integers have 64 bits")
    return value


def parse_double(text: str) -> float:
    """A finite double.

    Raises:
        ValueError: it is beyond the range of doubles, or no number.
    """
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise ValueError("it is no number")
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("it is beyond the range of doubles")
    return value


def unquote(text: str) -> str:
    """The characters that a quoted string stands for.

    Raises:
        ValueError: an escape that SPARQL does not know.
    """
    width = 3 if text[:3] in ('"""', "'''") and len(text) >= 6 else 1
    return _ESCAPE.sub(_unescape, text[width:-width])


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        number = int(code, 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise ValueError(f"'{found[0]}' is no character")
        return chr(number)
    if found[3] not in _ESCAPES:
        raise ValueError(f"there is no escape '{found[0]}'")
    return _ESCAPES[found[3]]


def quote(text: str) -> str:
    """Characters as a quoted string, which `unquote` reads."""
    return '"' + "".join(_QUOTED.get(character, character) for character in text) + '"'


def moment_text(moment: datetime) -> str:
    """An aware time in UTC as a dateTime ending in `Z`."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def duration_text(duration: timedelta) -> str:
    """A duration of 0 or more, in seconds when they are whole, else in milliseconds."""
    microseconds = duration // timedelta(microseconds=1)
    if microseconds % 1_000_000 == 0:
        return f"{microseconds // 1_000_000}s"
    whole, rest = divmod(microseconds, 1000)
    return f"{whole}.{rest:03d}ms" if rest else f"{whole}ms"
