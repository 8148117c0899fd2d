"""AFTER MATCH: which matches stand, one by one in output order (LANGUAGE §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from kaicep.language.nodes.query import AfterMatch, AfterMatchKind, Query

from .expressions import Candidate


class Reported(Protocol):
    """What AFTER MATCH asks of a match: all its events in total order, and those of each variable."""

    @property
    def events(self) -> Sequence[Candidate]: ...

    @property
    def runs(self) -> Mapping[str, Sequence[Candidate]]: ...


M = TypeVar("M", bound=Reported)


def standing(query: Query, matches: Sequence[M]) -> list[M]:
    """The matches that no earlier one of their partition that stands forbids."""
    if query.after_match.kind is AfterMatchKind.KEEP_ALL or query.after_match.is_mode:
        return list(matches)
    found: list[M] = []
    for match in matches:
        rivals = [m for m in found if partition(query, m) == partition(query, match)]
        if all(allows(query.after_match, earlier, match) for earlier in rivals):
            found.append(match)
    return found


def partition(query: Query, match: Reported) -> list[object]:
    """The values of PARTITION BY, in which all events of a match agree."""
    variable, event = next((v, run[0].event) for v, run in match.runs.items() if run)
    return [event.values.get(dict(names)[variable]) for names in query.partition_by]


def allows(after: AfterMatch, earlier: Reported, later: Reported) -> bool:
    """Whether `later` may stand after `earlier` was reported."""
    begin = later.events[0].event.order
    run = earlier.runs[after.variable] if after.variable is not None else ()
    match after.kind:
        case AfterMatchKind.KEEP_ALL:
            return True
        case AfterMatchKind.PAST_LAST:
            return begin > earlier.events[-1].event.order
        case AfterMatchKind.TO_FIRST if run:
            return begin >= run[0].event.order
        case AfterMatchKind.TO_LAST if run:
            return begin >= run[-1].event.order
        case AfterMatchKind.CONSUME:
            return not {c.event.id for c in earlier.events} & {c.event.id for c in later.events}
        case _:
            return begin > earlier.events[0].event.order
