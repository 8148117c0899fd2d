"""How the events of a stream are dealt to shards once for many queries: these are given places among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....language.nodes import Source
from ..keys import ShardKey
from ..query_unit import QueryUnit

__all__ = ["EventDeal", "deals_of"]


@dataclass(frozen=True, slots=True)
class EventDeal:
    """The events of a stream that some queries take, each written once.

    Attributes:
        stream: which.
        column: by whose values they are dealt; empty: each split is one shard.
        columns: of events that some query is given.
        takers: the units, by name, and their event variables that take some of them.
        identifies: equal identities are in one shard, so that who counts can be found out there. Then all events are
            written.
    """

    stream: str
    column: str
    columns: tuple[str, ...]
    takers: tuple[tuple[str, str], ...]
    identifies: bool = False

    def shards(self, most: int) -> int:
        """How many shards there are."""
        return most if self.column else 1


def deals_of(units: Sequence[QueryUnit], identifies: Callable[[str, str], bool]) -> Mapping[str, tuple[EventDeal, ...]]:
    """By stream, how its events are dealt for queries.

    Those that look at each event by itself, or at all of them, are given theirs from wherever they are dealt to.

    Args:
        units: single ones, which are given candidates alone.
        identifies: whether a column of a stream follows from identities that determine time stamps.
    """
    taken: dict[str, dict[str, list[tuple[str, Source]]]] = {}
    free: list[tuple[str, Source]] = []
    for unit in units:
        for source in unit.registrations[0].query.sources:
            if isinstance(unit.key, ShardKey) and not unit.by_event:
                column = unit.key.columns[source.variable]
                taken.setdefault(source.stream.name, {}).setdefault(column, []).append((unit.name, source))
            else:
                free.append((unit.name, source))
    for name, source in free:
        of_stream = taken.setdefault(source.stream.name, {})
        of_stream.setdefault(next(iter(of_stream), ""), []).append((name, source))
    return {stream: tuple(_deals(stream, of, identifies)) for stream, of in taken.items()}


def _deals(
    stream: str, taken: Mapping[str, Sequence[tuple[str, Source]]], identifies: Callable[[str, str], bool]
) -> Iterator[EventDeal]:
    first = next((column for column in taken if column and identifies(stream, column)), None)
    for column, takers in taken.items():
        names = {name for _, source in takers for name in source.columns if not name.startswith("?")}
        columns = ("_time", "_id", *sorted(names - {"_time", "_id"}))
        yield EventDeal(stream, column, columns, tuple((unit, s.variable) for unit, s in takers), column == first)
