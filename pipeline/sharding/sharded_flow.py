"""A data flow in shards: what is read, what counts, what is answered are tasks; between them stands the driver.

It is told numbers and names of files. Whatever an attempt wrote that is not named in the manifest counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import uuid4

import pyarrow as pa

from ...cep import END_OF_TIME
from ...errors import PipelineError
from ...planner import Watermarks
from ...storage import FolderPlace, SharedFolder, folder_at, is_transient
from ..flow import CALLS
from .hosted_queries import HostedQueries, HostingPlan, StatePlace, hosted
from .hosting_state import PARTS, HostingState, commit, read_manifest, require_newest
from .identity_part import IdentityReport, IdentityWork, identity_part
from .part_file import PartFile, write_parts
from .row_merge import handed_over, merged_rows
from .shard_part import CALLS_OF, ROWS_OF, ShardReport, ShardWork, shard_part
from .split_part import Split, SplitReport, split_part
from .stream_clock import StreamClock, latest

__all__ = ["HostedBatch", "ShardedFlow", "StreamCounts", "TaskRunner", "run_here"]

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
        matches: by query label, its rows in output order.
        calls: what rules call, in order.
        done: by rule, how much it has done for its rows.
        watermarks: by source stream, after the batch.
    """

    streams: Mapping[str, StreamCounts]
    matches: Mapping[str, pa.Table]
    calls: pa.Table
    done: Mapping[str, Mapping[str, int]]
    watermarks: Watermarks


