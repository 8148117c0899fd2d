"""What it costs to answer in shards: CPU seconds of the tasks and of the driver, beside one place, in one run.

    python -m benchmarks.shards [--sizes 20000 200000 1000000] [--shards 2] [--batches 4] [--rounds 3]

The paper's seven queries over workload W, from the same Parquet files (two splits a batch): once as one data flow
answers them, once as tasks with files between them (`pipeline/sharding`), all in this process, so that nothing of Spark
is in the figures. The first batch is not timed: it compiles queries and fills caches. The rows of both are compared.
Rounds take turns, and of each size the one in the middle is told. Let POLARS_MAX_THREADS be 1, as executors have it.
*Rows* is what it takes to put the rows of shards together, *manifest* what writing that takes and the removal
of files that no longer count, *driver* what is left then: prefix maxima, names.

Writes `shards.json` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from kaicep import Project
from kaicep.pipeline.flow import RowTargets, WrittenRows
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding.hosted_queries import HostingPlan
from kaicep.pipeline.sharding.hosting_state import HostingState
from kaicep.pipeline.sharding.rows import QueryParts
from kaicep.pipeline.sharding.sharded_flow import ShardedFlow, run_here
from kaicep.pipeline.sharding.split_part import Split
from kaicep.pipeline.sources.recorded_files import read_file
from kaicep.storage import BucketPath, SharedFolder

from .path import CAMPUS, ROOT, workload
from .report import Bar, at_most, end, keep, machine_with
from .semantic_stages import STREAM, Workload, campus_project, clock

SPLITS = 2
MOST_TIMES, MOST_DRIVER_MS = 2.0, 20.0


@dataclass(frozen=True, slots=True)
class Taken:
    """CPU seconds of all batches of a size but the first, and what came out.

    Attributes:
        rows: raw tuples of a batch.
        one_place: of one data flow, reading and annotating included.
        tasks: by kind of task, of all of them.
        merging: of putting rows together.
        committing: of the manifest, and of the removal of files, whose pages the system has to free.
        driver: of the driver between all of that.
        bytes_between: that the tasks of the last batch have left in files.
        matches: how many rows both have found.
    """

    rows: int
    one_place: float
    tasks: dict[str, float]
    merging: float
    committing: float
    driver: float
    bytes_between: int
    matches: int

    @property
    def times(self) -> float:
        """How many times the CPU of one place shards take."""
        return (self.driver + self.merging + self.committing + sum(self.tasks.values())) / self.one_place


class TimedFlow(ShardedFlow):
    """One that says how long it has put rows together, and let batches count."""

    merging = committing = 0.0

    def _count(self, state: HostingState) -> None:
        began = clock()
        super()._count(state)
        self.committing += clock() - began

    def _rows(
        self, batch: int, parts: Sequence[QueryParts], targets: Callable[[str], RowTargets | None]
    ) -> tuple[dict[str, pa.Table], dict[str, WrittenRows], dict[str, str]]:
        began = clock()
        rows = super()._rows(batch, parts, targets)
        self.merging += clock() - began
        return rows


def written(folder: Path, batches: Sequence[pa.Table]) -> list[list[Split]]:
    """Each batch as splits."""
    found = []
    for number, batch in enumerate(batches):
        size = -(-batch.num_rows // SPLITS)
        paths = [folder / f"{number}-{place}.parquet" for place in range(SPLITS)]
        for place, path in enumerate(paths):
            pq.write_table(batch.slice(place * size, size), path)
        found.append([Split(STREAM, place, path) for place, path in enumerate(paths)])
    return found


def measured(project: Project, batches: Sequence[pa.Table], shards: int) -> Taken:
    """Both ways."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((CAMPUS / "queries").glob("query*.chi"))]
    queries = [Registration(project.compile(text)[-1], f"Q{number}") for number, text in enumerate(texts, 1)]
    with tempfile.TemporaryDirectory(prefix="kaicep-shards-") as scratch:
        splits = written(Path(scratch), batches)
        parts = Path(scratch) / "parts"
        parts.mkdir()
        one_place, expected = _in_one_place(project, queries, splits)
        tasks: dict[str, float] = {}

        def timed(plan: HostingPlan, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
            began = clock()
            reports = run_here(plan, part, work, folder, name)
            tasks[part.__name__] = tasks.get(part.__name__, 0.0) + clock() - began
            return reports

        flow = TimedFlow(HostingPlan(f"{id(batches)}", project, tuple(queries), shards), parts, timed, SPLITS)
        seconds, found = 0.0, 0
        for number, batch in enumerate(splits):
            gc.collect()
            if number == 1:
                tasks.clear()
                seconds = flow.merging = flow.committing = 0.0
            began = clock()
            found += sum(table.num_rows for table in flow.process(batch).matches.values())
            seconds += clock() - began
        between = sum(path.stat().st_size for path in parts.glob(f"{len(splits) - 1:09}-*"))
    if found != expected:
        raise SystemExit(f"{found} rows in shards, {expected} in one place")
    driver = seconds - sum(tasks.values()) - flow.merging - flow.committing
    return Taken(batches[0].num_rows, one_place, tasks, flow.merging, flow.committing, driver, between, found)


def _in_one_place(
    project: Project, queries: Sequence[Registration], splits: Sequence[Sequence[Split]]
) -> tuple[float, int]:
    flow, stream = project.dataflow(), project.settings.streams[STREAM]
    for query in queries:
        flow.register(query)
    seconds, found = 0.0, 0
    for number, batch in enumerate(splits):
        gc.collect()
        began = clock()
        files = [split.records for split in batch if not isinstance(split.records, BucketPath)]
        raw = pa.concat_tables([read_file(file, stream).table for file in files])
        result = flow.process(live_batch(flow.annotators, {STREAM: raw}))
        found += sum(table.num_rows for table in result.matches.values())
        seconds += (clock() - began) * bool(number)
    return seconds, found


def bars_of(found: Sequence[Taken], batches: int) -> list[Bar]:
    """How much more shards take, and what of that is the driver's whatever the rows."""
    largest = max(found, key=lambda t: t.rows)
    driver_ms = 1_000 * largest.driver / (batches - 1)
    return [
        at_most(f"CPU of shards, times one place, {largest.rows:,} rows a batch", largest.times, MOST_TIMES),
        at_most(f"CPU of the driver, ms a batch, {largest.rows:,} rows", driver_ms, MOST_DRIVER_MS),
    ]


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 200_000, 1_000_000])
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--batches", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    machine = machine_with("polars", "pyarrow")
    folder = workload(1_000_000)
    project = campus_project([ROOT / "ontologies" / "campus" / "*.ttl", folder / "kb.ttl", CAMPUS / "workload.ttl"])
    source = Workload(folder)
    found = []
    for size in arguments.sizes:
        batches = source.batches(size, arguments.batches)
        rounds = [measured(project, batches, arguments.shards) for _ in range(arguments.rounds)]
        found.append(sorted(rounds, key=lambda one: one.times)[len(rounds) // 2])
        one = found[-1]
        said = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in one.tasks.items())
        each = ", ".join(f"{other.times:.2f}" for other in rounds)
        print(
            f"{size:>9,} rows a batch: one place {one.one_place:.3f} s; {said}, rows {one.merging:.3f} s, "
            f"manifest {one.committing:.3f} s, driver {one.driver:.3f} s; "
            f"{one.times:.2f} times (of {each}); {one.bytes_between:,} bytes between tasks; {one.matches:,} rows",
            flush=True,
        )
    bars = bars_of(found, arguments.batches)
    print("\nbars:", *(bar.line for bar in bars), sep="\n")
    keep("shards", {"machine": machine, "shards": arguments.shards, "results": [asdict(t) for t in found]}, bars)
    end(bars)


if __name__ == "__main__":
    main()
