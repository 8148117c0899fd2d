"""The normalised text of CREATE CONTEXTS: one way to write it. It is χ-CEP again, and normal already."""

from __future__ import annotations

from ...literals import quote
from ...nodes import (
    DEFAULT_BOUNDS,
    MINUTES_A_DAY,
    WEEK,
    Calendar,
    CalendarStretch,
    Context,
    ContextSet,
    bounds_text,
    name_text,
)


def context_set_text(contexts: ContextSet) -> str:
    """The normalised text of a set, whatever its `normal` says; one line."""
    first, *others = contexts.contexts
    declared = ", ".join((f"{first.name} DEFAULT", *(_context(context) for context in others)))
    keys = " BY " + ", ".join(name_text(key.name) for key in contexts.keys) if contexts.keys else ""
    within = "" if _is_usual(contexts) else f" {bounds_text(contexts.bounds)}"
    return f"CREATE CONTEXTS {contexts.name} ({declared}){keys}{within}"


def _is_usual(contexts: ContextSet) -> bool:
    return (contexts.bounds.lower, contexts.bounds.upper) == (DEFAULT_BOUNDS.lower, DEFAULT_BOUNDS.upper)


def _context(context: Context) -> str:
    return context.name if context.calendar is None else f"{context.name} DURING {_calendar(context.calendar)}"


def _calendar(calendar: Calendar) -> str:
    return f"{', '.join(quote(_stretch(s)) for s in calendar.stretches)} TIMEZONE {quote(calendar.zone)}"


def _stretch(stretch: CalendarStretch) -> str:
    days = "" if len(stretch.days) == len(WEEK) else ",".join(WEEK[day] for day in stretch.days) + " "
    end = stretch.end if stretch.end <= MINUTES_A_DAY else stretch.end - MINUTES_A_DAY
    return f"{days}{_time(stretch.begin)}-{_time(end)}"


def _time(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
