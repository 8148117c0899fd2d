"""`kaicep init`: from a model and readings to a project that works, with everything told that was found out."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from ...annotator import AnnotatedBatch, cast_time
from ...annotator.recognition import ColumnRoles, unlike_stated
from ...api import Project
from ...config import Settings, TimeSettings
from ...errors import ConfigError, OntologyError, PipelineError
from ...explain import distinguishing_class
from ...ontology import KnowledgeBase
from ...ontology.modules.syntaxes import SUFFIXES
from ...pipeline.sources import concatenate, read_recording
from ...settings import EPOCHS
from ...storage import uncompressed_name, write_atomically
from ..trials import EventSample, roles_of
from .building_model import BuildingModel
from .project_file import STREAM, ProjectDraft, listed, ontologies_text, project_text, several_fitting, unnamed
from .reading_layout import ReadingLayout, find_layout
from .sample_queries import SampleQuery, sample_queries

__all__ = ["FirstProject", "InitOptions", "draft_project", "write_project"]

_CONTRADICTIONS = (None, "leave_out", "warn")
_MODELS = {suffix for suffix in SUFFIXES if suffix != ".json"}
_READINGS = {".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}
_MUCH = 1 << 26
"""Bytes of readings that queries are tried on; of more the first ones will do."""


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What somebody knows better than the recognition.

    Attributes:
        time: the column of the time stamps.
        id: the column of the ids.
        time_format: how time stamps are written.
        timezone: of time stamps that name none.
    """

    time: str | None = None
    id: str | None = None
    time_format: str | None = None
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class FirstProject:
    """What is written, and what was found out.

    Attributes:
        files: relative path → text.
        told: lines for people.
    """

    files: dict[str, str]
    told: tuple[str, ...]


def draft_project(models: Sequence[Path], events: Path, folder: Path, options: InitOptions) -> ProjectDraft:
    """Find out how readings and model go together.

    Raises:
        KaicepError: a file cannot be read, or nothing in the readings names anything in the model.
    """
    _check(options)
    _check_order(models, events)
    sample = EventSample.of(events)
    for name in (options.time, options.id):
        if name is not None and name not in sample.table.column_names:
            columns = ", ".join(repr(column) for column in sample.table.column_names)
            raise PipelineError(f"{events} has no column '{name}'", hint=f"its columns are {columns}")
    roles = _roles(sample, options)
    model = BuildingModel.load(models)
    layout = find_layout(sample, roles, model.knowledge, options.id)
    ordered = len(sample.files) == 1 and sample.whole and _is_ordered(sample, roles, options.timezone)
    zone = None if roles.written.format in EPOCHS else options.timezone
    return ProjectDraft(folder, model, sample, roles, layout, zone, ordered)


def write_project(draft: ProjectDraft, command: str) -> FirstProject:
    """Write a project, try its queries, and say what was found.

    Raises:
        ConfigError: one of its files exists.
        KaicepError: the model cannot be loaded, or the readings cannot be read as was found out.
    """
    for name in ("kaicep.toml", "ontologies.ttl", "queries/1_high.chi", "queries/2_mean.chi"):
        if (draft.folder / name).exists():
            raise ConfigError(
                f"{draft.folder / name} exists, and nothing is overwritten",
                hint="name another folder with --project, or remove the file",
            )
    files = {"ontologies.ttl": ontologies_text(draft.model)}
    _write(draft.folder, files)
    try:
        draft, project = _told_apart(*_loaded(draft, command), command)
        recording = _recording(project, draft)
        annotated = project.annotators[STREAM].annotate(recording)
        queries = sample_queries(project, draft, recording.take(annotated.events["_row"]))
    except BaseException:
        (draft.folder / "ontologies.ttl").unlink()
        raise
    files |= {"kaicep.toml": project_text(draft, command)} | {f"queries/{q.file}": q.text for q in queries}
    _write(draft.folder, files)
    return FirstProject(files, tuple(_told(draft, project, annotated, queries)))


def _check(options: InitOptions) -> None:
    """Refuse a format or zone that is none, by the name of its option."""
    for option, key, text in (
        ("--time-format", "format", options.time_format),
        ("--timezone", "timezone", options.timezone),
    ):
        if text is None:
            continue
        try:
            TimeSettings.model_validate({"attribute": "", key: text})
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise ConfigError(f"{option}: {said}") from error


