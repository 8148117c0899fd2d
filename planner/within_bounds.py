"""WITHIN: the time range that a query speaks of, fixed when it is registered (docs/semantics.md 3.15)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from ..cep.order import Interval
from ..errors import PlanError
from ..expressions import micros
from ..language.nodes import Bounds, Instant, Query

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)
_AFTER_ALL = datetime.max.replace(tzinfo=UTC)
_TIME = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True, slots=True)
class Range:
    """Moments from `lower` to `upper`, aware UTC; a `None` bound is unbounded and its flag means nothing."""

    lower: datetime | None
    lower_inclusive: bool
    upper: datetime | None
    upper_inclusive: bool

    @property
    def bounded(self) -> bool:
        """Whether there is a moment that does not lie within."""
        return self.lower is not None or self.upper is not None

    @property
    def empty(self) -> bool:
        """Whether no moment lies within, whatever comes."""
        if self.upper == _BEFORE_ALL and not self.upper_inclusive:
            return True
        if self.lower is None or self.upper is None:
            return False
        single = self.lower_inclusive and self.upper_inclusive
        return self.lower > self.upper or (self.lower == self.upper and not single)

    def select(self, events: pa.Table) -> pa.Table:
        """Keep the rows whose `_time` lies within, in their order; the table itself when that is all of them."""
        if self.empty:
            return events.slice(0, 0)
        tests = []
        if self.lower is not None:
            test = pc.greater_equal if self.lower_inclusive else pc.greater
            tests.append(test(events["_time"], pa.scalar(self.lower, _TIME)))
        if self.upper is not None:
            test = pc.less_equal if self.upper_inclusive else pc.less
            tests.append(test(events["_time"], pa.scalar(self.upper, _TIME)))
        for mask in tests:
            if not pc.all(mask, min_count=0).as_py():
                return events.filter(mask if len(tests) == 1 else pc.and_(*tests))
        return events

    def covers(self, first: datetime, last: datetime) -> bool:
        """Tell whether two moments, and so all between them, lie within."""
        if self.empty:
            return False
        lower = self.lower is None or self.lower < first or (self.lower == first and self.lower_inclusive)
        return lower and (self.upper is None or last < self.upper or (last == self.upper and self.upper_inclusive))

    @property
    def interval(self) -> Interval:
        """The moments within, for operators, which are asked nothing when there are none."""
        every = Interval()
        first = every.first if self.lower is None else micros(self.lower) + (not self.lower_inclusive)
        last = every.last if self.upper is None else micros(self.upper) - (not self.upper_inclusive)
        return Interval(first, last)

    def meet(self, other: Range) -> Range:
        """The moments that lie within both."""
        lower, upper = self, self
        if other.lower is not None:
            mine = (self.lower, not self.lower_inclusive) if self.lower is not None else None
            lower = other if mine is None or mine < (other.lower, not other.lower_inclusive) else self
        if other.upper is not None:
            mine = (self.upper, self.upper_inclusive) if self.upper is not None else None
            upper = other if mine is None or mine > (other.upper, other.upper_inclusive) else self
        return Range(lower.lower, lower.lower_inclusive, upper.upper, upper.upper_inclusive)

    def begins_before(self, moment: datetime) -> bool:
        """Tell whether `moment`, or an earlier one, can lie within."""
        if self.empty:
            return False
        return self.lower is None or self.lower < moment or (self.lower == moment and self.lower_inclusive)

    def closed(self, watermark: datetime | None) -> bool:
        """Tell whether no later event can lie within: those that are not late have `_time` >= watermark."""
        if self.empty:
            return True
        if self.upper is None or watermark is None:
            return False
        return watermark > self.upper or (watermark == self.upper and not self.upper_inclusive)

    def __str__(self) -> str:
        """Say it in words, such as `from 2012-05-07T09:00:00Z (inclusive) on`."""
        if self.empty:
            return "nothing: no moment lies within"
        lower = None if self.lower is None else _moment(self.lower)
        upper = None if self.upper is None else _moment(self.upper)
        return _words(lower, upper, lower_inclusive=self.lower_inclusive, upper_inclusive=self.upper_inclusive)


def resolve_bounds(bounds: Bounds, now: datetime | None) -> Range:
    """Fix the bounds of WITHIN at registration.

    Args:
        bounds: of the query.
        now: the greatest `_time` that the query's streams have delivered; `None` before their first event. Then
            `now`, and `now` plus or minus any duration, lies before every event: as a lower bound it bounds nothing,
            as an upper bound it leaves nothing.

    Returns:
        The range. A bound beyond the years 1 to 9999 is cut to them.

    Raises:
        PlanError: `now` has no zone.
    """
    if now is not None and now.utcoffset() is None:
        raise PlanError(f"the moment of registration {now.isoformat()} has no zone", hint="give it tzinfo=UTC")
    lower, lower_inclusive = (None, False) if bounds.lower is None else _resolve(bounds.lower, now, lower=True)
    upper, upper_inclusive = (None, False) if bounds.upper is None else _resolve(bounds.upper, now, lower=False)
    return Range(
        None if lower == _BEFORE_ALL and lower_inclusive else lower,
        lower_inclusive,
        None if upper == _AFTER_ALL and upper_inclusive else upper,
        upper_inclusive,
    )


def speaks_of_the_past(query: Query) -> bool:
    """Whether the query's WITHIN may begin before its registration."""
    bounds = query.bounds
    return bounds.lower is None or bounds.lower.moment is not None or bounds.lower.offset < timedelta(0)


