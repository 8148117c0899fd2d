"""The Spark session: started quietly, with the settings that make micro-batches fast."""

from __future__ import annotations

import logging
import os
import pwd
import re
import signal
import sys
import threading
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

from ...config import EngineSettings
from ...errors import PipelineError
from .spark_java import cache_folder, use_java

__all__ = ["configuration", "start_spark", "stop_spark"]

_LOGGING = """\
# Made by kaicep: Spark says only what went wrong, on stderr.
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yy/MM/dd HH:mm:ss} %p %c{1}: %m%n%ex{short}
# Told its level, Spark's Python gateway does not announce one.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
# A failed batch is told once, by kaicep; these would add Java's and Python's traces.
logger.streaming.name = org.apache.spark.sql.execution.streaming
logger.streaming.level = off
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
# A stop amid a batch interrupts a broadcast of a file's list; that is no error.
logger.broadcast.name = org.apache.spark.broadcast
logger.broadcast.level = off
"""

_LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")
_ATTEMPTS = 4

# Java plans, reads, and hands bytes to Python. Most of what it takes in the first hundreds of batches would be its
# second compiler's, which pays off after days and competes with batches for processors (docs/decisions/111, 289).
_ONE_COMPILER = "-XX:TieredStopAtLevel=1"

# Forks no process per log file as the default manager does: an empty micro-batch takes 37 ms instead of 75.
_CHECKPOINTS = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

# Spark lists the folders of its notes, of batches and of the files in them, in each batch, and looks at every file; it
# would leave ten minutes of them there. A start asks for the last two batches (docs/decisions/378).
_FEW_NOTES = {
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.fileSource.log.cleanupDelay": "10s",
}


def configuration(settings: EngineSettings, logging: Path) -> dict[str, str]:
    """Spark's configuration, key by key; what the project's `[engine.spark]` says comes last and wins.

    Args:
        settings: of the engine.
        logging: what Java's logging is told.
    """
    # -Xss4m: a stop during a batch lets Spark match a long trace against a recursive regular expression.
    java = f"-Xss4m -Dlog4j2.configurationFile={logging.as_uri()}"
    local = settings.master.startswith("local")
    hosted = settings.hosting == "executors"
    if local or hosted:
        java += f" {_ONE_COMPILER}"
    return {
        "spark.driver.extraJavaOptions": java,
        "spark.sql.streaming.checkpointFileManagerClass": _CHECKPOINTS,
        **_FEW_NOTES,
        "spark.sql.session.timeZone": "UTC",
        # Names are RDF's: `Flow` and `flow` are two attributes.
        "spark.sql.caseSensitive": "true",
        # Spark has no nanoseconds; `sources` turns these numbers into its time stamps.
        "spark.sql.legacy.parquet.nanosAsLong": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.shuffle.partitions": "1" if local else "200",
        # Nothing is shuffled: each batch would only pay for replanning.
        "spark.sql.adaptive.enabled": "false",
        # From 33 files on Spark looks at each in a task of its own before it reads them: 80 small files of a disk take
        # three times as long by that (0.38 s, and 0.12 s without).
        **({"spark.sql.sources.parallelPartitionDiscovery.threshold": "10000"} if local else {}),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **({"spark.executor.extraJavaOptions": _ONE_COMPILER} if hosted and not local else {}),
        **({"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"} if local else {}),
        **settings.spark,
    }


def _master(settings: EngineSettings) -> str:
    """The master; a local one whose workers answer lets a task be done again, as a cluster does."""
    found = _LOCAL.fullmatch(settings.master)
    if settings.hosting != "executors" or found is None:
        return settings.master
    return f"local[{found[1] or 1},{_ATTEMPTS}]"


def _way_out() -> str:
    """What to do where Spark does not start: Hadoop's login begins nothing for a user whom the system cannot name."""
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return (
            f"the user {os.getuid()} has no name here, and Spark needs one: "
            "in a container, mount the file that has it (-v /etc/passwd:/etc/passwd:ro)"
        )
    return "see what Java wrote above, and [engine.spark] in the project file"


def start_spark(settings: EngineSettings) -> SparkSession:
    """Start Spark, or take the session that this process already has.

    Args:
        settings: of the engine.

    Raises:
        PipelineError: no Java, or Spark does not start.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    use_java()
    # Python workers run on this interpreter with these packages, not on whatever `python3` the PATH finds.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if settings.master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("kaicep").master(_master(settings))
    for key, value in configuration(settings, _logging_file()).items():
        builder = builder.config(key, value)
    on_interrupt = signal.getsignal(signal.SIGINT)
    try:
        with warnings.catch_warnings():
            # PySpark looks for pandas as soon as it hands a value to Java; it is given no data frame of pandas here.
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            spark: SparkSession = builder.getOrCreate()
    except Exception as error:  # py4j, Spark and the launcher each raise their own
        raise PipelineError(
            f"Spark does not start: {str(error).strip().splitlines()[0]}",
            hint=_way_out(),
        ) from error
    if threading.current_thread() is threading.main_thread():
        # PySpark's own handler cancels the jobs at work: a batch would be lost that could have been finished.
        signal.signal(signal.SIGINT, on_interrupt)
    # A batch that fails in Python is told by the engine; py4j would print its trace besides.
    logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)
    spark.sparkContext.setLogLevel(settings.spark.get("spark.log.level", "ERROR"))
    return spark


def stop_spark(spark: SparkSession) -> None:
    """Stop the session, and with it Spark's Java process."""
    spark.stop()


def _logging_file() -> Path:
    path = cache_folder() / "log4j2.properties"
    if not (path.is_file() and path.read_text(encoding="utf-8") == _LOGGING):
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        partial.write_text(_LOGGING, encoding="utf-8")
        partial.replace(path)
    return path
