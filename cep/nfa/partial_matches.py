"""All runs of a query, by partition, and what they look at beside the events that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from .accepted import Completed
from .after_match_runs import Left
from .compiled_pattern import Program
from .event_encoder import Arrived, Key
from .negation_buffer import Absentees, Endings
from .partition_nfa import Partition
from .shared_buffer import last_time
from .transition_priority import Made

__all__ = ["UnderWay"]

K = TypeVar("K")


class UnderWay:
    """Partitions, made as events come, and forgotten when they are of no use.

    Args:
        program: the query's.
        variables: those that are matched; rows go by their places.
        keyed: the variables whose candidates are told apart by JOINs.
        complete: takes runs that have come to an end.
        most: so many runs may be under way in one stage of a partition.
    """

    def __init__(
        self,
        program: Program,
        variables: Sequence[str],
        keyed: AbstractSet[str],
        complete: Callable[[Completed], None],
        most: int,
    ) -> None:
        self.partitions: dict[Key, Partition] = {}
        self.absent: dict[tuple[str, Key], Absentees] = {}
        self.endings: dict[tuple[Any, Key], Endings] = {}
        self._program, self._variables, self._keyed = program, variables, keyed
        self._complete, self._most = complete, most

    def take(self, arrived: Arrived) -> None:
        """Show events to the runs, partition by partition."""
        for (name, key), rows in arrived.absent.items():
            self.absentees(name, key).add(rows)
        for (of, key), rows in arrived.endings.items():
            self.ends(of, key).add(rows)
        for key, events in arrived.events:
            take = self.partition(key).take
            for event in events:
                take(event)

    def partition(self, key: Key) -> Partition:
        """The partition of a key."""
        found = self.partitions.get(key)
        if found is None:
            found = self.partitions[key] = self._made(key)
        return found

    def _made(self, key: Key) -> Partition:
        program, shared = self._program, key[:-1]
        absent = {n: self.absentees(n, key if n in self._keyed else shared) for n in program.places.negations}
        endings: dict[Any, Endings] = {}
        for start, of in program.endings.items():
            endings[start] = self.ends(start, shared)
            endings |= {ending.name: self.ends(ending.name, shared) for ending in of}
        return Partition(program, self._variables, self._complete, self._most, absent, endings, key)

    def absentees(self, variable: str, key: Key) -> Absentees:
        """The candidates of a NOT's variable."""
        return self.absent.setdefault((variable, key), Absentees())

    def ends(self, of: object, key: Key) -> Endings:
        """The events that may end a repetition, by its start or by the name of the test."""
        return self.endings.setdefault((of, key), Endings())

    def runs(self) -> Iterator[Made]:
        """All runs."""
        for partition in self.partitions.values():
            yield from partition.runs()

    def held(self) -> Iterator[Made]:
        """The runs that could end, if they are not prolonged."""
        for partition in self.partitions.values():
            yield from partition.held()

    @property
    def held_time(self) -> int | None:
        """The earliest T of the last events of these; `None`: there are none."""
        return min((last_time(node) for _, _, node in self.held()), default=None) if self._program.may_hold else None

    def let_go(self, watermark: int) -> None:
        """Complete the runs that can be prolonged no more."""
        if self._program.may_hold:
            for partition in self.partitions.values():
                if partition.holds_back:
                    partition.prune(watermark)

    def prune(self, watermark: int) -> None:
        """Drop the runs to which no event from the watermark on is of use."""
        for key, partition in list(self.partitions.items()):
            partition.prune(watermark)
            if partition.is_empty:
                del self.partitions[key]

    def drop(self, left: Left) -> None:
        """Drop what no match may hold any more because of matches that stand."""
        for partition in self.partitions.values():
            partition.drop(left)

    def forget(self, before: int, waiting: Iterable[Completed]) -> None:
        """Forget what nothing looks at any more that lies before a moment; `waiting`: runs that still look."""
        used = {id(a) for p in self.partitions.values() for a in (*p.absent.values(), *p.endings.values())}
        used |= {id(a) for completed in waiting for a in completed.partition.absent.values()}
        _forget(self.absent, before, used)
        _forget(self.endings, before, used)


def _forget(known: dict[K, Absentees] | dict[K, Endings], before: int, used: set[int]) -> None:
    """Drop what comes before a moment, and what is empty and not used."""
    for kept in known.values():
        kept.forget(before)
    for key in [key for key, kept in known.items() if not kept.rows and id(kept) not in used]:
        del known[key]