def bounds_in_words(bounds: Bounds) -> str:
    """Say the bounds as they are before registration, such as `from now - 5min (inclusive) to now (exclusive)`."""
    lower, upper = bounds.lower, bounds.upper
    return _words(
        None if lower is None else _instant(lower),
        None if upper is None else _instant(upper),
        lower_inclusive=lower is not None and lower.inclusive,
        upper_inclusive=upper is not None and upper.inclusive,
    )


def duration_in_words(duration: timedelta) -> str:
    """Write a duration as a query would: the largest unit that leaves an integer, else seconds."""
    microseconds = duration // timedelta(microseconds=1)
    units = {"week": 604_800_000_000, "d": 86_400_000_000, "h": 3_600_000_000, "min": 60_000_000, "s": 1_000_000}
    for unit, size in units.items():
        if microseconds and microseconds % size == 0:
            return f"{microseconds // size}{unit}"
    return f"{microseconds / 1000:g}ms"


def _resolve(instant: Instant, now: datetime | None, *, lower: bool) -> tuple[datetime, bool]:
    """The bound, and whether it is inclusive: of one beyond the calendar, whether all of that lies within it."""
    if instant.moment is not None:
        return instant.moment.astimezone(UTC), instant.inclusive
    if now is None:
        return _BEFORE_ALL, lower
    try:
        return now.astimezone(UTC) + instant.offset, instant.inclusive
    except OverflowError:
        return (_BEFORE_ALL, lower) if instant.offset < timedelta(0) else (_AFTER_ALL, not lower)


def _words(lower: str | None, upper: str | None, *, lower_inclusive: bool, upper_inclusive: bool) -> str:
    low = None if lower is None else f"from {lower} ({'inclusive' if lower_inclusive else 'exclusive'})"
    high = None if upper is None else f"to {upper} ({'inclusive' if upper_inclusive else 'exclusive'})"
    match low, high:
        case None, None:
            return "all of time"
        case str(), None:
            return f"{low} on"
        case None, str():
            return f"up {high}"
        case _:
            return f"{low} {high}"


def _instant(instant: Instant) -> str:
    if instant.moment is not None:
        return _moment(instant.moment.astimezone(UTC))
    if not instant.offset:
        return "now"
    return f"now {'-' if instant.offset < timedelta(0) else '+'} {duration_in_words(abs(instant.offset))}"


def _moment(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
