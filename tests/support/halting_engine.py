"""An engine in a process of its own, which executors of a cluster answer and which waits at halts.

Its folder has `job.json` with the master and Spark's settings, the halts, and the files of the streams. Each run leaves
`done.jsonl`, a line for each batch: its number, and when it was done; and at its end `counted.json`. Behind the end of
one whose batches executors answer, the same session answers the same files once more, on the driver, where nobody
waits.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from pathlib import Path

from kaicep import Engine, Project
from kaicep.config import EngineSettings
from kaicep.pipeline.distribution import ExecutorHosting
from kaicep.pipeline.durability import Progress
from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from pyspark.sql import SparkSession

from .halts import Halts, halting
from .keyed import STREAMS
from .processes import TESTS
from .spark_cluster import SMALL

__all__ = ["DRIVER", "FILES_A_BATCH", "TASKS"]

DRIVER, TASKS = "driver", "executors"
"""The folders of both runs, called as who answers."""
FILES_A_BATCH = 2
TEXT = """
CREATE QUERY busy AS SELECT ?e.car AS car, COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 4s) GROUP BY ?e.car;
CREATE QUERY pairs AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) JOIN (?a.car = ?b.car)
  SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
SELECT ?e.id AS id, ?e.v AS v FROM (?e, Q) FILTER (?e.v > 6)
"""


def _project(folder: Path, hosting: str) -> Project:
    """The project of a run, over files that lie beside it."""
    streams = {
        name: {**of, "source": {"format": "json", "path": f"../in/{name}", "maxFilesPerTrigger": FILES_A_BATCH}}
        for name, of in STREAMS.items()
    }
    content = {"streams": streams, "archive": {"store": False}, "engine": {"hosting": hosting}}
    return Project.parse(content, root=folder / hosting)


def _run(folder: Path, hosting: str, spark: SparkSession) -> None:
    """Answer all that there is."""
    own = folder / hosting
    own.mkdir(exist_ok=True)
    with (own / "done.jsonl").open("a", encoding="utf-8") as done:

        def tell(progress: Progress) -> None:
            print(json.dumps([progress.batches, time.monotonic()]), file=done, flush=True)

        with (
            closing(JsonLinesSink(own / "rows.jsonl")) as rows,
            Engine(_project(folder, hosting), spark=spark, sinks=[rows], on_batch=tell) as engine,
        ):
            engine.submit(TEXT, collect=False)
            engine.run_available()
            engine.finish()
            counts = engine.progress.streams, engine.progress.matches
    (own / "counted.json").write_text(repr(counts), encoding="utf-8")


def main(folder: Path) -> None:
    """Do what the folder says."""
    ExecutorHosting.few = 0  # tasks write all rows
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    settings = {**SMALL, "spark.executorEnv.PYTHONPATH": str(TESTS), **job["spark"]}
    spark = start_spark(EngineSettings(master=job["master"], spark=settings))
    try:
        with halting(Halts(folder / "halts")):
            _run(folder, TASKS, spark)
        _run(folder, DRIVER, spark)
    finally:
        stop_spark(spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
