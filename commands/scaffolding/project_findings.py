"""What is told of a first project: how readings lie, whom ids name, what the queries give."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from ...annotator import AnnotatedBatch
from ...annotator.recognition import unlike_stated
from ...ontology import KnowledgeBase
from ...settings import EPOCHS
from .project_file import ProjectDraft, listed, unnamed
from .reading_layout import ReadingLayout
from .sample_queries import SampleQuery

__all__ = ["findings"]


def findings(
    draft: ProjectDraft, knowledge: KnowledgeBase, annotated: AnnotatedBatch, queries: Sequence[SampleQuery]
) -> Iterator[str]:
    """Tell people what was found, in lines.

    Args:
        draft: of the project.
        knowledge: that of the project.
        annotated: the readings that queries were tried on.
        queries: that give rows.
    """
    yield f"readings: {_of_layout(draft.layout, draft)}"
    if draft.sample.encoding is not None:
        yield f"  they are not UTF-8: read as {draft.sample.encoding}"
    yield from _of_time(draft)
    yield from _of_ids(draft)
    yield from _of_model(draft, knowledge)
    unusable = annotated.rejected.num_rows
    yield f"{_counted(annotated.events.num_rows, 'reading')} can be used" + (
        f", {unusable:,} cannot" if unusable else ""
    )
    if unusable:
        yield f"  such as: {annotated.rejected['reason'][0].as_py()}"
        guess = unlike_stated(draft.sample.table[draft.roles.time], draft.roles.written.format)
        if guess is not None:
            yield f"  {guess.format} reads all of the time stamps: --time-format {shlex.quote(guess.format)}"
    for query in queries:
        question = query.text.partition("\n")[0].removeprefix("# ").removesuffix(".")
        yield f"queries/{query.file}: {question}: {_counted(query.rows, 'row')}"
    if not queries:
        yield "no query of classes and values that are there gives a row: see `kaicep check`"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _of_layout(layout: ReadingLayout, draft: ProjectDraft) -> str:
    values = ", ".join(layout.values)
    match layout.form:
        case "rows":
            return f"a row each; ids in '{layout.id}', values in {values}"
        case "columns":
            return f"a column for each of {len(layout.points):,} points"
        case "files":
            return f"a file for each of {len(draft.sample.files):,} sensors; values in {values}"


def _of_time(draft: ProjectDraft) -> Iterator[str]:
    written = draft.roles.written
    named = "since 1970, UTC" if written.format in EPOCHS else "with their zone"
    zone = named if written.zoned else f"on the clocks of {draft.timezone}" if draft.timezone else None
    yield f"time stamps: '{draft.roles.time}', {written.format}, {zone or 'without a zone: taken as UTC (--timezone)'}"
    if written.rival is not None:
        yield f"  nothing tells {written.format} from {written.rival}: see that it is right (--time-format)"


def _of_ids(draft: ProjectDraft) -> Iterator[str]:
    layout, match = draft.layout, draft.layout.match
    way = f"by {draft.short(match.key)}" if match.key is not None else "by their IRIs"
    folded = ", whatever their case" if match.ignore_case else ""
    yield f"ids: {len(match.named):,} of {len(layout.points):,} name an individual of the model, {way}{folded}"
    if match.of_class is not None:
        kind = draft.short(match.of_class)
        yield f"  others are called so, too: {kind} is guessed; see that it is right (of_class in kaicep.toml)"
    yield from (f"  {line}" for line in unnamed(draft))


def _of_model(draft: ProjectDraft, knowledge: KnowledgeBase) -> Iterator[str]:
    spoken = ", ".join(v.prefix for v in draft.model.vocabularies) or "a vocabulary of its own"
    yield f"model: {len(draft.model.types):,} individuals, in {spoken}; {knowledge.size}"
    if draft.on_contradiction is not None:
        way = draft.on_contradiction
        yield f'  it contradicts itself: on_contradiction = "{way}" was written; kaicep check says where'
    spaces = tuple(v.namespace for v in draft.model.vocabularies)
    used = [iri for types in draft.model.types.values() for iri in types if iri.startswith(spaces)]
    superseded = sorted({iri for iri in used if not knowledge.superclasses(iri)})
    if superseded:
        number = sum(iri in set(superseded) for iri in used)
        names = listed([draft.short(iri) for iri in superseded])
        yield f"  {number:,} of {len(used):,} types are of classes that the loaded vocabularies do not have: {names}"
