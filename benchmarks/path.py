"""The whole path against an empty Spark job: events per second of both, in one run.

    python -m benchmarks.path [--events 1000000] [--rounds 3]

The same Spark session reads the same Parquet files (100,000 rows a batch) twice per round: once into
`foreachBatch(lambda batch, _: batch.toArrow())`, once through the engine with the paper's seven queries, matches
to Parquet, archive off. The number of rows of each query is compared with the workload's exact answers.

Writes `path.json` to `benchmarks/results/` after a million events, and ends with 1 when the bar is
missed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kaicep import Engine, Project
from kaicep.config import EngineSettings, Settings
from kaicep.pipeline.hosting.spark_session import start_spark
from kaicep.pipeline.sinks.parquet_sink import ParquetSink
from pyspark.sql import SparkSession

from .report import at_least, end, keep, machine_with

ROOT = Path(__file__).resolve().parent.parent
CAMPUS = ROOT / "examples" / "campus"
EVENTS = 1_000_000
ROWS_A_BATCH = 100_000
SEED = 7
SENSORS = 1_000


def workload(events: int) -> Path:
    """The folder of workload W, generated once."""
    folder = ROOT / ".cache" / f"workload-w-{events}-{SEED}"
    if not (folder / "expected.json").exists():
        files = max(1, events // ROWS_A_BATCH)
        arguments = ["--events", events, "--sensors", SENSORS, "--seed", SEED, "--files", files]
        command = [sys.executable, "-m", "kaicep.examples.campus.workload_w", str(folder), *map(str, arguments)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def project(data: Path, state: Path) -> Project:
    """The campus project over the workload's knowledge and files."""
    campus = Settings.load(CAMPUS)
    stream = campus.streams["airflowReport"].model_dump(exclude_unset=True)
    source = {"format": "parquet", "path": str(data / "parquet"), "maxFilesPerTrigger": 1}
    sensor = {"property": "evt:hasSource", "individual": "ee:{}"}
    modules = [ROOT / "ontologies" / "campus" / "*.ttl", data / "kb.ttl", CAMPUS / "workload.ttl"]
    attributes = stream["attributes"] | {"sensorID": sensor}
    return Project.parse(
        {
            "prefixes": campus.prefixes,
            "knowledge": {"modules": [str(path) for path in modules]},
            "streams": {"airflowReport": stream | {"source": source, "attributes": attributes, "lateness": "0s"}},
            "archive": {"enabled": False},
            "engine": {"state": str(state / "state")},
        }
    )


def empty_job(spark: SparkSession, data: Path, scratch: Path) -> float:
    """Seconds that Spark takes to bring every batch to the driver as Arrow, and nothing else."""
    schema = spark.read.parquet(str(data / "parquet")).schema
    frame = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(data / "parquet"))
    began = time.perf_counter()
    writer = frame.writeStream.foreachBatch(lambda batch, _: batch.toArrow() and None)
    writer.trigger(availableNow=True).option("checkpointLocation", str(scratch)).start().awaitTermination()
    return time.perf_counter() - began


def engine_job(spark: SparkSession, data: Path, scratch: Path) -> tuple[float, dict[str, int]]:
    """Seconds of the same files through the engine, and the rows of each query."""
    sink = ParquetSink(scratch / "matches")
    with Engine(project(data, scratch), spark=spark, sinks=[sink]) as engine:
        for path in sorted((CAMPUS / "queries").glob("query*.chi")):
            engine.submit(path.read_text(encoding="utf-8"), label=path.name, collect=False)
        began = time.perf_counter()
        engine.run_available()
        seconds = time.perf_counter() - began
        engine.finish()
        return seconds, dict(engine.progress.matches)


def main() -> None:
    """Print both rates and their ratio, round by round and as medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    data = workload(arguments.events)
    expected = json.loads((data / "expected.json").read_text())
    print(f"workload W: {arguments.events:,} events, {SENSORS:,} sensors, seed {SEED}, {ROWS_A_BATCH:,} rows a batch")
    machine = machine_with("pyspark", "pyarrow", "polars")
    spark = start_spark(EngineSettings())
    empty: list[float] = []
    whole: list[float] = []
    for number in range(arguments.rounds + 1):
        scratch = Path(tempfile.mkdtemp(prefix="kaicep-bench-"))
        bare = empty_job(spark, data, scratch / "empty")
        seconds, matches = engine_job(spark, data, scratch)
        shutil.rmtree(scratch)
        check(matches, expected)
        if number == 0:
            continue  # warms the JVM and the file cache
        empty.append(arguments.events / bare)
        whole.append(arguments.events / seconds)
        print(
            f"round {number}: empty job {empty[-1]:>11,.0f} events/s, "
            f"seven queries {whole[-1]:>11,.0f} events/s, ratio {whole[-1] / empty[-1]:.2f}"
        )
    spark.stop()
    ratio = statistics.median(w / e for w, e in zip(whole, empty, strict=True))
    print(
        f"median:  empty job {statistics.median(empty):>11,.0f} events/s, "
        f"seven queries {statistics.median(whole):>11,.0f} events/s, ratio {ratio:.2f}"
    )
    bars = [at_least("seven queries : empty job, events/s, median of the rounds", ratio, 0.6)]
    print(bars[0].line)
    if arguments.events == EVENTS:
        found = {"machine": machine, "empty": empty, "seven_queries": whole, "ratio": ratio, "matches": matches}
        keep("path", found, bars)
    end(bars)


def check(matches: dict[str, int], expected: dict[str, int]) -> None:
    """Stop when a query does not have the workload's exact number of rows."""
    wrong = {n: (rows, expected[f"Q{n[-1]}"]) for n, rows in matches.items() if rows != expected[f"Q{n[-1]}"]}
    if wrong:
        sys.exit(f"wrong number of rows (found, expected): {wrong}")


if __name__ == "__main__":
    main()
