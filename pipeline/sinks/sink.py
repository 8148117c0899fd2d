"""Where matches go. A batch that Spark delivers again leaves a sink as if it had come once.

The engine writes the matches of a batch, flushes, and then makes its snapshot durable, of which the sinks' snapshots
are a part: what a snapshot says is written, is. It takes the first snapshot before the first batch.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ...cep import joined_rows
from ...errors import PipelineError

__all__ = ["PieceSink", "RowWriter", "Sink", "check_sinks", "unwritable", "writer_of"]

_CALLS: Mapping[str, tuple[str, ...]] = {
    "write": ("batch_id", "query_name", "matches"),
    "flush": (),
    "snapshot": (),
    "restore": ("state",),
}
"""What is asked of a sink, with the arguments that are given by position."""


class Sink(Protocol):
    """Takes the matches of one batch after the other, in order of their numbers."""

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Take the matches of one query in one batch; the same batch again must change nothing."""

    def flush(self) -> None:
        """Make durable what was written; by default nothing waits."""
        return

    def snapshot(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON values: everything written so far belongs to it; by default nothing."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a snapshot, what was written after it will come again; by default there is nothing to do."""
        del state


class RowWriter(Protocol):
    """Takes the rows of one query in one batch, piece by piece."""

    def write(self, rows: pa.Table) -> None:
        """Take the next rows."""

    def close(self) -> None:
        """Note that these are all."""


class PieceSink(Sink):
    """A sink that need not have all rows of a query in a batch at once.

    Queries whose rows are many are written in turns, piece by piece.
    """

    @abstractmethod
    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Begin with the rows of one query in one batch; the same batch again must change nothing."""

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Take all of them."""
        writer = self.begin(batch_id, query_name)
        writer.write(matches)
        writer.close()


class WholeRows:
    """Gives a sink the rows of one query in one batch together.

    Args:
        sink: that wants them.
        batch_id: the batch.
        query_name: the query.
    """

    def __init__(self, sink: Sink, batch_id: int, query_name: str) -> None:
        self._sink, self._batch, self._query = sink, batch_id, query_name
        self._pieces: list[pa.Table] = []

    def write(self, rows: pa.Table) -> None:
        """See `RowWriter.write`."""
        self._pieces.append(rows)

    def close(self) -> None:
        """See `RowWriter.close`."""
        self._sink.write(self._batch, self._query, joined_rows(self._pieces))


def writer_of(sink: Sink, batch_id: int, query_name: str) -> RowWriter:
    """What takes the rows of one query in one batch for a sink."""
    return sink.begin(batch_id, query_name) if isinstance(sink, PieceSink) else WholeRows(sink, batch_id, query_name)


def unwritable(path: Path, error: OSError) -> PipelineError:
    """The error of a place that refuses matches."""
    return PipelineError(f"cannot write matches to {path}: {error.strerror}", hint="name a place that can be written")


def check_sinks(sinks: object) -> tuple[Sink, ...]:
    """Refuse what is no sink when it is given, and not when its first batch needs what it lacks.

    Args:
        sinks: what somebody gave for a list of sinks.

    Raises:
        PipelineError: it is no list, or one of them lacks a method of `Sink`; the message names them.
    """
    if not isinstance(sinks, Sequence) or isinstance(sinks, str):
        raise PipelineError(f"{sinks!r} is no list of sinks", hint="write sinks=[…], also around a single one")
    for place, sink in enumerate(sinks):
        _check_sink(f"sinks[{place}]", sink)
    return tuple(sinks)


def _check_sink(place: str, sink: object) -> None:
    name = type(sink).__name__
    if isinstance(sink, type):
        raise PipelineError(f"{place} is the class {sink.__name__}", hint=f"give a sink: {sink.__name__}(…)")
    lacking = [name for name in _CALLS if not callable(getattr(sink, name, None))]
    if "write" in lacking and callable(sink):
        raise PipelineError(f"{place} is a function", hint="wrap it: kaicep.CallbackSink(function)")
    if lacking:
        calls = ", ".join(f"{method}({', '.join(_CALLS[method])})" for method in lacking)
        raise PipelineError(
            f"{place} is no sink: {name} has no {calls}",
            hint="derive it from kaicep.Sink, of which flush, snapshot and restore do nothing",
        )
    for method, arguments in _CALLS.items():
        if not _takes(getattr(sink, method), arguments):
            raise PipelineError(
                f"{place} is no sink: {name}.{method} does not take the arguments that it is given",
                hint=f"define {method}({', '.join(('self', *arguments))})",
            )


def _takes(method: object, arguments: tuple[str, ...]) -> bool:
    try:
        inspect.signature(method).bind(*arguments)  # type: ignore[arg-type]  # callable, as was asked before
    except TypeError:
        return False
    except ValueError:  # built in, and says nothing of its arguments
        return True
    return True
