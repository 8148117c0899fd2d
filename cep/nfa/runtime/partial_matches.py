"""All partial matches of a query, by partition, and what they look at beside the events that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from ...limits import Ceilings
from ...partitions import PartitionWindows
from ..compiler import CompiledPattern
from ..negation_buffer import NegationBuffer, PartitionBuffers, StopEvents
from ..shared_buffer import Remainder, last_time
from .accepted import AcceptedMatch
from .event_encoder import EncodedEvents, PartitionKey
from .partition_nfa import PartitionNfa
from .transition_priority import PartialMatch

__all__ = ["PartialMatches"]

K = TypeVar("K")


class PartialMatches:
    """Partitions, made as events come, and forgotten when they are of no use.

    Args:
        compiled: the query's automaton.
        variables: those that are matched; rows go by their places.
        keyed: the variables whose candidates are told apart by JOINs.
        accept: takes partial matches that have come to a final state.
        ceilings: how many partial matches may be in one state of a partition.
        windows: of a query in contexts, what is known of the windows that partitions are.

    Attributes:
        absent: candidates of NOTs, by variable and partition.
        stops: the events that may end repetitions, by repetition and partition.
        kept: how many of both came since they were restored and are not forgotten.
    """

    def __init__(  # noqa: PLR0917 - what partitions are made of
        self,
        compiled: CompiledPattern,
        variables: Sequence[str],
        keyed: AbstractSet[str],
        accept: Callable[[AcceptedMatch], None],
        ceilings: Ceilings,
        windows: PartitionWindows | None = None,
    ) -> None:
        self.partitions: dict[PartitionKey, PartitionNfa] = {}
        self.absent: dict[tuple[str, PartitionKey], NegationBuffer] = {}
        self.stops: dict[tuple[Any, PartitionKey], StopEvents] = {}
        self.kept = 0
        self._compiled, self._variables, self._keyed = compiled, variables, keyed
        self._accept, self._ceilings, self._windows = accept, ceilings, windows

    def process(self, encoded: EncodedEvents) -> None:
        """Show events to the partial matches, partition by partition."""
        for (name, key), rows in encoded.absent.items():
            self.negation_buffer(name, key).add(rows)
            self.kept += len(rows)
        for (of, key), rows in encoded.stops.items():
            self.stop_events(of, key).add(rows)
            self.kept += len(rows)
        for key, places, events in encoded.events:
            self.partition(key).process(places, events, several=encoded.several)

    def clear(self) -> None:
        """Forget everything."""
        self.partitions.clear()
        self.absent.clear()
        self.stops.clear()
        self.kept = 0

    def partition(self, key: PartitionKey) -> PartitionNfa:
        """The partition of a key."""
        found = self.partitions.get(key)
        if found is None:
            buffers = self._buffers(key)
            found = PartitionNfa(self._compiled, self._variables, self._accept, self._ceilings, buffers)
            self.partitions[key] = found
        return found

    def _buffers(self, key: PartitionKey) -> PartitionBuffers:
        conditions, shared = self._compiled.conditions, key[:-1]
        absent = {n: self.negation_buffer(n, key if n in self._keyed else shared) for n in conditions.scopes.negations}
        stops: dict[Any, StopEvents] = {}
        for start, of in conditions.stops.items():
            stops[start] = self.stop_events(start, shared)
            stops |= {stop.name: self.stop_events(stop.name, shared) for stop in of}
        return PartitionBuffers(key, absent, stops, self._windows)

    def negation_buffer(self, variable: str, key: PartitionKey) -> NegationBuffer:
        """The candidates of a NOT's variable."""
        return self.absent.setdefault((variable, key), NegationBuffer())

    def stop_events(self, of: object, key: PartitionKey) -> StopEvents:
        """The events that may end a repetition, by its start or by the name of the test."""
        return self.stops.setdefault((of, key), StopEvents())

    def matches(self) -> Iterator[PartialMatch]:
        """All partial matches."""
        for partition in self.partitions.values():
            yield from partition.matches()

    def held(self) -> Iterator[PartialMatch]:
        """The partial matches that could end, if they are not prolonged."""
        if self._compiled.may_hold:
            for partition in self.partitions.values():
                yield from partition.held()

    @property
    def held_time(self) -> int | None:
        """The earliest T of the last events of these; `None`: there are none."""
        return min((last_time(node) for _, _, node in self.held()), default=None)

    def let_go(self, watermark: int) -> None:
        """Accept the partial matches that can be prolonged no more."""
        if self._compiled.may_hold:
            for partition in self.partitions.values():
                if partition.holds_back:
                    partition.prune(watermark)

    def prune(self, watermark: int) -> None:
        """Drop the partial matches to which no event from the watermark on is of use."""
        for key, partition in list(self.partitions.items()):
            partition.prune(watermark)
            if partition.is_empty:
                del self.partitions[key]

    def close(self, windows: AbstractSet[object]) -> None:
        """Accept what the ends of these context windows end, and forget their partitions."""
        for key in [key for key in self.partitions if key[0] in windows]:
            self.partitions.pop(key).close()

    def retire(self, windows: AbstractSet[object]) -> None:
        """Forget what partitions of these context windows looked at."""
        for known in (self.absent, self.stops):
            for key in [key for key in known if key[1][0] in windows]:
                del known[key]

    def drop(self, left: Remainder) -> None:
        """Drop what no match may hold any more because of matches that stand."""
        for partition in self.partitions.values():
            partition.drop(left)

    def forget(self, before: int, waiting: Iterable[AcceptedMatch]) -> None:
        """Forget what nothing looks at any more that lies before a moment; `waiting`: accepted, and still looking."""
        buffers = [partition.buffers for partition in self.partitions.values()]
        buffers += [accepted.buffers for accepted in waiting]
        _forget(self.absent, before, {id(a) for b in buffers for a in b.absent.values()})
        _forget(self.stops, before, {id(s) for b in buffers for s in b.stops.values()})
        self.kept = sum(len(of.rows) for of in self.absent.values()) + sum(len(of.rows) for of in self.stops.values())


def _forget(known: dict[K, NegationBuffer] | dict[K, StopEvents], before: int, used: set[int]) -> None:
    """Drop what comes before a moment, and what is empty and not used."""
    for kept in known.values():
        kept.forget(before)
    for key in [key for key, kept in known.items() if not kept.rows and id(kept) not in used]:
        del known[key]
