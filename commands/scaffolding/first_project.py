"""`kaicep init`: from a model and readings to a project that works, with everything told that was found out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ...api import Project
from ...config import Settings
from ...errors import ConfigError, OntologyError
from ...explain import distinguishing_class
from ...pipeline.sources import concatenate, read_recording
from ...storage import write_atomically
from .project_file import STREAM, ProjectDraft, ontologies_text, project_text, several_fitting
from .project_findings import findings
from .sample_queries import sample_queries

__all__ = ["FirstProject", "write_project"]

_CONTRADICTIONS = (None, "leave_out", "warn")
_MUCH = 1 << 26
"""Bytes of readings that queries are tried on; of more the first ones will do."""


@dataclass(frozen=True, slots=True)
class FirstProject:
    """What is written, and what was found out.

    Attributes:
        files: relative path → text.
        told: lines for people.
    """

    files: dict[str, str]
    told: tuple[str, ...]


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
    return FirstProject(files, tuple(findings(draft, project.knowledge, annotated, queries)))


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
