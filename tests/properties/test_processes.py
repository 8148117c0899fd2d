"""A pattern goes on in another process with nothing but its snapshot, wherever the stream is cut."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.row_values import rows
from support.batches import processed
from support.letters import expected, project, question, seconds, stream, written

EVENTS = "a b1 b2 n@3.5 c a b3 c@9 a@12 b1 b4 b5 c z@40"
PATTERNS = (
    question("?a, ?b+, ?c", "POLICY next", "JOIN (?b.x > PREV(?b.x))", window="9s"),
    question("?a -> ?b{1,2}~, NOT ?n", window="5s", select="LIST(?b.x) AS all"),
    question("?a, (?b AND ?c)", "AFTER MATCH CONSUME", window="9s"),
)
ELSEWHERE = "import sys; from properties.test_processes import go_on; go_on(sys.stdin.buffer.read())"


def begun(text: str) -> tuple[Dataflow, Registration]:
    registration = Registration(project().compile(text)[-1], "query")
    return project().dataflow(), registration


def reported(dataflow: Dataflow, events: str, *, ends: bool) -> list[dict[str, Any]]:
    found = rows(processed(dataflow, stream(events)).matches["query"])
    return [*found, *(rows(dataflow.process(Batch(ends=True)).matches["query"]) if ends else [])]


def go_on(given: bytes) -> None:
    """In the other process: restore, take the rest, print what was found."""
    text, state, events = pickle.loads(given)  # noqa: S301  # our own
    dataflow, registration = begun(text)
    assert dataflow.restore(state, [registration]) == []
    found = reported(dataflow, events, ends=True)
    sys.stdout.write(json.dumps([written(found), seconds(found)]))


def placed(events: str) -> list[str]:
    """The words of a stream with their times and places written out, so that any part of it stands for itself."""
    at, found = -1.0, []
    for place, word in enumerate(events.split(), 1):
        head, _, tail = word.partition("@")
        at = float(tail) if tail else at + 1
        found.append(f"{head}@{at}#{place}")
    return found


def elsewhere(given: tuple[str, dict[str, bytes], str]) -> tuple[list[str], list[float]]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=pickle.dumps(given), capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    found, times = json.loads(ended.stdout)
    return found, times


def goes_on(text: str, cut: int) -> None:
    words: Sequence[str] = placed(EVENTS)
    before, after = " ".join(words[:cut]), " ".join(words[cut:])
    dataflow, registration = begun(text)
    dataflow.register(registration)
    here = reported(dataflow, before, ends=False)
    found, times = elsewhere((text, dataflow.snapshot(), after))
    whole = expected(text, EVENTS)
    assert ([*written(here), *found], [*seconds(here), *times]) == (written(whole), seconds(whole))


cuts = st.integers(1, len(EVENTS.split()) - 1)


@settings(max_examples=1, deadline=None, phases=[Phase.generate])
@given(text=st.sampled_from(PATTERNS), cut=cuts)
def test_another_process_goes_on(text: str, cut: int) -> None:
    goes_on(text, cut)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(text=st.sampled_from(PATTERNS), cut=cuts)
def test_another_process_goes_on_in_the_long_run(text: str, cut: int) -> None:
    goes_on(text, cut)
