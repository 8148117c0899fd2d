"""Which queries tasks cannot answer when they come, or go, after the first batch; each is refused with the way out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from ...errors import PipelineError
from ...planner import resolve_bounds
from ..flow import Registration
from ..sharding import HostingState, units_of

__all__ = ["DRIVER", "refuse_joining", "refuse_looking_back", "refuse_lost"]

DRIVER = 'set hosting = "driver" under [engine]'


def refuse_looking_back(
    registrations: Sequence[Registration], now_of: Callable[[Registration], datetime | None]
) -> None:
    """Refuse queries that look at the time before them.

    Args:
        registrations: the queries.
        now_of: gives the time of a query's streams, as far as these are known.

    Raises:
        PipelineError: one asks for the past, or for what contexts hold.
    """
    for registration in registrations:
        query, now = registration.query, registration.now or now_of(registration)
        # A rule acts on no row before its registration, whatever its query says.
        past = query.rule is None and now is not None and resolve_bounds(query.bounds, now).begins_before(now)
        if past:
            raise _refused(registration.label, "asks for the past, which executors do not look through yet")
        if query.context_sets:
            raise _refused(registration.label, "speaks of contexts, and executors know them from the first batch on")


def refuse_joining(registrations: Sequence[Registration], active: Sequence[Registration], state: HostingState) -> None:
    """Refuse queries that answer others whose states lie in shards of their own, or in several places.

    Args:
        registrations: the queries.
        active: those that are answered.
        state: says where the states of these are.

    Raises:
        PipelineError: one would have to be answered with them.
    """
    new = {registration.label for registration in registrations}
    others, stated = [one for one in active if one.label not in new], {place.unit for place in state.states}
    for unit in units_of([*others, *registrations], state.kept):
        known = [label for label in unit.labels if label not in new and state.kept.get(label, label) in stated]
        apart = [label for label in known if label not in state.kept]
        several = len({state.kept.get(label, label) for label in known}) > 1
        if new & set(unit.labels) and (several or apart):
            why = f"reads or decides what '{(apart or known)[0]}' gives, which is answered by itself since before"
            raise _refused(next(label for label in unit.labels if label in new), why)


def refuse_lost(deriving: Sequence[str], labels: Collection[str]) -> None:
    """Refuse to go on without queries whose changes of contexts count on.

    Args:
        deriving: the labels of those that have changed some.
        labels: those that are there.

    Raises:
        PipelineError: one is not.
    """
    for label in deriving:
        if label not in labels:
            raise PipelineError(
                f"'{label}' has changed contexts, is registered no more, and executors do not remember its changes",
                hint=f"register it again, or {DRIVER}",
            )


def _refused(label: str, why: str) -> PipelineError:
    return PipelineError(f"'{label}' {why}", hint=f"register it before the first batch, or {DRIVER}")
