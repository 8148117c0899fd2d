"""An engine in a process of its own, whose batches executors answer, some of which are ended on the way.

Its folder has `job.json`: the master (`cluster`: one is started), the document, the kills, each what is ended and a
seed, and perhaps a bucket that has the sources and takes the log and what tasks share. Each kill has a project of its
own, in a folder that is there. For each a line of JSON is printed: what was ended, and how many batches the engine has
done.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

from kaicep import Engine, Project
from kaicep.config import EngineSettings
from kaicep.examples.cluster import cluster
from kaicep.pipeline.distribution import ExecutorHosting
from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.storage import BucketFolder, S3Options

from .keyed import STREAMS
from .spark_cluster import SMALL, Killer

__all__ = ["project_in"]

SECONDS = 5.0


def project_in(folder: Path, lake: BucketFolder | None = None) -> Project:
    """The project of a folder, whose streams have files there, or objects in a bucket that has its log as well."""
    place = "in" if lake is None else f"{lake}/{folder.name}/in"
    sources = {name: {"format": "json", "path": f"{place}/{name}", "maxFilesPerTrigger": 3} for name in STREAMS}
    streams: dict[str, Any] = {name: {**of, "source": sources[name]} for name, of in STREAMS.items()}
    content: dict[str, Any] = {"archive": {"store": False}, "engine": {"hosting": "executors"}}
    if lake is not None:
        content["archive"]["log"] = f"{lake}/{folder.name}/kept"
        content["engine"]["shared"] = f"{lake}/{folder.name}/shared"
        content["s3"] = {"endpoint": lake.options.endpoint, "region": lake.options.region, "allow_http": True}
    return Project.parse({"streams": streams, **content}, root=folder)


def main(folder: Path) -> None:
    """Do what the folder says."""
    ExecutorHosting.few = 0  # tasks write all rows
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    lake = job.get("lake")
    lake = None if lake is None else BucketFolder(lake["bucket"], lake["prefix"], S3Options(*lake["options"]))
    with cluster(folder) if job["master"] == "cluster" else nullcontext(job["master"]) as master:
        spark = start_spark(EngineSettings(master=master, spark=SMALL))
        try:
            for place, (what, seed) in enumerate(job["kills"]):
                own = folder / str(place)
                engine = Engine(project_in(own, lake), spark=spark, sinks=[JsonLinesSink(own / "rows.jsonl")])
                killer = nullcontext(None) if what is None else Killer(what, Random(seed), SECONDS)
                with killer as ended, engine:
                    engine.submit(job["text"], collect=False)
                    engine.run_available()
                    engine.finish()
                    told = {"killed": [] if ended is None else ended.killed, "batches": engine.progress.batches}
                print(json.dumps(told), flush=True)  # noqa: T201  # what the test reads
        finally:
            stop_spark(spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
