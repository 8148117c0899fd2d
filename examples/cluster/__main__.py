"""Starts a cluster of this machine, lets its executors answer the seven queries, and tells what each has done.

python -m kaicep.examples.cluster [FOLDER]
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ... import Engine, JsonLinesSink, KaicepError, Project
from ...pipeline import query_files
from ...pipeline.durability import Progress
from . import cluster, prepare

ROWS = "matches.jsonl"


class Told:
    """Prints a line for each batch.

    Attributes:
        rates: of the batches, events a second.
    """

    def __init__(self) -> None:
        self.rates: list[float] = []
        self._records, self._at = 0, time.monotonic()

    def __call__(self, progress: Progress) -> None:
        """A batch is done."""
        records, seconds = progress.records - self._records, time.monotonic() - self._at
        self._records, self._at = progress.records, self._at + seconds
        if records:
            self.rates.append(records / seconds)
            print(f"batch {progress.batches}: {records:,} events in {seconds:.1f} s", flush=True)


def run(folder: Path, events: int, batches: int, workers: int) -> None:
    """Do all of it in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    print(f"a master and {workers} worker(s) of one core; their log is {folder / 'cluster.log'}", flush=True)
    with cluster(folder, workers) as master:
        project = Project.load(prepare(folder, 2 * batches, master, events))
        print(f"{master}; {events:,} readings in {2 * batches} files", flush=True)
        told = Told()
        with Engine(project, sinks=[JsonLinesSink(folder / ROWS)], on_batch=told) as engine:
            for path in query_files(project.settings):
                engine.submit(path.read_text(encoding="utf-8"), label=path.stem, collect=False)
            engine.run_available()
            engine.finish()
            _sum_up(engine, told, folder)


def _sum_up(engine: Engine, told: Told, folder: Path) -> None:
    print(f"\nhosting: {engine.hosting}; rows are in {folder / ROWS}")
    for label, rows in engine.progress.matches.items():
        print(f"  {label:<12}{rows:>12,} rows")
    print(f"  {max(told.rates, default=0):,.0f} events/s in the fastest batch; the first one waits for executors")
    print("\nexecutor                        seconds  tasks  files     records  shards   logged")
    for name, own in engine.executors.items():
        print(
            f"{name:<30}{own.seconds:>9.1f}{own.tasks:>7,}{own.splits:>7,}{own.records:>12,}"
            f"{own.shards:>8,}{own.logged:>9,}"
        )


def main(
    folder: Annotated[
        Path | None, typer.Argument(help="For project, log and rows; by default gone at the end.")
    ] = None,
    events: Annotated[int, typer.Option(min=1, help="How many readings.")] = 1_000_000,
    batches: Annotated[int, typer.Option(min=1, help="How many batches, of two files each.")] = 10,
    workers: Annotated[int, typer.Option(min=1, max=8, help="How many workers, of one core each.")] = 2,
) -> None:
    """Start a standalone cluster on this machine, and let its executors answer the seven queries."""
    if folder is not None and (folder / "kaicep.toml").exists():
        sys.exit(f"{folder} has a project: name a new folder")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the cluster is ended then, too
    place = tempfile.TemporaryDirectory(prefix="kaicep-cluster-") if folder is None else nullcontext(str(folder))
    with place as path:
        try:
            run(Path(path), events, batches, workers)
        except KaicepError as error:
            sys.exit(str(error))
        except KeyboardInterrupt:
            sys.exit("stopped: the batch that was done last counts, the cluster is ended")


if __name__ == "__main__":
    typer.run(main)
