"""An engine without Spark, in tasks or not, and what it is given, for tests that meet it with something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from kaicep import Project
from kaicep.storage import BucketFolder

from .hostings import FilesEngine, TasksHere, catalog_in, lines_in, written
from .keyed import STREAMS, keyed_batches, keyed_question
from .sharded import split_anywhere

__all__ = ["engine", "noted", "question", "told", "undisturbed"]

BASE = Project.parse({"streams": STREAMS})
LATE = (
    "CREATE QUERY late AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) "
    "WITHIN [now - 1h, ) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"
)
"""A query that asks for the time before it."""
MANY = 1_000_000
Cut = Sequence[Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]]


def question(seed: int) -> tuple[str, Cut]:
    """A document, and batches of files; some records are none."""
    rng = Random(seed)
    text = ";\n".join(f"CREATE QUERY q{i} AS {keyed_question(rng)}" for i in range(3))
    cut = [split_anywhere(rng, batch) for batch in keyed_batches(rng)]
    for batch in cut:
        for files in batch.values():
            files[0] = [*files[0], {"id": "x", "t": "soon"}]
    return text, cut


def engine(
    folder: Path, text: str, lake: BucketFolder | None = None, *, tasks: bool = True, few: int = 0
) -> FilesEngine:
    """One in tasks, or of a driver; perhaps with its log, and what tasks share, in a bucket.

    Tasks write the rows of all queries but one, if they are more than a few; see `FilesEngine`.
    """
    folder.mkdir()
    if lake is None:
        project = catalog_in(folder, BASE.settings, BASE, shards=2)
    else:
        options = lake.options
        table = {"endpoint": options.endpoint, "region": options.region, "allow_http": True}
        base = Project.parse({"streams": STREAMS, "s3": table})
        project = catalog_in(folder, base.settings, base, f"{lake}/kept", shards=2, shared=f"{lake}/shared")
    queries, own = project.registrations(text, "q"), TasksHere() if tasks else None
    return FilesEngine(folder, project, queries, own, collected=lambda label: label == "q0", few=few)


def noted(own: FilesEngine, number: int, batch: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> None:
    """Write the files of a batch, and what Spark notes of them; before the third a query comes."""
    if number == 3:
        late = own.project.registrations(LATE, "late")
        own.flow.queries.submit(late)
        own.registrations = [*own.registrations, *late]
    files = {
        name: [written(own.folder, name, 10 * number + place, rows) for place, rows in enumerate(several)]
        for name, several in batch.items()
    }
    own.note(number, files)


def told(own: FilesEngine) -> tuple[Any, ...]:
    """All that is left of it."""
    progress = own.flow.progress
    return own.log, own.letters, (lines_in(own.rows), own.found), progress.streams, progress.matches


def undisturbed(folder: Path, text: str, cut: Cut, *, tasks: bool = True) -> tuple[Any, ...]:
    """What an engine has left that nothing has met, and whose rows all went through the driver."""
    own = engine(folder, text, tasks=tasks, few=MANY)
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        own.deliver(number)
    own.flow.finish()
    found = told(own)
    own.stop()
    return found
