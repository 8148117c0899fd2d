"""A sink of one's own need only write: it has nothing to make durable, and nothing to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep import Engine, PipelineError, Project, Sink
from kaicep.pipeline.sinks.sink import check_sinks, unwritable


class Counter(Sink):
    """Counts rows."""

    count = 0

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Count."""
        del batch_id, query_name
        self.count += matches.num_rows


def test_what_a_sink_does_not_say_is_nothing() -> None:
    sink = Counter()
    sink.write(1, "q", pa.table({"n": [1, 2]}))
    sink.flush()
    sink.restore(sink.snapshot())
    assert (sink.count, sink.snapshot()) == (2, {})


def test_a_place_that_refuses_is_named() -> None:
    error = unwritable(Path("/out"), OSError(13, "Permission denied"))
    assert str(error) == "cannot write matches to /out: Permission denied: name a place that can be written"


class WriteOnly:
    """Writes, and is no `Sink`."""

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Drop it."""


class Forgetful(Counter):
    """Takes nothing where it is given something."""

    def restore(self) -> None:  # type: ignore[override]  # what is tested
        """Do nothing."""


class OfItsOwn(WriteOnly):
    """A sink by what it has, not by what it is derived from."""

    flushed = 0

    def flush(self) -> None:
        """Count."""
        self.flushed += 1

    def snapshot(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Do nothing."""


def test_whatever_has_the_methods_of_a_sink_is_one() -> None:
    sinks = [Counter(), OfItsOwn()]
    assert check_sinks(sinks) == tuple(sinks)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            [Counter(), WriteOnly()],
            (
                "sinks[1] is no sink: WriteOnly has no flush(), snapshot(), restore(state): "
                "derive it from kaicep.Sink, of which flush, snapshot and restore do nothing"
            ),
        ),
        ([Counter], "sinks[0] is the class Counter: give a sink: Counter(…)"),
        ([print], "sinks[0] is a function: wrap it: kaicep.CallbackSink(function)"),
        (
            [Forgetful()],
            (
                "sinks[0] is no sink: Forgetful.restore does not take the arguments that it is given: "
                "define restore(self, state)"
            ),
        ),
        ("out.jsonl", "'out.jsonl' is no list of sinks: write sinks=[…], also around a single one"),
    ],
)
def test_what_is_no_sink_is_refused_when_it_is_given(given: Any, told: str) -> None:
    """And by an engine before it starts anything."""
    with pytest.raises(PipelineError) as caught:
        Engine(Project.parse({}), sinks=given)
    assert str(caught.value) == told
