"""A document answered in shards, beside the same data flow in one place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.flow.batch import Batch, live_batch
from kaicep.pipeline.flow.batch_result import BatchResult
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding.hosted_queries import HostingPlan
from kaicep.pipeline.sharding.sharded_flow import HostedBatch, ShardedFlow, TaskRunner, run_here
from kaicep.pipeline.sharding.split_part import Split
from kaicep.pipeline.sources.recorded_files import read_file
from kaicep.storage import LocalFolder, SharedFolder

__all__ = ["SideBySide", "plan_of", "split_anywhere"]

Tuples = Sequence[Mapping[str, Any]]


def plan_of(catalog: Catalog, text: str, shards: int) -> HostingPlan:
    """The plan of a document; each of its own."""
    queries = catalog.compile(text)
    registrations = tuple(Registration(q, q.called or f"query-{i}") for i, q in enumerate(queries))
    return HostingPlan(f"{id(catalog)} {shards} {text}", catalog, registrations, shards)


def split_anywhere(rng: Random, batch: Mapping[str, Tuples]) -> dict[str, list[Tuples]]:
    """The records of each stream in up to four splits, some of them empty."""
    cut = {}
    for name, rows in batch.items():
        places = sorted(rng.randrange(len(rows) + 1) for _ in range(rng.randrange(4)))
        cut[name] = [rows[start:end] for start, end in zip([0, *places], [*places, len(rows)], strict=True)]
    return cut


class SideBySide:
    """The same batches through a data flow, and through shards.

    Args:
        plan: what is asked.
        folder: for files.
        rng: says how batches are split, and when the driver begins anew.
        run: runs tasks.
        parts: for the files of tasks; by default there.
    """

    def __init__(
        self,
        plan: HostingPlan,
        folder: Path,
        rng: Random,
        run: TaskRunner = run_here,
        parts: SharedFolder | None = None,
    ) -> None:
        self._plan, self._folder, self._rng, self._run = plan, folder, rng, run
        self._parts = LocalFolder(folder).inside("parts") if parts is None else parts
        self._flow: Dataflow = plan.catalog.dataflow()
        for registration in plan.registrations:
            self._flow.register(registration)
        self._sharded = ShardedFlow(plan, self._parts, run)
        self._files = 0
        self.rows = 0

    def take(self, batch: Mapping[str, Tuples], *, ends: bool = False) -> None:
        """Let both take a batch, and compare all that it brings."""
        cut = split_anywhere(self._rng, batch)
        splits = [
            Split(name, place, self._file(rows))
            for name, several in cut.items()
            for place, rows in enumerate(several)
            if rows or self._rng.random() < 0.5
        ]
        self._rng.shuffle(splits)
        if self._rng.random() < 0.3:
            self._sharded = ShardedFlow(self._plan, self._parts, self._run)
        compare(self._sharded.process(splits, ends=ends), self._in_one_place(batch, ends=ends), self._plan)
        self.rows += sum(table.num_rows for table in self._latest.values())

    def _in_one_place(self, batch: Mapping[str, Tuples], *, ends: bool) -> BatchResult:
        streams = self._plan.catalog.settings.streams
        raw = {name: read_file(self._file(rows), streams[name]).table for name, rows in batch.items() if rows}
        live = live_batch(self._flow.annotators, raw)
        result = self._flow.process(Batch(live.events, ends=ends))
        self._latest = result.matches
        return result

    def _file(self, rows: Tuples) -> Path:
        self._files += 1
        path = self._folder / f"{self._files}.json"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path


def compare(sharded: HostedBatch, result: BatchResult, plan: HostingPlan) -> None:
    """Let both be equal: rows, their order, types and ids, calls, watermarks, counts."""
    matches = result.matches
    for registration in plan.registrations:
        label = registration.label
        own, other = sharded.matches.get(label), matches[label]
        if own is None:
            assert not other.num_rows, f"{label} has no rows instead of {other.to_pylist()}"
            continue
        assert own.to_pylist() == other.to_pylist() or _shown(own) == _shown(other), label
        assert own.schema == other.schema
    assert _shown(sharded.calls) == _shown(result.calls)
    assert sharded.watermarks == result.watermarks
    for name, stream in result.streams.items():
        counts = sharded.streams[name]
        assert counts.late == stream.late.num_rows
        assert counts.duplicates == stream.duplicates
        assert counts.events == stream.events.num_rows
        assert counts.unusable == stream.rejected.num_rows
        assert counts.unlinked == stream.unlinked


def _shown(table: pa.Table) -> list[str]:
    """Rows as text: NaN equals itself."""
    return [repr(row) for row in table.to_pylist()]
