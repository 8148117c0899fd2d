"""A driver in a process of its own: answers a document on executors, some of which are ended on the way.

Its folder has `job.json`: the master (`cluster`: one is started), the document, the files by stream, the kills, each
what is ended and a seed. For each kill the rows are printed as a line of JSON, and what was ended.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random

from kaicep import Project
from kaicep.config import EngineSettings
from kaicep.examples.cluster import cluster
from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark

from .keyed import STREAMS
from .spark_cluster import SMALL, Killer

SECONDS = 6.0


def main(folder: Path) -> None:
    """Do what the folder says."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    project = Project.parse({"streams": STREAMS})
    with cluster(folder) if job["master"] == "cluster" else nullcontext(job["master"]) as master:
        spark = start_spark(EngineSettings(master=master, spark=SMALL))
        try:
            for what, seed in job["kills"]:
                killer = nullcontext(None) if what is None else Killer(what, Random(seed), SECONDS)
                with killer as ended:
                    rows = project.evaluate(job["text"], job["files"], spark=spark, folder=folder)
                told = {"killed": [] if ended is None else ended.killed, "rows": list(rows)}
                print(json.dumps(told, default=str), flush=True)  # noqa: T201  # what the test reads
        finally:
            stop_spark(spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
