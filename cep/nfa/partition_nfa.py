"""Runs of one partition: what each event does to them (docs/semantics.md 3.8).

Runs stand by their stage. Where everything may be passed over, runs of equal slots are one, and hold all sequences of
events that lead to them (`paths`); elsewhere each is by itself. A run that was just made waits until time has gone on:
what stands behind a link comes strictly later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import CeilingError
from ...language.nodes import Link
from .accepted import Completed
from .after_match_runs import Left
from .compiled_pattern import Program
from .event_layout import Event
from .negation_buffer import Absentees, Endings
from .shared_buffer import Node, extended, last_time, united
from .stages import Run, Stage, Step
from .transition_priority import Made, Satisfied, kept

__all__ = ["Partition"]

Rows = Sequence[tuple[int, Event]]
"""One event: the places of variables whose candidate it is, and its tuples; several for several solutions."""


@dataclass(slots=True, eq=False)
class Partition:
    """The runs of one partition.

    Attributes:
        program: the query's.
        names: the variables that are matched; rows go by their places.
        complete: takes runs that have come to an end.
        most: so many runs may be under way in one stage.
        absent: the candidates of variables under NOT.
        endings: the events that may end repetitions.
        key: tells it from others.
        single: runs by themselves, by stage.
        merged: runs of equal slots as one, by stage.
        fresh: runs that were made at `now`.
    """

    program: Program
    names: Sequence[str]
    complete: Callable[[Completed], None]
    most: int
    absent: dict[str, Absentees]
    endings: dict[Any, Endings]
    key: tuple[object, ...]
    single: dict[Stage, list[tuple[Run, tuple[Any, ...]]]] = field(default_factory=dict)
    merged: dict[Stage, dict[Run, tuple[Any, ...]]] = field(default_factory=dict)
    fresh: list[Made] = field(default_factory=list)
    _passing: list[Made] = field(default_factory=list)
    now: int = -(2**62)

    def take(self, rows: Rows) -> None:
        """Show the event to all runs, and let it begin new ones."""
        time: int = rows[0][1][0]
        if time > self.now:
            self.now = time
            if self.fresh:
                self._settle()
        made: list[Made] = []
        for stage, runs in self.merged.items():
            if runs:
                self._show_merged(stage, runs, rows, made)
        for stage, alone in self.single.items():
            if alone:
                self._show_single(stage, alone, rows, made)
        for stage in self.program.beginnings:
            self._begin(stage, rows, made)
        if self._passing:
            self.insert(self._passing)
            self._passing = []
        if made:
            self._add(made)

    def _add(self, made: list[Made]) -> None:
        for one in made:
            stage = one[0]
            for finish in stage.finishes:
                if not finish.leaves:
                    self.complete(Completed(one[1], one[2], self.now, finish, self))
            if stage.open or stage.held:
                self.fresh.append(one)
        if self.program.interleaved:  # the other sides of an AND may have equal time stamps
            self._settle()

    def _settle(self) -> None:
        """Let the runs that were made at `now` look at events."""
        self.insert(self.fresh)
        self.fresh = []

    def insert(self, added: list[Made]) -> None:
        """Add runs that look at the next event."""
        for stage, run, node in added:
            if stage.merges:
                runs = self.merged.setdefault(stage, {})
                known = runs.get(run)
                runs[run] = node if known is None else united(known, node)
                size = len(runs)
            else:
                alone = self.single.setdefault(stage, [])
                alone.append((run, node))
                size = len(alone)
            if size > self.most:
                self._refuse()

    def _refuse(self) -> None:
        raise CeilingError(
            f"more than {self.most} runs are under way in one partition",
            hint="bound the pattern: a shorter WINDOW, a JOIN of equal attributes, PARTITION BY, a maximum {m,n} or "
            "POLICY next; or raise runs_per_partition in [engine]",
        )

    def _begin(self, stage: Stage, rows: Rows, made: list[Made]) -> None:
        if len(rows) == 1:
            place, event = rows[0]
            steps = self._steps(stage, place)
            if len(steps) == 1:
                for take, target in steps[0].targets:
                    longer = take(None, event, self)
                    if longer is not None:
                        made.append((target, longer, (1, None, place, event)))
                return
            if not steps:
                return
        for _, found in kept(self._satisfied(stage, None, None, rows)):
            made += found

    def _show_merged(
        self,
        stage: Stage,
        runs: dict[Run, tuple[Any, ...]],
        rows: Rows,
        made: list[Made],
    ) -> None:
        if not stage.relaxed:
            self._show(stage, list(runs.items()), rows, made, lambda run, _: runs.pop(run))
            return
        for place, event in rows:
            for step in self._steps(stage, place):
                for take, target in step.targets:
                    for run, node in runs.items():
                        longer = take(run, event, self)
                        if longer is not None:
                            made.append((target, longer, (node[0], node, place, event)))

    def _show_single(
        self,
        stage: Stage,
        runs: list[tuple[Run, tuple[Any, ...]]],
        rows: Rows,
        made: list[Made],
    ) -> None:
        if len(rows) == 1:
            steps = self._steps(stage, rows[0][0])
            if not steps:
                return
            if len(steps) == 1 and steps[0].simple and not stage.held:
                _move(self, steps[0], runs, rows[0], made)
                return
        taken: set[int] = set()
        self._show(stage, runs, rows, made, lambda _, i: taken.add(i))
        if taken:
            runs[:] = [one for i, one in enumerate(runs) if i not in taken]

    def _show(
        self,
        stage: Stage,
        runs: list[tuple[Run, tuple[Any, ...]]],
        rows: Rows,
        made: list[Made],
        remove: Callable[[Run, int], Any],
    ) -> None:
        """Show an event to runs that it may take out of their stage."""
        if not any(self._steps(stage, place) for place, _ in rows):
            return
        for i, (run, node) in enumerate(runs):
            satisfied = self._satisfied(stage, run, node, rows)
            if not satisfied:
                continue
            taken = kept(satisfied)
            for _, found in taken:
                made += found
            remove(run, i)
            if stage.held:
                self._let_go(stage, run, node, [step for step, _ in taken])
            if any(step.link is Link.ANY for step, _ in taken):
                passed = self.program.passed(stage, Link.NEXT)
                if passed is not None:
                    self._passing.append((passed, run, node))

    def _let_go(self, stage: Stage, run: Run, node: tuple[Any, ...], steps: list[Step]) -> None:
        """The ends that a run has reached, but for what this event does not prolong."""
        prolonged = frozenset().union(*(step.inside for step in steps))
        for finish in stage.finishes:
            if finish.leaves and not finish.leaves & prolonged:
                self.complete(Completed(run, node, last_time(node), finish, self))

    def _steps(self, stage: Stage, place: int) -> tuple[Step, ...]:
        found = stage.steps.get(place)
        return self.program.steps(stage, place, self.names[place]) if found is None else found

    def _satisfied(self, stage: Stage, run: Run | None, node: Node, rows: Rows) -> list[Satisfied]:
        """The elements that an event satisfies, with the runs that take it."""
        satisfied = []
        for place, event in rows:
            for step in self._steps(stage, place):
                targets = step.targets
                if step.after_gap is not targets and run is not None:
                    targets = step.after_gap if self._has_gap(run, event) else targets
                found = [
                    (target, longer, extended(node, place, event))
                    for take, target in targets
                    if (longer := take(run, event, self)) is not None
                ]
                if found:
                    satisfied.append((step, found))
        return satisfied

    def _has_gap(self, run: Run, event: Event) -> bool:
        seen = run[self.program.seen]
        return seen is not None and event[2] != seen

    def prune(self, time: int) -> None:
        """Drop the runs to which no event from `time` on is of use, and complete those that waited for that."""
        if time > self.now and self.fresh:
            self._settle()
        for stage, runs in self.merged.items():
            deadline = stage.deadline
            late = [run for run in runs if deadline(run) < time]
            for run in late:
                del runs[run]
        for stage, alone in self.single.items():
            deadline = stage.deadline
            late_ones = [one for one in alone if deadline(one[0]) < time]
            if late_ones:
                alone[:] = [one for one in alone if deadline(one[0]) >= time]
                for run, node in late_ones if stage.held else ():
                    self._let_go(stage, run, node, [])

    def drop(self, left: Left) -> None:
        """Drop what no match may hold any more because of matches that stand."""
        shared = self.key[:-1]
        for stage, runs in self.merged.items():
            kept = ((run, left.of(shared, run[1], node)) for run, node in runs.items())
            self.merged[stage] = {run: node for run, node in kept if node is not None}
        for alone in self.single.values():
            of_alone = [(run, left.of(shared, run[1], node)) for run, node in alone]
            alone[:] = [(run, node) for run, node in of_alone if node is not None]
        fresh = [(stage, run, left.of(shared, run[1], node)) for stage, run, node in self.fresh]
        self.fresh = [(stage, run, node) for stage, run, node in fresh if node is not None]

    @property
    def holds_back(self) -> bool:
        """Whether runs wait until they can be prolonged no more."""
        return next(self.held(), None) is not None

    @property
    def is_empty(self) -> bool:
        """Whether no run is under way."""
        return next(self.runs(), None) is None

    def held(self) -> Iterator[Made]:
        """The runs that could end, if they are not prolonged."""
        for stage, alone in self.single.items():
            if stage.held:
                yield from ((stage, run, node) for run, node in alone)
        yield from (one for one in self.fresh if one[0].held)

    def runs(self) -> Iterator[Made]:
        """All runs."""
        yield from self.runs_in_place()
        yield from self.fresh

    def runs_in_place(self) -> Iterator[Made]:
        """All runs that look at the next event, whenever it comes."""
        for stage, alone in self.single.items():
            yield from ((stage, run, node) for run, node in alone)
        for stage, merged in self.merged.items():
            yield from ((stage, run, node) for run, node in merged.items())


def _move(
    partition: Partition,
    step: Step,
    runs: list[tuple[Run, tuple[Any, ...]]],
    row: tuple[int, Event],
    made: list[Made],
) -> None:
    """Show an event to runs that take it in one way if at all, and then do not stay."""
    place, event = row
    take, target = step.targets[0]
    stay = []
    for one in runs:
        run, node = one
        longer = take(run, event, partition)
        if longer is None:
            stay.append(one)
        else:
            made.append((target, longer, (node[0], node, place, event)))
    if len(stay) < len(runs):
        runs[:] = stay
