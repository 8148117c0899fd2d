"""What can be read of a batch of Spark's: all of it, but for the files that are broken or gone (docs/decisions/194).

Spark fails as a whole for each file that it cannot read, and names it. It is tried by itself once more, so that what it
was before is known, and the others are read without it then; the next one may fail as well. Nothing of a broken file is
taken. What `foreachBatch` is given cannot be read without a file: the files are read anew, by their names. Rows that
stand in no file, such as Kafka's, can be asked for only as Spark has planned them: part by part, each of one source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....storage import is_transient
from .listed_files import ListedFiles, path_of
from .unreadable_file import GONE, UnreadableFile, file_state, reading_error

if TYPE_CHECKING:
    import pyarrow as pa
    from py4j.java_gateway import JavaObject
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame

__all__ = ["ReadablePart", "is_of_a_file", "readable_part", "rows_beside"]

_FAILED = "FAILED_READ_FILE"

Paths = Mapping[str, list[str]]
"""By stream, paths of files."""


@dataclass(frozen=True, slots=True)
class ReadablePart:
    """What could be read of the files of a batch.

    Attributes:
        paths: those files, by stream.
        table: their rows; `None`: there are no such files.
        unreadable: the others.
    """

    paths: Paths
    table: pa.Table | None
    unreadable: tuple[UnreadableFile, ...]


@dataclass(frozen=True, slots=True)
class _Failure:
    """A file that Spark could not read, and why: what each of the errors that caused another says."""

    path: str
    reasons: tuple[str, ...]


def readable_part(files: ListedFiles, read: Callable[[Paths], pa.Table]) -> ReadablePart:
    """Read files without those that cannot be read.

    Args:
        files: as Spark notes them.
        read: gives the rows of some of them.

    Raises:
        PySparkException, Py4JError: of something else than a file.
        PipelineError: a file cannot be read now, but may be later, such as for an I/O error.
    """
    paths = {stream: [path_of(url) for url in of] for stream, of in files.items()}
    unreadable: dict[str, UnreadableFile] = {}
    tried: set[str] = set()
    while True:
        gone = {path for of in paths.values() for path in of if file_state(path) is None}
        unreadable |= {path: UnreadableFile(path, GONE, None) for path in gone}
        paths = {stream: [path for path in of if path not in unreadable] for stream, of in paths.items()}
        try:
            table = read(paths) if any(paths.values()) else None
            return ReadablePart(paths, table, tuple(unreadable.values()))
        except _spark_errors() as error:
            failure = _failure(error)
            if failure is None or failure.path in tried:
                raise
            tried.add(failure.path)
            found = _tried_again(failure.path, paths, read)
            if found is not None:
                unreadable[failure.path] = found


def rows_beside(frame: DataFrame, files: ListedFiles) -> pa.Table:
    """The rows of a batch that stand in none of its files, though some of these cannot be read.

    Args:
        frame: the wanted rows of the batch; each of its parts has rows of one source.
        files: of the batch, as Spark notes them; parts that fail for one of them have no other rows.

    Raises:
        PySparkException, Py4JError: of something else than one of the files.
    """
    import pyarrow as pa  # noqa: PLC0415 - where all files are whole, nobody needs it here
    from pyspark.serializers import NoOpSerializer  # noqa: PLC0415 - see `spark_source`
    from pyspark.util import _load_from_socket  # noqa: PLC0415 - likewise

    paths = {path_of(url) for of in files.values() for url in of}
    schema = frame.limit(0).toArrow().schema
    context = frame.sparkSession.sparkContext
    parts = frame._jdf.toArrowBatchRdd().toJavaRDD()  # noqa: SLF001 - no public way to one part
    found = []
    for number in range(parts.getNumPartitions()):
        try:
            served = context._jvm.PythonRDD.runJob(context._jsc.sc(), parts, [number])  # type: ignore[union-attr] # noqa: SLF001 - as `SparkContext.runJob`, which needs workers in Python
        except _spark_errors() as error:
            failure = _failure(error)
            if failure is None or failure.path not in paths:
                raise
            continue
        with _load_from_socket(served, NoOpSerializer()) as batches:
            found += [pa.ipc.read_record_batch(pa.py_buffer(batch), schema) for batch in batches]
    return pa.Table.from_batches(found, schema)


def is_of_a_file(error: Exception) -> bool:
    """Whether an error of Spark's is about a file that it cannot read."""
    return _failure(error) is not None


def _tried_again(path: str, paths: Paths, read: Callable[[Paths], pa.Table]) -> UnreadableFile | None:
    """The file, by its state before it is tried by itself; `None`: it can be read now, as one that was being written.

    Raises:
        PipelineError: it is neither broken nor gone, but cannot be read for now.
    """
    state = file_state(path)
    if state is None:
        return UnreadableFile(path, GONE, None)
    try:
        read({stream: [path] for stream, of in paths.items() if path in of})
    except _spark_errors() as error:
        failure = _failure(error)
        if failure is None:
            raise
        _refuse_what_passes(path, failure.reasons)
        return UnreadableFile(path, failure.reasons[-1], state)
    return None


def _refuse_what_passes(path: str, reasons: tuple[str, ...]) -> None:
    for reason in reasons:
        if is_transient(OSError(reason)):
            raise reading_error(path, reason)


def _spark_errors() -> tuple[type[PySparkException], type[Py4JError]]:
    from py4j.protocol import Py4JError  # noqa: PLC0415 - see `spark_source`
    from pyspark.errors import PySparkException  # noqa: PLC0415 - likewise

    return PySparkException, Py4JError


def _failure(error: BaseException) -> _Failure | None:
    """Which file an error of Spark's is about; `None`: about none."""
    cause: JavaObject | None = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    url, reasons = None, []
    while cause is not None:
        if url is None and (_condition(cause) or "").startswith(_FAILED):
            url = str(cause.getMessageParameters().get("path"))
        reasons.append(str(cause.getMessage() or cause.getClass().getSimpleName()).strip().splitlines()[0])
        cause = cause.getCause()
    return None if url is None else _Failure(path_of(url), tuple(reasons))


def _condition(error: JavaObject) -> str | None:
    """The name of an error that is one of Spark's own."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - see `spark_source`

    try:
        found: str | None = error.getCondition()
    except Py4JError:  # another one has no such method
        return None
    return found