class ShardedFlow:
    """Answers queries batch by batch; it goes on where the manifest of its folder says.

    Args:
        plan: the queries.
        folder: for the files of its tasks, which all of these reach: a path, or `s3://bucket/prefix`.
        run: runs tasks.
        tasks: how many shards are answered at the same time.

    Raises:
        PipelineError: the folder is of other queries.
    """

    def __init__(self, plan: HostingPlan, folder: FolderPlace, run: TaskRunner = run_here, tasks: int = 2) -> None:
        self._plan, self._run, self._tasks = plan, run, tasks
        self._folder = folder_at(folder, plan.catalog.settings.s3.options)
        self._driver = uuid4().hex
        self._queries = hosted(plan)
        self.state = read_manifest(self._folder, plan.key)
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
            return self._processed(splits, advances or {}, ends=ends)
        except PipelineError as error:
            if not is_transient(error):  # what is missing, another driver may have removed
                require_newest(self._folder, self.state.batch)
            raise

    def _processed(self, splits: Sequence[Split], advances: Mapping[str, datetime], *, ends: bool) -> HostedBatch:
        batch = self.state.batch + 1
        before = {name: (clock.moments, clock.watermark) for name, clock in self._clocks.items()}
        read: list[SplitReport] = self._run(self._plan, split_part, splits, self._folder, f"{batch:09}-split")
        of_stream = {name: [r for r in read if r.split.stream == name] for name in {s.stream for s in splits}}
        ordered = {name: self._clocks[name].read(reports) for name, reports in of_stream.items()}
        bounds = {name: self._clocks[name].watermark_behind(reports) for name, reports in of_stream.items()}
        work = [
            IdentityWork(name, shard, parts, *before[name], bounds[name], self.state.seen.get((name, shard), ""))
            for name, parts in sorted(ordered.items())
            for shard in range(self._plan.shards if self._queries.is_bounded(name) else 1)
        ]
        judged: list[IdentityReport] = self._run(self._plan, identity_part, work, self._folder, f"{batch:09}-identity")
        for name, reports in of_stream.items():
            own = [j.greatest for j in judged if j.stream == name]
            bounded = self._queries.is_bounded(name)
            self._clocks[name].pass_to([r.greatest for r in reports] if bounded else own)
        for name, moment in advances.items():
            self._clocks[name].advance(moment)
        clocks = {name: clock.watermark for name, clock in self._clocks.items()}
        watermarks: Watermarks = dict.fromkeys(clocks, END_OF_TIME) if ends else clocks
        dropped = {name: [j.file for j in judged if j.stream == name] for name in of_stream}
        last = latest(clock.moments[0] for clock in self._clocks.values())
        parts = tuple(part for name in sorted(ordered) for part in ordered[name])
        tasks = [ShardWork(places, parts, dropped, watermarks, ends, last) for places in self._shares()]
        answered: list[ShardReport] = self._run(self._plan, shard_part, tasks, self._folder, f"{batch:09}-shard")
        rows, waiting = self._rows(answered)
        found = HostedBatch(
            {name: _counts(of_stream[name], [j for j in judged if j.stream == name]) for name in of_stream},
            rows,
            self._calls(answered),
            {rule: counts for report in answered for rule, counts in report.done.items()},
            watermarks,
        )
        self._commit(batch, judged, answered, self._noted(batch, waiting))
        return found

    def _shares(self) -> list[tuple[StatePlace, ...]]:
        """The shards of each task, each task with some of every query.

        Each query begins at another task, so that the shards of one hot key are not all answered by the same one.
        """
        known = {(place.unit, place.shard): place.file for place in self.state.states}
        shares: list[list[StatePlace]] = [[] for _ in range(self._tasks)]
        first = {unit.name: number for number, unit in enumerate(self._queries.units)}
        for unit, shard in self._queries.work:
            place = StatePlace(known.get((unit.name, shard), ""), unit.name, shard)
            shares[(first[unit.name] + shard) % self._tasks].append(place)
        return [tuple(share) for share in shares if share]

    def _commit(
        self, batch: int, judged: Sequence[IdentityReport], answered: Sequence[ShardReport], waiting: str
    ) -> None:
        """Write down what counts now, and remove what counted before."""
        after = HostingState(
            self._plan.key,
            batch,
            {name: clock.moments for name, clock in self._clocks.items()},
            tuple(place for report in answered for place in report.states),
            {**self.state.seen, **{(j.stream, j.shard): j.file for j in judged}},
            waiting,
        )
        commit(self._folder, after, self._driver)
        self.state = after

    def _rows(self, answered: Sequence[ShardReport]) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
        """The rows of each query as users see them, those of its shards in output order; and those that wait."""
        tables, later = self._waiting(), dict[str, pa.Table]()
        for label, table in self._tables(answered, ROWS_OF):
            tables.setdefault(label, []).append(table)
        for unit in self._queries.units:
            for label, flow in self._queries.flows(unit).items() if unit.single or unit.key is not None else ():
                rows = merged_rows(tables.get(label, [flow.no_rows]))
                first = min((report.held[label] for report in answered if label in report.held), default=None)
                if first is not None:
                    rows, others = handed_over(rows, first)
                    later |= {label: others} if others.num_rows else {}
                tables[label] = [flow.visible(rows) if rows.num_rows else flow.no_visible_rows]
        return {label: rows for label, (rows,) in tables.items()}, later

    def _waiting(self) -> dict[str, list[pa.Table]]:
        """By query, the rows that wait for those of other shards."""
        if not self.state.waiting:
            return {}
        with PartFile(self._folder, self.state.waiting) as file:
            names = list(file)
            return {str(name[0]): [rows] for name, rows in zip(names, file.tables(names), strict=True)}

    def _noted(self, batch: int, waiting: Mapping[str, pa.Table]) -> str:
        """The name of the file of rows that wait; empty: none does."""
        if not waiting:
            return ""
        name = f"{batch:09}-waiting-{uuid4().hex[:12]}.parts"
        write_parts(self._folder, name, {(label,): rows for label, rows in waiting.items()})
        return name

    def _calls(self, answered: Sequence[ShardReport]) -> pa.Table:
        """What rules call: all of them are in one unit."""
        return next((table for _, table in self._tables(answered, CALLS_OF)), CALLS.empty_table())

    def _tables(self, answered: Sequence[ShardReport], kind: str) -> Iterable[tuple[str, pa.Table]]:
        for report in answered:
            names = [part for part in report.rows if part[0] == kind]
            if names:
                with PartFile(self._folder, report.states[0].file) as file:
                    yield from ((str(name[1]), t) for name, t in zip(names, file.tables(names), strict=True))


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
