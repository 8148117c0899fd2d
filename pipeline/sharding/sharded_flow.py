"""A data flow in shards: what is read, what counts, what is answered are tasks; between them stands the driver.

It is told numbers and names of files. Whatever an attempt wrote that is not named in the manifest counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

import pyarrow as pa

from ...cep import END_OF_TIME
from ...errors import PipelineError
from ...planner import Watermarks
from ...storage import FolderPlace, LocalFolder, SharedFolder, StoragePath, folder_at, folder_name, is_transient
from ..flow import RowTargets, StreamMoments, WrittenRows
from ..flow.rules import in_order
from .hosted_queries import Failures, HostedQueries, HostingPlan, StatePlace, hosted
from .hosting_state import (
    PARTS,
    HostingState,
    commit,
    read_manifest,
    require_newest,
    sets_together,
    told_together,
)
from .identity_part import IdentityReport, IdentityWork, ReadSplit, identity_part
from .log_part import LogReport, LogWork, log_part
from .part_file import PartFile, write_parts
from .rows import QueryParts, RowWork, WritingReport, found_rows, opened, row_part, shared_out
from .shard_part import CALLS_OF, ROWS_OF, ShardReport, ShardWork, shard_part
from .split_part import Split, SplitReport, split_part
from .stream_clock import StreamClock, latest

__all__ = [
    "WRITTEN_KNOWLEDGE",
    "Advance",
    "HostedBatch",
    "ShardedFlow",
    "StreamCounts",
    "TaskRunner",
    "answer_part",
    "read_part",
    "run_here",
]

WRITTEN_KNOWLEDGE = "knowledge-*.nt"
"""How the files are called in which knowledge goes to tasks in other processes."""

_Work: TypeAlias = ShardWork | LogWork | IdentityWork
_Report: TypeAlias = ShardReport | LogReport | IdentityReport
_Part = Callable[[HostedQueries, Any, SharedFolder, str], Any]


class TaskRunner(Protocol):
    """Runs tasks, each perhaps several times, somewhere; of each one report counts."""

    def __call__(
        self, plan: HostingPlan, part: _Part, work: Sequence[Any], folder: SharedFolder, name: str
    ) -> list[Any]:
        """The report of each task, in their order.

        Args:
            plan: of the queries.
            part: what is done, an importable function.
            work: of each task.
            folder: which all tasks reach.
            name: of the files that they write, behind which each attempt puts what tells it from all others: of this
                flow, of earlier ones, of those in other folders.
        """


def run_here(plan: HostingPlan, part: _Part, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
    """Run tasks in this process, one after the other."""
    run = uuid4().hex[:12]
    return [part(hosted(plan), one, folder, f"{name}-{place}-{run}{PARTS}") for place, one in enumerate(work)]


@dataclass(frozen=True, slots=True)
class StreamCounts:
    """What a batch brought to one stream.

    Attributes:
        records: how many there were.
        events: those that count.
        late: events below the watermark.
        duplicates: events whose identity was seen before.
        unusable: records that are no events.
        unlinked: values that name no individual.
        reasons: of a few records that are no events, place and reason.
    """

    records: int
    events: int
    late: int
    duplicates: int
    unusable: int
    unlinked: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostedBatch:
    """What a batch brought.

    Attributes:
        streams: by stream that had records, how many of what.
        matches: by query label, its rows in output order; none of those that tasks have written.
        written: by query label, rows that tasks have written for sinks.
        called: what rules call, as `rules.in_order` takes it.
        done: by rule, how much it has done for its rows.
        watermarks: by source stream, after the batch.
        read: by stream, what is told of its splits, in order of arrival.
        segments: by stream, what was written for the log.
        failures: by label, what stopped a query.
    """

    streams: Mapping[str, StreamCounts]
    matches: Mapping[str, pa.Table]
    written: Mapping[str, WrittenRows]
    called: Sequence[pa.Table]
    done: Mapping[str, Mapping[str, int]]
    watermarks: Watermarks
    read: Mapping[str, Sequence[SplitReport]]
    segments: Mapping[str, LogReport]
    failures: Failures

    @property
    def calls(self) -> pa.Table:
        """What rules call, in order."""
        return in_order(self.called)


Advance = Callable[[Mapping[str, StreamCounts], StreamMoments], Mapping[str, datetime]]
"""Says where watermarks of silent streams are moved, when it is known what a batch has and where its streams are."""

Targets = Callable[[str], RowTargets | None]
"""By query label, how its rows are written; `None`: they go to the driver."""

FEW_ROWS = 4_096
"""So many rows of all queries the driver puts together itself: to let tasks do it takes a job."""


class ShardedFlow:
    """Answers queries batch by batch; it goes on where the manifest of its folder says.

    Args:
        plan: the queries.
        folder: for the files of its tasks, which all of these reach: a path, or `s3://bucket/prefix`.
        run: runs tasks.
        tasks: how many shards are answered at the same time.
        state: where it goes on; `None`: where the manifest says.
        few: if queries that tasks could write have no more rows together than this, the driver puts them together.

    Raises:
        PipelineError: the folder is of other queries.
    """

    def __init__(
        self,
        plan: HostingPlan,
        folder: FolderPlace,
        run: TaskRunner = run_here,
        tasks: int = 2,
        state: HostingState | None = None,
        *,
        few: int = FEW_ROWS,
    ) -> None:
        self._plan, self._run, self._tasks, self._few = plan, run, tasks, few
        self._folder = folder_at(folder, plan.catalog.settings.s3.options)
        self._driver = uuid4().hex
        self._queries = hosted(plan)
        self.state = read_manifest(self._folder, plan.key) if state is None else state
        self._clocks = {
            name: StreamClock(self._queries, name, self.state.moments.get(name, (None, None)))
            for name in plan.catalog.annotators
        }

    def process(
        self, splits: Sequence[Split], *, ends: bool = False, advances: Mapping[str, datetime] | None = None
    ) -> HostedBatch:
        """Take a batch; with its return it counts.

        Args:
            splits: its records.
            ends: all streams end with it.
            advances: watermarks of silent streams, and where they are moved.

        Raises:
            PipelineError: another driver has gone on in the folder, or the storage does not answer.
            KaicepError: a query has failed. Either way the batch does not count, and this flow is of no more use.
        """
        try:
            found, state = self.answer(self.state.batch + 1, splits, lambda *_: advances or {}, ends=ends)
        except PipelineError as error:
            if not is_transient(error):  # what is missing, another driver may have removed
                require_newest(self._folder, self.state.batch)
            raise
        self._count(state)
        return found

    def _count(self, state: HostingState) -> None:
        """Write down what counts now, and remove what counted before."""
        commit(self._folder, state, self._driver)
        self.state = state

    def answer(
        self,
        batch: int,
        splits: Sequence[Split],
        advance: Advance,
        *,
        ends: bool = False,
        log: StoragePath | None = None,
        targets: Targets = lambda _: None,
        gone: Sequence[str] = (),
    ) -> tuple[HostedBatch, HostingState]:
        """Take a batch, which counts when the state counts that it leaves; another one is taken by another flow.

        Args:
            batch: its number.
            splits: its records.
            advance: says where watermarks of silent streams are moved.
            ends: all streams end with it.
            log: the folder of the log whose segments are written; `None`: none are.
            targets: how tasks write rows for sinks.
            gone: the names of files that count no more: tasks remove them, since that takes longer the larger they are.
        """
        read = self._read(batch, splits, gone)
        of_stream = {name: [r for r in read if r.split.stream == name] for name in {s.stream for s in splits}}
        ordered = {name: self._clocks[name].read(reports) for name, reports in of_stream.items()}
        identities = list(self._identities(of_stream, ordered))
        asked = [work for work in identities if not work.clear]
        judged: list[IdentityReport] = self._run(self._plan, identity_part, asked, self._folder, f"{batch:09}-identity")
        for name, reports in of_stream.items():
            own = [j.greatest for j in judged if j.stream == name]
            bounded = self._queries.is_bounded(name)
            self._clocks[name].pass_to([r.greatest for r in reports] if bounded else own)
        counts = {name: _counts(of_stream[name], [j for j in judged if j.stream == name]) for name in of_stream}
        moments = {name: clock.moments for name, clock in self._clocks.items()}
        for name, moment in advance(counts, moments).items():
            self._clocks[name].advance(moment)
        clocks = {name: clock.watermark for name, clock in self._clocks.items()}
        watermarks: Watermarks = dict.fromkeys(clocks, END_OF_TIME) if ends else clocks
        dropped = {name: [j.file for j in judged if j.stream == name] for name in of_stream}
        last = latest(clock.moments[0] for clock in self._clocks.values())
        parts = tuple(part for name in sorted(ordered) for part in ordered[name])
        failures = {label: why for report in read for label, why in report.failures.items()}
        shares = self._shares(failures)
        events = sum(count.events for count in counts.values())
        tasks: list[_Work] = [ShardWork(places, parts, dropped, watermarks, ends, last, events) for places in shares]
        if log is not None:
            tasks += [LogWork(name, ordered[name], dropped[name], log / folder_name(name)) for name in sorted(ordered)]
        tasks += [work for work in identities if work.clear]
        done = self._answered(batch, tasks)
        judged += [report for report in done if isinstance(report, IdentityReport)]
        segments = {report.stream: report for report in done if isinstance(report, LogReport)}
        answered = [report for report in done if isinstance(report, ShardReport)]
        failures |= {label: why for report in answered for label, why in report.failures.items()}
        rows, written, waiting = self._rows(batch, self._parts(answered, failures), targets)
        found = HostedBatch(
            counts,
            rows,
            written,
            list(self._calls(answered)),
            {rule: of for report in answered for rule, of in report.done.items()},
            watermarks,
            {name: sorted(of, key=lambda report: report.split.place) for name, of in of_stream.items()},
            segments,
            failures,
        )
        return found, self._state(batch, judged, answered, waiting)

    def _identities(
        self, read: Mapping[str, Sequence[SplitReport]], ordered: Mapping[str, tuple[ReadSplit, ...]]
    ) -> Iterator[IdentityWork]:
        """What is to be found out of identities, or written of them where all events of a stream count."""
        for name, parts in sorted(ordered.items()):
            clock = self._clocks[name]
            before, bound = (clock.moments, clock.watermark), clock.watermark_behind(read[name])
            clear = clock.is_clear(read[name])
            for shard in range(self._plan.shards if self._queries.is_bounded(name) else 1):
                seen = self.state.seen.get((name, shard), "")
                yield IdentityWork(name, shard, parts, *before, bound, seen, clear)

    def _answered(self, batch: int, tasks: Sequence[_Work]) -> list[_Report]:
        """The reports of tasks, in their order; these are dealt so that each core has some of each kind."""
        dealt = [place for first in reversed(range(self._tasks)) for place in range(first, len(tasks), self._tasks)]
        own = [tasks[place] for place in dealt]
        reports: list[_Report] = self._run(self._plan, answer_part, own, self._folder, f"{batch:09}-shard")
        return [report for _, report in sorted(zip(dealt, reports, strict=True), key=itemgetter(0))]

    def _read(self, batch: int, splits: Sequence[Split], gone: Sequence[str]) -> list[SplitReport]:
        """What is told of splits; and what earlier batches have left is removed beside."""
        if not splits:
            self._folder.remove(gone)
            return []
        work = [*splits, *([Sweep(tuple(gone))] if gone else [])]
        reports = self._run(self._plan, read_part, work, self._folder, f"{batch:09}-split")
        return [report for report in reports if report is not None]

    def _shares(self, failures: Failures) -> list[tuple[StatePlace, ...]]:
        """The shards of each task, each task with some of every query.

        Each query begins at another task, so that the shards of one hot key are not all answered by the same one.
        """
        known = {(place.unit, place.shard): place.file for place in self.state.states}
        shares: list[list[StatePlace]] = [[] for _ in range(self._tasks)]
        first = {unit.name: number for number, unit in enumerate(self._queries.units)}
        for unit, shard in self._queries.work:
            if not failures.keys() >= {*unit.labels}:
                place = StatePlace(known.get((unit.name, shard), ""), unit.name, shard)
                shares[(first[unit.name] + shard) % self._tasks].append(place)
        return [tuple(share) for share in shares if share]

    def _state(
        self,
        batch: int,
        judged: Sequence[IdentityReport],
        answered: Sequence[ShardReport],
        waiting: Mapping[str, str],
    ) -> HostingState:
        """What the next batch begins with."""
        return HostingState(
            self._plan.key,
            batch,
            {name: clock.moments for name, clock in self._clocks.items()},
            tuple(place for report in answered for place in report.states),
            {**self.state.seen, **{(j.stream, j.shard): j.file for j in judged}},
            told_together(told for report in answered for told in report.told),
            {label: unit.name for unit in self._queries.units if not unit.single for label in unit.labels},
            self._plan.shards,
            waiting,
            sets_together(told for report in answered for told in report.sets),
        )

    def _parts(self, answered: Sequence[ShardReport], failures: Failures) -> list[QueryParts]:
        """Where the rows of each query are; of units that have failed none counts, nor do those that wait."""
        found = []
        for unit in self._queries.units:
            for label in unit.labels:
                if label in failures:
                    continue
                own = [
                    (report.file, {part: count for part, count in report.rows.items() if part[:2] == (ROWS_OF, label)})
                    for report in answered
                ]
                files = [(file, tuple(parts)) for file, parts in own if parts]
                waiting = self.state.waiting.get(label)
                if waiting is not None:
                    files.insert(0, (waiting, ((label,),)))
                held = min((report.held[label] for report in answered if label in report.held), default=None)
                count = sum(count for _, parts in own for count in parts.values())
                found.append(QueryParts(label, unit.name, tuple(files), count, held))
        return found

    def _rows(
        self, batch: int, parts: Sequence[QueryParts], targets: Targets
    ) -> tuple[dict[str, pa.Table], dict[str, WrittenRows], dict[str, str]]:
        """By query, its rows as users see them, or those that tasks have written; and the file of those that wait."""
        written, waiting = self._written(batch, parts, targets)
        here = [query for query in parts if query.label not in written]
        files, rows, later = opened(self._folder, here), dict[str, pa.Table](), dict[str, pa.Table]()
        for query in here:
            found = found_rows(self._queries, query, files)
            rows[query.label] = found.rows
            later |= {} if found.waiting is None else {query.label: found.waiting}
        if later:
            name = f"{batch:09}-waiting-{uuid4().hex[:12]}{PARTS}"
            write_parts(self._folder, name, {(label,): table for label, table in later.items()})
            waiting |= dict.fromkeys(later, name)
        return rows, written, waiting

    def _written(
        self, batch: int, parts: Sequence[QueryParts], targets: Targets
    ) -> tuple[dict[str, WrittenRows], dict[str, str]]:
        """What tasks write for sinks, where that is much, and the files of rows that wait."""
        folder = self._folder
        if not isinstance(folder, LocalFolder):  # what is in a bucket no sink takes over
            return {}, {}
        asked = ((query, targets(query.label)) for query in parts if query.files)
        some = [replace(query, targets=own) for query, own in asked if own is not None]
        if sum(query.count for query in some) <= self._few:
            return {}, {}
        work = [RowWork(share) for share in shared_out(some, self._tasks)]
        reports: list[WritingReport] = self._run(self._plan, row_part, work, folder, f"{batch:09}-rows")
        written = {label: rows for report in reports for label, rows in report.written(folder).items()}
        return written, {label: report.file for report in reports for label in report.waiting}

    def _calls(self, answered: Sequence[ShardReport]) -> Iterable[pa.Table]:
        parts = {report.file: [part for part in report.rows if part[0] == CALLS_OF] for report in answered}
        files = [name for name, own in parts.items() if own]
        for tables in self._folder.each(lambda name: PartFile(self._folder, name).tables(parts[name]), files):
            yield from (table for table in tables if table is not None)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Files that count no more, by name."""

    files: tuple[str, ...]


def read_part(queries: HostedQueries, work: Split | Sweep, folder: SharedFolder, name: str) -> SplitReport | None:
    """Read a split, or remove files."""
    if isinstance(work, Sweep):
        folder.remove(work.files)
        return None
    return split_part(queries, work, folder, name)


def answer_part(queries: HostedQueries, work: _Work, folder: SharedFolder, name: str) -> _Report:
    """Answer shards, write what they are given to the log, or what was seen: each may be done while the others are."""
    match work:
        case LogWork():
            return log_part(queries, work, folder, name)
        case IdentityWork():
            return identity_part(queries, work, folder, name)
        case _:
            return shard_part(queries, work, folder, name)


def _counts(read: Sequence[SplitReport], judged: Sequence[IdentityReport]) -> StreamCounts:
    records, unusable = sum(r.records for r in read), sum(r.unusable for r in read)
    duplicates = sum(r.duplicates for r in read) + sum(j.duplicates for j in judged)
    late = sum(j.late for j in judged)
    reasons = tuple(reason for r in read for reason in r.reasons)
    return StreamCounts(
        records,
        records - unusable - duplicates - late,
        late,
        duplicates,
        unusable,
        sum(r.unlinked for r in read),
        reasons,
    )
