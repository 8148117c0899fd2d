"""A job of Spark's over nothing but numbered tasks, asked for with as few calls to Java as it takes.

`RDD.collect` takes some thirty, each a round trip through a socket: half of what the driver's Python did for a batch
(docs/decisions/296). What does not change from job to job is made once here; what Java is asked for is what PySpark
asks for.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["PythonJobs"]


class PythonJobs:
    """Runs jobs.

    Args:
        context: of the session.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context = cast("Any", context)  # what follows has no public names
        self._serializer = self._context._unbatched_serializer  # noqa: SLF001 - as `pyspark.core.rdd`
        jvm = self._context._jvm  # noqa: SLF001 - likewise
        self._function, self._rdd = jvm.SimplePythonFunction, jvm.PythonRDD
        self._environment, self._none = jvm.java.util.HashMap(), jvm.java.util.ArrayList()
        for name, value in self._context.environment.items():
            self._environment.put(name, value)
        self._scheduler = self._context._jsc.sc()  # noqa: SLF001 - likewise
        self._parents: dict[int, Any] = {}

    @property
    def parallelism(self) -> int:
        """How many tasks run at the same time, as far as Spark knows by now."""
        return max(1, int(self._scheduler.defaultParallelism()))

    def pickled(self, value: object) -> bytes:
        """A value as tasks read it by `pickle`; functions that they cannot import go with it."""
        return bytes(self._serializer.dumps(value))

    def results(self, task: Callable[[int], Iterable[Any]], tasks: int, tag: str) -> list[Any]:
        """What the tasks of a job give, in their order.

        Args:
            task: is given the number of a task; pickled as it is, and importable where tasks run.
            tasks: how many.
            tag: of the job, for whoever cancels it.

        Raises:
            Py4JError, PySparkException: Spark could not run one.
        """
        context, serializer = self._context, self._serializer
        command = pickle.dumps((_Called(task), None, serializer, serializer), protocol=pickle.HIGHEST_PROTOCOL)
        includes = context._python_includes  # noqa: SLF001 - likewise
        function = self._function(
            bytearray(command),
            self._environment,
            self._list(includes) if includes else self._none,
            context.pythonExec,
            context.pythonVer,
            self._none,
            context._javaAccumulator,  # noqa: SLF001 - likewise
        )
        if tasks not in self._parents:
            self._parents[tasks] = context.parallelize([], tasks)._jrdd.rdd()  # noqa: SLF001 - likewise
        job = self._rdd(self._parents[tasks], function, False, False)  # noqa: FBT003 - Java has no names for them
        context.addJobTag(tag)
        try:
            found = job.collect()
        finally:
            context.removeJobTag(tag)
        return [one for place in range(tasks) for one in self._serializer.loads(found[place])]

    def _list(self, values: Iterable[str]) -> Any:
        found = self._context._jvm.java.util.ArrayList()  # noqa: SLF001 - likewise
        for value in values:
            found.add(value)
        return found


class _Called:
    """A task as Spark's worker calls it."""

    def __init__(self, task: Callable[[int], Iterable[Any]]) -> None:
        self._task = task

    def __call__(self, place: int, rows: Iterable[Any]) -> Iterator[list[Any]]:
        """One list of all that a task gives; a worker that is to stay has read the rows, of which there are none."""
        for _ in rows:
            pass
        yield list(self._task(place))
