"""Texts and numbers that stand for time in, moments out: every format, every clock."""

from __future__ import annotations

from .time_formats import READERS, ClockReadings, read_clock
from .time_zone import to_utc
from .timestamps import LONGEST_YEARS, parse_moments

__all__ = ["LONGEST_YEARS", "READERS", "ClockReadings", "parse_moments", "read_clock", "to_utc"]