def _check_order(models: Sequence[Path], events: Path) -> None:
    """Refuse a model in the place of the readings."""
    if events.suffix.lower() not in _MODELS:
        return
    readings = [path for path in models if Path(uncompressed_name(path.name)).suffix.lower() in _READINGS]
    hint = "name a file of readings last: CSV, Parquet or JSON"
    if readings:
        ordered = [path for path in (*models, events) if path not in readings] + readings
        hint = f"the files seem swapped: kaicep init {shlex.join(map(str, ordered))}"
    raise ConfigError(f"{events} is a model, and the readings come last", hint=hint)


def _roles(sample: EventSample, options: InitOptions) -> ColumnRoles:
    hint = "name the column with --time, and how it is written with --time-format, such as '%d.%m.%Y %H.%M'"
    roles = roles_of(sample, options.time, hint=hint)
    if options.time_format is not None:
        roles = replace(roles, written=replace(roles.written, format=options.time_format, rival=None))
    return roles


def _is_ordered(sample: EventSample, roles: ColumnRoles, timezone: str | None) -> bool:
    moments = cast_time(sample.table[roles.time], _time(roles, timezone)).values.drop_nulls()
    return bool(moments.is_sorted())


def _time(roles: ColumnRoles, timezone: str | None) -> TimeSettings:
    zone = None if roles.written.format in EPOCHS else timezone
    return TimeSettings(attribute=roles.time, format=roles.written.format, timezone=zone)


def _loaded(draft: ProjectDraft, command: str) -> tuple[ProjectDraft, Project]:
    """The project; of a model that contradicts itself without what does, else with it."""
    for way in _CONTRADICTIONS:
        attempt = replace(draft, on_contradiction=way)
        try:
            return attempt, _project(attempt, command)
        except OntologyError as error:
            if "contradicts itself" not in error.message or way == _CONTRADICTIONS[-1]:
                raise
    raise AssertionError(_CONTRADICTIONS)


def _told_apart(draft: ProjectDraft, project: Project, command: str) -> tuple[ProjectDraft, Project]:
    """The project with the class whose individuals are meant, where ids are the keys of others as well."""
    match, knowledge = draft.layout.match, project.knowledge
    several = [iris for iris in several_fitting(draft).values() if iris]
    best = distinguishing_class(several, match.named.values(), knowledge) if several else None
    if match.key is None or best is None:
        return draft, project
    keys = knowledge.keys(match.key, best)
    fold = str.casefold if match.ignore_case else str
    individuals = keys.folded.individuals if match.ignore_case else keys.individuals
    named = {text: individuals[fold(text)] for text in draft.layout.points if fold(text) in individuals}
    if len(named) <= len(match.named):
        return draft, project
    unknown = tuple(text for text in draft.layout.points if text not in named)
    match = replace(match, named=named, unknown=unknown, of_class=best)
    draft = replace(draft, layout=replace(draft.layout, match=match))
    return draft, replace(project, settings=_settings(draft, command)).with_knowledge(knowledge)


def _project(draft: ProjectDraft, command: str) -> Project:
    return Project.of(_settings(draft, command))


def _settings(draft: ProjectDraft, command: str) -> Settings:
    content = tomllib.loads(project_text(draft, command))
    return Settings.parse(content, root=draft.folder.absolute(), file=str(draft.folder / "kaicep.toml"))


def _recording(project: Project, draft: ProjectDraft) -> pa.Table:
    stream = project.settings.streams[STREAM]
    files: list[Path] = []
    taken = 0
    for file in draft.sample.files:
        if files and taken > _MUCH:
            break
        files.append(file)
        taken += file.stat().st_size
    return concatenate([batch.table for batch in read_recording(files, stream)])


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as file:
            file.write_text(text, encoding="utf-8")


def _told(
    draft: ProjectDraft, project: Project, annotated: AnnotatedBatch, queries: Sequence[SampleQuery]
) -> Iterator[str]:
    yield f"readings: {_of_layout(draft.layout, draft)}"
    if draft.sample.encoding is not None:
        yield f"  they are not UTF-8: read as {draft.sample.encoding}"
    yield from _of_time(draft)
    yield from _of_ids(draft)
    yield from _of_model(draft, project.knowledge)
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
