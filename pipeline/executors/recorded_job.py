"""A document over recorded events in files, read and answered by the executors of a Spark session."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...cep import joined_rows
from ...cep.output import reported_schema
from ...errors import PipelineError
from ...language.nodes import Query
from ...storage import BucketFile, FolderPlace, folder_at, temporary_folder
from ..catalog import Catalog
from ..flow.rules import by_time, shown_calls
from ..results import Rows
from ..sharding import HostedBatch, HostingPlan, ShardedFlow, Split
from ..simulation import registrations_of
from ..sources import record_files
from .spark_tasks import SparkTasks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["evaluate_on"]

_SPLITS_A_CORE = 4
"""So many files of each stream are read by a core before what they bring is answered."""
_SHOWN = 3


def evaluate_on(
    spark: SparkSession,
    catalog: Catalog,
    queries: Sequence[Query],
    streams: Mapping[str, Sequence[Path | BucketFile]],
    folder: FolderPlace | None = None,
) -> Rows:
    """The rows of the last query over whole streams that end, and what rules call, as `simulation.evaluate` has them.

    Args:
        spark: a session.
        catalog: the project.
        queries: of a document, in order.
        streams: the files of each stream, in order of arrival; all executors reach them.
        folder: which all executors reach, for what tasks leave for each other, and is gone afterwards: a path, or
            `s3://bucket/prefix`; `None`: the temporary folder of this machine.

    Warns:
        UserWarning: of records that are no events.

    Raises:
        PipelineError: a source is ordered by time, or an executor does not reach what it needs.
        KaicepError: a query has failed.
    """
    _check_order(catalog, streams)
    tasks = SparkTasks(spark)
    registrations = tuple(registrations_of(queries, {}))
    said = pickle.dumps((catalog.settings, registrations, tasks.parallelism))
    key = sha256(said + catalog.knowledge.version.encode()).hexdigest()[:32]
    plan = HostingPlan(key, catalog, registrations, tasks.parallelism)
    shared = folder_at(Path(gettempdir()) if folder is None else folder, catalog.settings.s3.options)
    with temporary_folder(shared, "kaicep-job") as own:
        flow = ShardedFlow(plan, own, tasks, tasks.parallelism)
        batches = [flow.process(splits) for splits in _batches(streams, tasks.parallelism)]
        batches.append(flow.process([], ends=True))
    for name in streams:
        _warn(name, batches)
    label = registrations[-1].label
    tables = [batch.matches[label] for batch in batches if label in batch.matches]
    found = joined_rows(tables or [reported_schema(queries[-1]).empty_table()])
    calls = shown_calls(by_time([batch.calls for batch in batches]))
    return Rows(found, MappingProxyType(dict(catalog.settings.prefixes)), calls=calls)


def _check_order(catalog: Catalog, streams: Iterable[str]) -> None:
    for name in streams:
        source = catalog.settings.streams[name].source
        if source is not None and source.order == "time":
            raise PipelineError(
                f"stream '{name}' is ordered by time, and executors read its files each by itself",
                hint="evaluate it without spark, or leave order out and let lateness be as long as files overlap",
            )


def _batches(streams: Mapping[str, Sequence[Path | BucketFile]], cores: int) -> list[list[Split]]:
    """The files in batches: what is under way at once does not grow with the streams."""
    most = cores * _SPLITS_A_CORE
    files = {name: record_files(paths) for name, paths in streams.items()}
    longest = max((len(own) for own in files.values()), default=0)
    return [
        [
            Split(name, place, file if isinstance(file, BucketFile) else file.absolute())
            for name, own in files.items()
            for place, file in enumerate(own[start : start + most])
        ]
        for start in range(0, longest, most)
    ]


def _warn(stream: str, batches: Sequence[HostedBatch]) -> None:
    """Tell what of a stream is no event, as `simulation` does."""
    counts = [batch.streams[stream] for batch in batches if stream in batch.streams]
    unusable, total = sum(of.unusable for of in counts), sum(of.records for of in counts)
    if unusable:
        reasons = [reason for of in counts for reason in of.reasons][:_SHOWN]
        more = f"; and {unusable - _SHOWN:,} more" if unusable > _SHOWN else ""
        warnings.warn(
            f"{unusable:,} of {total:,} records of stream {stream} are no events: {'; '.join(reasons)}{more}",
            UserWarning,
            stacklevel=4,
        )
