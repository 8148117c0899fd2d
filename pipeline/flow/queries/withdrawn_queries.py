"""Withdrawn queries whose changes of contexts still count: the past is answered with them (docs/decisions/247)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ....language.nodes import Query
from .registration import Registration, Withdrawal

__all__ = ["WithdrawnQueries", "involved"]


class WithdrawnQueries:
    """Deriving queries that were withdrawn, and what they read, while somebody speaks of what they have changed.

    They stand in the order in which they were withdrawn.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Registration, Withdrawal]] = []

    def __iter__(self) -> Iterator[Registration]:
        return iter([one for one, _ in self._kept])

    def add(self, registration: Registration, withdrawal: Withdrawal) -> None:
        """Keep a query that is withdrawn now."""
        label = f"{withdrawal.label} (withdrawn at batch {withdrawal.batch})"
        self._kept.append((replace(registration, label=label, withdrawal=withdrawal), withdrawal))

    def read(self, name: str | None) -> bool:
        """Whether one of them reads the output of a query."""
        return name is not None and any(name in _streams(one.query) for one, _ in self._kept)

    def streams(self, name: str) -> set[str]:
        """What those have read that changed contexts of a set, directly or through one of them."""
        outputs = {one.query.name for one, _ in self._kept}
        read, ahead = set[str](), [one.query for one, _ in self._kept if _derives(one.query, {name})]
        while ahead:
            new = _streams(ahead.pop()) - read
            read |= new
            ahead += [one.query for one, _ in self._kept if one.query.name in new]
        return {stream for stream in read if stream not in outputs}

    def answered(self, until: Mapping[str, datetime]) -> None:
        """Learn of those that a replay has answered to the end, by label, up to when their changes count."""
        for place, (one, withdrawal) in enumerate(self._kept):
            if one.label in until:
                known = replace(withdrawal, until=until[one.label])
                self._kept[place] = replace(one, withdrawal=known), known

    def retain(self, sets: Collection[str]) -> bool:
        """Forget those that nobody needs any more; tell whether there were some.

        Args:
            sets: the names of those that queries speak of which are registered.
        """
        needed = {one.label for one in involved(list(self), [], sets)}
        before = len(self._kept)
        self._kept = [(one, withdrawal) for one, withdrawal in self._kept if one.label in needed]
        return len(self._kept) < before

    def registered(self, name: str, now: datetime | None) -> datetime | None:
        """When a set of contexts was registered that one of them speaks of; `now`: none does."""
        moments = [withdrawal.sets[name] for _, withdrawal in self._kept if name in withdrawal.sets]
        return moments[0] if moments else now

    def changed_since(self, others: Mapping[str, datetime]) -> dict[str, datetime]:
        """By label, from when on the changes of each of them count, and of other queries."""
        return {**others, **{one.label: gone.since for one, gone in self._kept if gone.since is not None}}

    def among(self, registered: Sequence[Registration], last: int, *, restored: bool) -> list[Registration]:
        """Queries that are registered and those that were withdrawn, in the order of their registration.

        Args:
            registered: the former.
            last: the batch at whose end the past lies.
            restored: the state then is known, and has what was changed before. Otherwise those that were withdrawn by
                then count up to the moment at which they were. The others are answered until the batch that they were
                withdrawn at, see `Dataflow.cross`.
        """
        found = list(registered)
        for one, withdrawal in reversed(self._kept):
            behind = withdrawal if withdrawal.batch <= last else replace(withdrawal, until=None)
            found.insert(withdrawal.place, replace(one, query=self._apart(one, withdrawal), withdrawal=behind))
        return [r for r in found if r.withdrawal is None or not restored or r.withdrawal.batch > last]

    def _apart(self, one: Registration, withdrawal: Withdrawal) -> Query:
        """A query that reads the ones that it read then, whatever is called so now."""
        read: dict[str, str] = {}
        for other, gone in sorted(self._kept, key=lambda kept: -kept[1].batch):
            if other.query.name is not None and gone.batch >= withdrawal.batch:  # none goes before its readers
                read[other.query.name] = other.label
        query = one.query
        sources = tuple(
            replace(source, stream=replace(source.stream, name=read[source.stream.name]))
            if source.stream.name in read
            else source
            for source in query.sources
        )
        return replace(query, sources=sources, name=None if query.name is None else one.label)


def involved(
    registrations: Sequence[Registration], labels: Collection[str], sets: Collection[str] = ()
) -> list[Registration]:
    """Queries and all that decide about their rows and about the contexts that they derive, in their order.

    Args:
        registrations: among which they are looked for.
        labels: of the queries.
        sets: names of sets of contexts that are asked for beside them.
    """
    names, asked, found, before = set[str](), set(sets), list[Registration](), -1
    while len(found) > before:
        before = len(found)
        found = [one for one in registrations if one.label in labels or _answers(one.query, names, asked)]
        names |= {name for one in found for name in _streams(one.query)}
        asked |= {each.name for one in found for each in one.query.context_sets}
    return found


def _answers(query: Query, names: Collection[str], sets: Collection[str]) -> bool:
    """Whether a query's output is one of some streams, or it changes contexts of one of some sets."""
    return any(stream in names for stream in query.streams) or _derives(query, sets)


def _derives(query: Query, sets: Collection[str]) -> bool:
    return any(name in sets for name in query.changed_sets)


def _streams(query: Query) -> set[str]:
    return {source.stream.name for source in query.sources}
