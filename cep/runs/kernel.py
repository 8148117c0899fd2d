"""Patterns with runs: an automaton per partition (LANGUAGE §3, Runs)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

import polars as pl

from ...errors import CeilingError, OperatorError
from ...language.columns import Names
from ...language.query import Query
from ..contiguity import BEFORE, EVENTS
from ..interval import Interval
from ..output import Matches
from ..state import State
from .arrivals import Arrivals, Key
from .besides import Absentees, Endings
from .engine import Completed, Partition
from .limits import Limits
from .paths import last_time, paths
from .program import Program, Run
from .rows import Found, Reporting, Rows
from .snapshot import Nodes, read_nodes, read_value, written_value

__all__ = ["RunsKernel"]

_END = 2**62
_FEW = 1_000  # rows that are not worth a look at what is still of use
K = TypeVar("K")


class RunsKernel:
    """Shows events to the runs of their partitions, and reports in output order.

    Args:
        query: with SEQ.
        within: the moments of WITHIN.
        limits: how much the query may take.

    Raises:
        OperatorError: FROM has a variable that SEQ does not name.
    """

    def __init__(self, query: Query, within: Interval, limits: Limits) -> None:
        self.program = Program(query, (within.first, within.last))
        self._limits = limits
        named = {*self.program.places.positive, *self.program.places.negations}
        outside = next((s.variable for s in query.sources if s.variable not in named), None)
        if outside is not None:
            raise OperatorError(
                f"?{outside} stands in FROM and not in SEQ, beside a repetition: this cannot be run",
                hint=f"name ?{outside} in SEQ, or join the output of a named query to it",
            )
        self._variables = [s.variable for s in query.sources if s.variable in self.program.places.positive]
        self._reporting = Reporting(query, self._variables)
        self._arrivals = Arrivals(query, self.program, self._variables, self._reporting.rows)
        self._partitions: dict[Key, Partition] = {}
        self._absent: dict[tuple[str, Key], Absentees] = {}
        self._endings: dict[tuple[Any, Key], Endings] = {}
        self._timers: list[tuple[int, int, Completed]] = []
        self._waiting: Counter[int] = Counter()
        self._reported: set[int] = set()
        self._awaiting: list[tuple[int, Completed]] = []
        self._following: dict[int, int] = {}
        self._looks_behind = self.program.strict and bool(self.program.places.negations)
        self._sequence = count()
        self._swept = -_END
        self._kept = 0
        self._counted = (-1, 0)
        windows = [width for _, width in self.program.windows]
        waits = [n.duration for n in self.program.places.negations.values() if n.duration is not None]
        self._horizon = sum(windows) + sum(int(wait.total_seconds() * 1_000_000) for wait in waits)
        self._period = max(windows, default=0) // 4

    @property
    def names(self) -> Names:
        """See `Reporting`."""
        return self._reporting.names

    @property
    def due(self) -> int | None:
        """When the interval of a NOT is over, or a run can be prolonged no more."""
        ends = [self._timers[0][0]] if self._timers else []
        ends += [stage.deadline(run) for p in self._partitions.values() for stage, run, _ in p.held()]
        return min(ends) + 1 if ends else None

    @property
    def held_since(self) -> int | None:
        """The earliest time of what may still be prolonged, and of what comes behind it."""
        held = [t for t in (self._held_time(), self._reporting.earliest) if t is not None]
        return min(held, default=None)

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> Matches | None:
        """The matches that became certain."""
        if any(frame.height for frame in released.values()):
            self._take(released)
        if self._looks_behind:
            self._look_behind(released[EVENTS])
        self._let_pass(watermark)
        held = self._held_time()
        return self._reporting.report(_END if held is None else held)

    def _take(self, released: Mapping[str, pl.DataFrame]) -> None:
        """Show what was released to the runs, partition by partition."""
        arrived = self._arrivals.read(released)
        for (name, key), rows in arrived.absent.items():
            self._absentees(name, key).add(rows)
        for (of, key), rows in arrived.endings.items():
            self._ends(of, key).add(rows)
        for key, events in arrived.events:
            partition = self._partitions.get(key)
            if partition is None:
                partition = self._partitions[key] = self._partition(key)
            take = partition.take
            for event in events:
                take(event)

    def _partition(self, key: Key) -> Partition:
        keyed, shared = self._arrivals.keyed, key[:-1]
        absent = {n: self._absentees(n, key if n in keyed else shared) for n in self.program.places.negations}
        endings: dict[Any, Endings] = {}
        for start, of in self.program.endings.items():
            endings[start] = self._ends(start, shared)
            endings |= {ending.name: self._ends(ending.name, shared) for ending in of}
        return Partition(
            self.program, self._variables, self._complete, self._limits.runs_per_partition, absent, endings, key
        )

    def _absentees(self, variable: str, key: Key) -> Absentees:
        return self._absent.setdefault((variable, key), Absentees())

    def _ends(self, of: object, key: Key) -> Endings:
        return self._endings.setdefault((of, key), Endings())

    # Runs that have come to an end.

    def _complete(self, completed: Completed) -> None:
        finish = completed.finish
        if finish.awaits is not None:
            self._await(finish.awaits(completed.run), completed)
        elif finish.due is not None:
            self._wait(finish.due(completed.run, completed.time), completed)
        elif completed.holds:
            self._report(completed.time, completed)

    def _wait(self, due: int, completed: Completed) -> None:
        self._waiting[id(completed.node)] += 1
        heappush(self._timers, (due, next(self._sequence), completed))

    def _waited(self) -> tuple[int, Completed, bool]:
        """What has waited longest, until when, and whether its events were reported: one of two NOTs ended earlier."""
        due, _, completed = heappop(self._timers)
        node = id(completed.node)
        again = node in self._reported
        self._waiting[node] -= 1
        if not self._waiting[node]:
            del self._waiting[node]
            self._reported.discard(node)
        return due, completed, again

    def _report(self, time: int, completed: Completed) -> None:
        node = completed.node
        number = node[3][1] if len(node) == 4 else -1
        known = self._counted[1] if self._counted[0] == number else 0
        self._counted = (number, known + node[0])
        most = self._limits.matches_per_event
        if self._counted[1] > most:
            raise CeilingError(
                f"more than {most} matches became true with one event",
                hint="bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER MATCH with "
                "it; or raise matches_per_event in [engine]",
            )
        self._reporting.found += [Found(time, path) for path in paths(node)]

    def _look_behind(self, events: pl.DataFrame) -> None:
        """Find the very next event behind those that NOTs at the end speak of, and settle what waits for it."""
        numbers = {number for number, _ in self._awaiting} | set(self._awaited())
        known = {number: time for number, time in self._following.items() if number in numbers}
        missing = pl.Series(sorted(numbers - known.keys()), dtype=pl.Int64)
        found = events.filter(pl.col(BEFORE).is_in(missing.implode()))
        self._following = known | dict(zip(found[BEFORE], found["_time"].to_physical(), strict=True))
        waiting, self._awaiting = self._awaiting, []
        for number, completed in waiting:
            self._await(number, completed)

    def _awaited(self) -> Iterator[int]:
        """The numbers of events of which the next one matters once runs can be prolonged no more."""
        for partition in self._partitions.values():
            for stage, run, _ in partition.held():
                yield from (f.awaits(run) for f in stage.finishes if f.awaits is not None and f.leaves)

    def _await(self, number: int, completed: Completed) -> None:
        time = self._following.get(number)
        if time is None:
            self._awaiting.append((number, completed))
            return
        due = completed.finish.due
        end = completed.time if due is None else due(completed.run, completed.time)
        self._wait(max(end, time), completed)

    # Time.

    def _let_pass(self, watermark: int) -> None:
        """Do what the watermark makes certain."""
        if self.program.may_hold:
            self._prune_held(watermark)
        if watermark - self._swept >= self._period and self._reporting.size > 2 * self._kept + _FEW:
            self._sweep(watermark)
        while self._timers and self._timers[0][0] < watermark:
            due, completed, again = self._waited()
            if completed.holds and not again:
                if id(completed.node) in self._waiting:
                    self._reported.add(id(completed.node))
                self._report(due, completed)

    def _prune_held(self, watermark: int) -> None:
        for partition in self._partitions.values():
            if partition.holds_back:
                partition.prune(watermark)

    def _sweep(self, watermark: int) -> None:
        """Drop what is of no use any more."""
        self._swept = watermark
        for key, partition in list(self._partitions.items()):
            partition.prune(watermark)
            if partition.is_empty:
                del self._partitions[key]
        oldest = min(self._beginnings(), default=watermark)
        for rows in self._reporting.rows.values():
            rows.forget(min(oldest, watermark))
        self._kept = self._reporting.size
        self._reporting.standing.forget(min((run[1] for run in self._remembered()), default=_END))
        self._forget(min(oldest, watermark) - self._horizon)

    def _remembered(self) -> Iterator[Run]:
        """The slots of all runs that are under way or wait."""
        for partition in self._partitions.values():
            yield from (run for _, run, _ in partition.runs())
        yield from (completed.run for _, _, completed in self._timers)
        yield from (completed.run for _, completed in self._awaiting)
        yield from (tuple(found.path[0][1]) for found in self._reporting.found)

    def _beginnings(self) -> Iterator[int]:
        """T of the first events of all that is remembered."""
        return (run[0] for run in self._remembered())

    def _forget(self, before: int) -> None:
        used = {id(a) for p in self._partitions.values() for a in (*p.absent.values(), *p.endings.values())}
        used |= {id(a) for _, _, c in self._timers for a in c.partition.absent.values()}
        used |= {id(a) for _, c in self._awaiting for a in c.partition.absent.values()}
        _forget(self._absent, before, used)
        _forget(self._endings, before, used)

    def _held_time(self) -> int | None:
        if not self.program.may_hold:
            return None
        times = (last_time(node) for p in self._partitions.values() if p.holds_back for _, _, node in p.held())
        return min(times, default=None)

    # State.

    def state(self) -> State:
        """All runs, what waits, and the candidates that they hold."""
        nodes = Nodes()
        keys = {id(partition): i for i, partition in enumerate(self._partitions.values())}
        partitions = [
            [
                written_value(key),
                p.now,
                [[stage.number, written_value(run), nodes.number(node)] for stage, run, node in p.runs_in_place()],
                [[stage.number, written_value(run), nodes.number(node)] for stage, run, node in p.fresh],
            ]
            for key, p in self._partitions.items()
        ]

        def completed(c: Completed) -> list[Any]:
            if id(c.partition) not in keys:
                keys[id(c.partition)] = len(keys)
                partitions.append([written_value(c.partition.key), c.partition.now, [], []])
            return [keys[id(c.partition)], written_value(c.run), nodes.number(c.node), c.time, *c.finish.place]

        text = {
            "stages": [stage.origin for stage in self.program.stages],
            "timers": [[due, completed(c)] for due, _, c in sorted(self._timers) if id(c.node) not in self._reported],
            "awaiting": [[number, completed(c)] for number, c in self._awaiting],
            "following": sorted(self._following.items()),
            "found": [
                [found.time, [[variable, event[0], event[1], event[3]] for variable, event in found.path]]
                for found in self._reporting.found
            ],
            "absent": [[n, written_value(k), written_value(tuple(a.rows))] for (n, k), a in self._absent.items()],
            "endings": [
                [of, written_value(k), written_value(tuple(e.rows)), e.dropped] for (of, k), e in self._endings.items()
            ],
            "partitions": partitions,
            "bars": [[written_value(key), bar] for key, bar in self._reporting.standing.bars.items()],
            "consumed": sorted(self._reporting.standing.consumed),
            "begin": {v: rows.begin for v, rows in self._reporting.rows.items()},
            "nodes": nodes.written,
        }
        tables = {f"rows.{v}": rows.frame for v, rows in self._reporting.rows.items()}
        tables["runs"] = pl.DataFrame({"text": [json.dumps(text)]})
        return State(tables, {"next": self._arrivals.next_number, "swept": self._swept})

    def load(self, state: State) -> None:
        """Go on from there."""
        text = json.loads(state.tables["runs"]["text"][0])
        self._arrivals.next_number = state.numbers["next"] or 0
        swept = state.numbers["swept"]
        self._swept = -_END if swept is None else swept
        for v, begin in text["begin"].items():
            self._reporting.rows[v] = Rows(state.tables[f"rows.{v}"], begin)
        for origin in text["stages"]:
            self.program.stage_of(origin)
        nodes = read_nodes(text["nodes"])
        for variable, key, rows in text["absent"]:
            self._absentees(variable, read_value(key)).add(read_value(rows))
        for of, key, rows, dropped in text["endings"]:
            ends = self._ends(of, read_value(key))
            ends.add(read_value(rows))
            ends.dropped = dropped
        self._following = dict(text["following"])
        self._load_runs(text, nodes)
        standing = self._reporting.standing
        standing.bars.update((read_value(key), bar) for key, bar in text["bars"])
        standing.consumed.update(text["consumed"])
        self._reporting.found = [
            Found(time, [(variable, (t, number, -1, row)) for variable, t, number, row in path])
            for time, path in text["found"]
        ]

    def _load_runs(self, text: Mapping[str, Any], nodes: list[tuple[Any, ...]]) -> None:
        stages = self.program.stages
        partitions = []
        for key, now, runs, fresh in text["partitions"]:
            partition = self._partitions[read_value(key)] = self._partition(read_value(key))
            partition.now = now
            partition.insert([(stages[s], read_value(run), nodes[node]) for s, run, node in runs])
            partition.fresh = [(stages[s], read_value(run), nodes[node]) for s, run, node in fresh]
            partitions.append(partition)

        def completed(written: list[Any]) -> Completed:
            place, run, node, time, stage, end = written
            finish = stages[stage].finishes[end]
            return Completed(read_value(run), nodes[node], time, finish, partitions[place])

        for due, written in text["timers"]:
            self._wait(due, completed(written))
        self._awaiting = [(number, completed(written)) for number, written in text["awaiting"]]


def _forget(known: dict[K, Absentees] | dict[K, Endings], before: int, used: set[int]) -> None:
    """Drop what comes before a moment, and what is empty and not used."""
    for kept in known.values():
        kept.forget(before)
    for key in [key for key, kept in known.items() if not kept.rows and id(kept) not in used]:
        del known[key]
