"""Changing the ontology modules of a running engine: prepared in the background, in force from a batch border on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import KaicepError, OntologyError, PipelineError
from ...ontology import knowledge_of
from ...ontology.modules import (
    Module,
    ModuleChange,
    RuleStatement,
    updated_rules,
    with_module,
    without_module,
)
from ...ontology.reasoners import close_in_process
from ...storage import SETTLED, Telling, untold
from ..durability import CheckpointedFlow
from ..knowledge import Entry, KnowledgeSwap, Version, prepare_swap
from .asked_request import AskedRequest
from .folder_watch import FolderWatch
from .requests import Requests, RequestServer

__all__ = ["KnowledgeAdmin"]


class KnowledgeAdmin:
    """The ontology modules of a running engine, and what other processes ask of them.

    A change that cannot take over is refused with the reason, and what was in force stays in force.

    Args:
        flow: whose knowledge it is.
        say: takes a line of the log.
        watch: looks for requests; `None`: one of its own.

    Raises:
        PipelineError: another engine runs this project.
    """

    def __init__(self, flow: CheckpointedFlow, say: Callable[[str], None], watch: FolderWatch | None = None) -> None:
        self._flow = flow
        self._versions = flow.versions
        self._say = say
        self._requests = Requests(flow.versions.store.folder)
        self._requests.serve()
        self._changing = threading.Lock()
        self._closed = False
        self._server = RequestServer(self._requests, self._answered, "kaicep-ontology", watch)

    @property
    def version(self) -> Version | None:
        """What judged the last batch; `None` before the first."""
        return self._flow.version

    @property
    def versions(self) -> tuple[Version, ...]:
        """All versions that were ever in force, in order."""
        return self._versions.store.versions()

    @property
    def modules(self) -> tuple[Module, ...]:
        """The modules that judge the next batch, imported ones among them."""
        return self._versions.newest.knowledge.modules

    def add(self, path: str | Path, *, replacing: str | None = None) -> KnowledgeSwap:
        """Add a module, or replace one; returns when it is ready to take over at the next batch border.

        Args:
            path: of its file; it takes the place of the module of the same file or ontology IRI.
            replacing: file, file name or ontology IRI of the module whose place it takes.

        Raises:
            OntologyError, AnnotationError, QueryTypeError: it is refused; nothing has changed.
        """
        module = Module.load(Path(path).absolute(), self._versions.newest.settings.root)
        return self._add(module, replacing)

    def remove(self, name: str) -> KnowledgeSwap:
        """Remove the module of this file, file name or ontology IRI; otherwise as `add`.

        Raises:
            OntologyError, AnnotationError, QueryTypeError: it is refused; nothing has changed.
        """
        return self._removed(name)

    def state(self, statements: Sequence[RuleStatement]) -> None:
        """Let the module `rules` say what rules ask for; durable when this returns, in force from the next batch on.

        Args:
            statements: in order; those that were done just before a crash are passed over.

        Raises:
            OntologyError, AnnotationError, QueryTypeError: it is refused; nothing has changed.
            PipelineError: the engine ends; likewise.
        """
        with self._changing:
            if self._closed:
                raise PipelineError("the engine ends", hint="the next one does it")
            done = {key for keys in self._versions.store.changes.stated for key in keys}
            new = [statement for statement in statements if statement.key not in done]
            modules = self._versions.newest.knowledge.modules
            module, keys = updated_rules(modules, new), [statement.key for statement in new]
            if module is not None:
                self._swap(with_module(modules, module), keys)
            else:  # it would make one later
                self._versions.store.note(keys)

    def close(self) -> None:
        """Finish the change at work, and answer no more."""
        self._server.close()
        with self._changing:
            self._closed = True
            self._requests.lock.release()

    def _add(
        self, module: Module, replacing: str | None, seconds: float | None = None, told: Telling = untold
    ) -> KnowledgeSwap:
        return self._change(lambda modules: with_module(modules, module, replacing=replacing), seconds, told)

    def _removed(self, name: str, seconds: float | None = None, told: Telling = untold) -> KnowledgeSwap:
        return self._change(lambda modules: without_module(modules, name), seconds, told)

    def _change(
        self, make: Callable[[tuple[Module, ...]], ModuleChange], seconds: float | None, told: Telling
    ) -> KnowledgeSwap:
        with self._changing:
            return self._swap(make(self._versions.newest.knowledge.modules), seconds=seconds, told=told)

    def _swap(
        self,
        change: ModuleChange,
        stated: Sequence[str] = (),
        *,
        seconds: float | None = None,
        told: Telling = untold,
    ) -> KnowledgeSwap:
        newest = self._versions.newest
        closing = partial(close_in_process, seconds=seconds, told=told)
        knowledge = knowledge_of(newest.settings, change.modules, closing, told)
        told("comparing", 0.0)
        flows = dict(self._flow.dataflow.flows)
        swap = prepare_swap(self._flow.project, newest.with_knowledge(knowledge), flows, str(change))
        told(SETTLED, 0.0)
        self._versions.store.keep(knowledge.modules)
        self._versions.store.change(change, stated)
        self._versions.announce(swap)
        return swap

    def _answered(self, content: Mapping[str, Any], asked: AskedRequest) -> list[str] | KaicepError:
        try:
            swap = self._asked(content, asked.tell)
        except KaicepError as error:
            self._say(f"ontology: refused: {error}")
            return error
        except Exception as error:  # noqa: BLE001 - whoever asked has to hear of it, and the engine goes on
            return OntologyError(f"the change failed: {error!r}", hint="what was in force goes on")
        return ["takes over with the next batch", *swap.summary]

    def _asked(self, content: Mapping[str, Any], told: Telling) -> KnowledgeSwap:
        seconds = content.get("seconds")
        if "add" in content:
            module = self._versions.store.module(Entry.read(content["add"]))
            return self._add(module, content["replacing"], seconds, told)
        return self._removed(content["remove"], seconds, told)
