"""Documents answered over the road by the data flow without Spark, and how much of the processor each takes."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import pyarrow as pa
from kaicep import Project
from kaicep.language.nodes import Query
from kaicep.pipeline.flow.batch import Batch, live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration

from .contexts_queries import FORMS, Pattern
from .contexts_workload import STREAMS, Held, Road

__all__ = [
    "Case",
    "Measured",
    "Taken",
    "annotated",
    "compare",
    "measure",
    "of_process",
    "prepared",
    "process",
    "project",
    "registered",
    "same_per_context",
]


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be answered.

    Attributes:
        contexts: names of those that there are, but for the default.
        queries: of each, the context it is in and what it looks for.
    """

    contexts: tuple[str, ...]
    queries: tuple[tuple[str, Pattern], ...]

    def text(self, form: str) -> str:
        """The document."""
        return FORMS[form](self.contexts, self.queries)


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of the processor in all, the most for one batch, and the rows of each query of the case."""

    seconds: float
    longest: float
    rows: tuple[pa.Table, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """By form, seconds of the processor in each round; the rows that all of them give."""

    seconds: Mapping[str, tuple[float, ...]]
    rows: int


def project(off: str | None = None) -> Project:
    """Reports and signs, and nothing else; `off` is a part of the optimiser that is switched off."""
    switches = {} if off is None else {"engine": {"contexts": {off: False}}}
    return Project.parse({"streams": STREAMS, "archive": {"enabled": False}, **switches})


def annotated(road: Road, held: Sequence[Held]) -> list[Batch]:
    """The stream in batches, annotated; the last one ends it."""
    annotators = project().dataflow().annotators
    return [*(live_batch(annotators, raw) for raw in road.batches(held)), Batch(ends=True)]


def of_process(text: str, asked: int, batches: Sequence[Batch], off: str | None = None) -> Taken:
    """What a document takes whose last statements, so many, are those that are asked; `off` as of `project`."""
    flow, labels = prepared(text, asked, off)
    gc.collect()
    return process(flow, labels, batches)


def prepared(text: str, asked: int, off: str | None = None) -> tuple[Dataflow, Sequence[str]]:
    """A data flow that answers a document, and the labels of those that are asked; see `of_process`."""
    of = project(off)
    flow = of.dataflow()
    return flow, registered(flow, of.compile(text))[-asked:]


def process(flow: Dataflow, labels: Sequence[str], batches: Sequence[Batch]) -> Taken:
    """What a data flow takes that was `prepared`, and has been given nothing."""
    found: dict[str, list[pa.Table]] = {label: [] for label in labels}
    seconds, longest = 0.0, 0.0
    for batch in batches:
        began = process_time()
        matches = flow.process(batch).matches
        taken = process_time() - began
        seconds, longest = seconds + taken, max(longest, taken)
        for label in labels:
            found[label].append(matches[label])
    return Taken(seconds, longest, tuple(pa.concat_tables(own) for own in found.values()))


def registered(flow: Dataflow, queries: Sequence[Query]) -> list[str]:
    """Let a data flow answer queries; their labels."""
    registrations = [Registration(query, query.name or f"q{i}") for i, query in enumerate(queries)]
    for registration in registrations:
        flow.register(registration)
    return [registration.label for registration in registrations]


def compare(form: str, ours: Taken, theirs: Taken) -> int:
    """Look whether two forms gave the same rows, and say how many.

    Raises:
        SystemExit: they did not.
    """
    for number, (own, other) in enumerate(zip(ours.rows, theirs.rows, strict=True)):
        if _plain(own) != _plain(other):
            raise SystemExit(f"{form}: query {number} has other rows: {own.num_rows:,} and {other.num_rows:,}")
    return sum(own.num_rows for own in ours.rows)


def same_per_context(shared: Taken, separate: Taken, contexts: Sequence[str]) -> int:
    """Look whether queries in several contexts gave what they give in each of them, and say how many rows.

    Raises:
        SystemExit: they did not.
    """
    for number, own in enumerate(shared.rows):
        found = sorted((name, *row) for row in _rows(own, ("_context",)) for name in row[-1])
        apart = separate.rows[number * len(contexts) : (number + 1) * len(contexts)]
        wanted = sorted((name, *row) for one in apart for row in _rows(one, ("_context",)) for name in row[-1])
        if [(name, *row[:-1]) for name, *row in found] != [(name, *row[:-1]) for name, *row in wanted]:
            raise SystemExit(f"query {number} in {len(contexts)} contexts: {len(found):,} rows, not {len(wanted):,}")
    return sum(own.num_rows for own in shared.rows)


def _plain(rows: pa.Table) -> list[tuple[object, ...]]:
    """What users see of rows, but for identities, and for which sign a window began with."""
    return sorted(_rows(rows))


def _rows(rows: pa.Table, more: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    names = sorted(name for name in rows.column_names if not name.startswith(("_", "#")))
    return zip(*(rows[name].to_pylist() for name in (*names, "_time", *more)), strict=True)


def measure(case: Case, batches: Sequence[Batch], forms: Sequence[str], rounds: int) -> Measured:
    """What each form takes in each round; they take turns. Of several rounds, one more warms up, and does not count.

    Raises:
        SystemExit: the forms do not give the same rows.
    """
    seconds: dict[str, list[float]] = {form: [] for form in forms}
    warming = int(rounds > 1)
    for number in range(rounds + warming):
        taken = {form: of_process(case.text(form), len(case.queries), batches) for form in forms}
        for form, own in taken.items():
            if not number:
                rows = compare(form, taken[forms[0]], own)
            if number >= warming:
                seconds[form].append(own.seconds)
    return Measured({form: tuple(own) for form, own in seconds.items()}, rows)
