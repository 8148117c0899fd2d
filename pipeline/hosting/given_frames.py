"""Streaming DataFrames that a program has, as the sources of streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import PipelineError
from ...settings import GIVEN, SourceSettings
from ..catalog import Catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["with_frames"]


def with_frames(project: Catalog, frames: Mapping[str, DataFrame]) -> Catalog:
    """The project, whose streams of these names have DataFrames for sources, whatever its file says.

    How records lie in files, and in which order they are taken, stays as the file says.

    Raises:
        QueryTypeError: there is no such stream.
        PipelineError: a DataFrame is no stream, or made of several.
    """
    streams = dict(project.settings.streams)
    for name, frame in frames.items():
        project.check_stream(name)
        _check(name, frame)
        source = streams[name].source or SourceSettings(format=GIVEN)
        given = SourceSettings(format=GIVEN, unpivot=source.unpivot, order=source.order)
        streams[name] = streams[name].model_copy(update={"source": given})
    return replace(project, settings=project.settings.model_copy(update={"streams": streams}))


def _check(name: str, frame: DataFrame) -> None:
    if not frame.isStreaming:
        raise PipelineError(
            f"sources: the DataFrame of '{name}' is no stream",
            hint="read it with spark.readStream; kaicep.spark.matches answers a past that is there as a whole",
        )
    leaves = frame._jdf.queryExecution().analyzed().collectLeaves()  # noqa: SLF001 - no public way
    streams = sum(leaves.apply(place).isStreaming() for place in range(leaves.size()))
    if streams != 1:
        raise PipelineError(
            f"sources: the DataFrame of '{name}' is made of {streams} streams, and a checkpoint tells sources apart",
            hint="let it begin with one: give each a stream of the project, or write down first what is made of them",
        )
