"""The client of an engine's ontology modules: asks the running engine if there is one, else prepares its next start."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ...config import Settings
from ...errors import OntologyError
from ...ontology import knowledge_of
from ...ontology.modules import Module, ModuleChange, find_named, named_ontologies, with_module, without_module
from ...ontology.reasoners import close
from ...pipeline import query_files, read_document
from ...pipeline.control import Requests
from ...pipeline.knowledge import Entry, KnowledgeStore, Version
from ...storage import SETTLED, Telling, untold
from ..project import Project

__all__ = [
    "MODULE_COLUMNS",
    "SHIPPED_COLUMNS",
    "add_module",
    "change_module",
    "list_modules",
    "list_shipped",
    "remove_module",
]

MODULE_COLUMNS = ("module", "triples", "from", "version", "batch", "since")
SHIPPED_COLUMNS = ("name", "version", "title", "licence")

_LIMIT_S = 3600.0  # reasoners take their time


def add_module(settings: Settings, path: Path, replacing: str | None) -> list[str]:
    """Add or replace a module; what happened, in lines.

    Raises:
        KaicepError: it is refused; nothing has changed.
    """
    return change_module(settings, Module.load(_document(path), settings.root), replacing)


def change_module(
    settings: Settings,
    module: Module,
    replacing: str | None,
    seconds: float | None = None,
    told: Telling = untold,
) -> list[str]:
    """As `add_module`, of a module that has no file.

    Args:
        settings: of the project.
        module: what it says from now on.
        replacing: the module whose place it takes, if that is another one.
        seconds: an engine that runs reasons no longer over it.
        told: hears how far it is; behind `writing` it has happened.

    Raises:
        KaicepError: it is refused; nothing has changed.
    """
    store, requests = KnowledgeStore.of(settings), Requests(KnowledgeStore.of(settings).folder)
    if requests.engine_runs():
        store.keep([module])
        asked = {"add": asdict(Entry.of(module)), "replacing": replacing, "seconds": seconds}
        return list(requests.ask(asked, _LIMIT_S, told))
    try:
        told("reasoning", 0.0)
        project = Project.of(settings)
        change = with_module(project.knowledge.modules, module, replacing=replacing)
        return _changed(project, store, change, told)
    finally:
        requests.lock.release()


def _document(path: Path) -> Path:
    """The file, also of an ontology by its name."""
    named = find_named(str(path), Path.cwd())
    if named is not None and len(named) > 1:
        files = " and ".join(str(file) for file in named)
        raise OntologyError(f"'{path}' is several modules", hint=f"list it in the project file, or add them: {files}")
    return path.absolute() if named is None else named[0]


def remove_module(settings: Settings, name: str, seconds: float | None = None, told: Telling = untold) -> list[str]:
    """Remove a module; what happened, in lines.

    Args:
        settings: of the project.
        name: its file, file name or ontology IRI.
        seconds: an engine that runs reasons no longer over what is left.
        told: as of `change_module`.

    Raises:
        KaicepError: it is refused; nothing has changed.
    """
    store, requests = KnowledgeStore.of(settings), Requests(KnowledgeStore.of(settings).folder)
    if requests.engine_runs():
        return list(requests.ask({"remove": name, "seconds": seconds}, _LIMIT_S, told))
    try:
        told("reasoning", 0.0)
        project = Project.of(settings)
        return _changed(project, store, without_module(project.knowledge.modules, name), told)
    finally:
        requests.lock.release()


def _changed(project: Project, store: KnowledgeStore, change: ModuleChange, told: Telling) -> list[str]:
    knowledge = knowledge_of(project.settings, change.modules, partial(close, told=told), told)
    told("comparing", 0.0)
    after = project.with_knowledge(knowledge)
    for path in query_files(project.settings):
        after.compile(read_document(path), source=path.name)
    told(SETTLED, 0.0)
    store.change(change)
    return ["takes over when the engine starts", f"{change}: {after.knowledge.size}"]


def list_shipped() -> list[dict[str, Any]]:
    """The ontologies that may be listed by name, as rows of `SHIPPED_COLUMNS`."""
    return [{name: getattr(o, name) for name in SHIPPED_COLUMNS} for o in named_ontologies().values()]


def list_modules(settings: Settings) -> tuple[list[dict[str, Any]], list[str]]:
    """The modules that judge the next batch as rows of `MODULE_COLUMNS`, and what is to be said of them as a whole."""
    store = KnowledgeStore.of(settings)
    knowledge = Project.of(settings).knowledge
    versions = store.versions()
    added = {entry.digest for entry in store.changes.added}
    rows = [_row(module, versions, added) for module in knowledge.modules]
    said = store.in_words(knowledge)
    if not versions:
        return rows, [f"{said}; takes over when the engine starts"]
    if versions[-1].digest != knowledge.version:
        return rows, [f"{said}; takes over with the next batch, after {versions[-1]}"]
    return rows, [said]


def _row(module: Module, versions: tuple[Version, ...], added: set[str]) -> dict[str, Any]:
    since = _since(module, versions)
    origin = "import" if module.imported else "added" if module.digest in added else "project"
    taken = (None, None, None) if since is None else (since.number, since.batch, since.since)
    return dict(zip(MODULE_COLUMNS, (module.source, len(module.triples), origin, *taken), strict=True))


def _since(module: Module, versions: tuple[Version, ...]) -> Version | None:
    """The version since which the module has been in force without a break."""
    since = None
    for version in reversed(versions):
        if all(entry.digest != module.digest for entry in version.modules):
            break
        since = version
    return since
