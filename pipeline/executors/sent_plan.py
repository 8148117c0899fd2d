"""A plan as it is sent to other processes: settings and queries with the task, the closed knowledge in a file.

FILTERs of PATHs hold rdflib's algebra, whose nodes pickle cannot make again by itself: it is told how.
"""

from __future__ import annotations

import copyreg
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from cachetools import LRUCache
from rdflib.plugins.sparql.parserutils import CompValue, Expr

from ...config import Settings
from ...errors import PipelineError
from ...ontology import KnowledgeBase
from ...storage import SharedFolder
from ..catalog import Catalog
from ..flow import Registration
from ..sharding import WRITTEN_KNOWLEDGE, HostingPlan

__all__ = ["SentPlan", "own_versions", "sent_text", "told_plan"]

_LIBRARIES = ("kaicep", "pyarrow", "polars", "pyoxigraph")
_PLANS = 4
_KNOWN: LRUCache[str, HostingPlan] = LRUCache(_PLANS)
_PROJECTS: LRUCache[str, Catalog] = LRUCache(_PLANS)


@dataclass(frozen=True, slots=True)
class SentPlan:
    """A plan without its knowledge.

    Attributes:
        key: of the plan.
        settings: of the project.
        registrations: the queries.
        shards: into how many a query is cut at most.
        versions: of what answers queries, where the plan was made.
        project: tells its settings and knowledge from those of all others.
        kept: see `HostingPlan`.
        durable: likewise.
    """

    key: str
    settings: Settings
    registrations: tuple[Registration, ...]
    shards: int
    versions: Mapping[str, str]
    project: str
    kept: Mapping[str, str]
    durable: bool

    @classmethod
    def of(cls, plan: HostingPlan, folder: SharedFolder) -> SentPlan:
        """What is sent of a plan; its knowledge is written into a folder that all processes reach."""
        knowledge = plan.catalog.knowledge
        sent = cls(
            plan.key,
            plan.catalog.settings,
            plan.registrations,
            plan.shards,
            own_versions(),
            sha256(knowledge.version.encode() + pickle.dumps(plan.catalog.settings)).hexdigest()[:32],
            dict(plan.kept),
            plan.durable,
        )
        if sent.knowledge not in folder.names():
            folder.write(sent.knowledge, [knowledge.written()])
        return sent

    @property
    def knowledge(self) -> str:
        """The name of the file of its knowledge."""
        return WRITTEN_KNOWLEDGE.replace("*", self.project)

    def plan(self, folder: SharedFolder) -> HostingPlan:
        """The plan in this process; its knowledge is read once, whatever plans there are of it.

        Raises:
            PipelineError: this process does not reach the folder, or has other versions.
        """
        if self.key not in _KNOWN:
            _KNOWN[self.key] = self._read(folder)
        return _KNOWN[self.key]

    def _read(self, folder: SharedFolder) -> HostingPlan:
        others = [
            f"{name} {theirs} there, {self.versions.get(name)} here"
            for name, theirs in own_versions().items()
            if self.versions.get(name) != theirs
        ]
        if others:
            raise PipelineError(
                f"the executors have other versions than the driver: {', '.join(others)}",
                hint="install the same on all machines, or send one environment (spark.archives)",
            )
        if self.project not in _PROJECTS:
            _PROJECTS[self.project] = self._catalog(folder)
        catalog = _PROJECTS[self.project]
        return HostingPlan(self.key, catalog, self.registrations, self.shards, self.kept, self.durable)

    def _catalog(self, folder: SharedFolder) -> Catalog:
        try:
            triples = bytes(folder.read(self.knowledge))
        except OSError as error:
            raise PipelineError(
                f"an executor does not reach {folder}: {error}", hint="name a folder that all machines share"
            ) from error
        knowledge = KnowledgeBase.of_closure(triples, self.settings.prefixes)
        return Catalog.of_knowledge(self.settings, knowledge)


def sent_text(sent: SentPlan) -> bytes:
    """A plan as it goes with each job: it is pickled once, and read where it is not known yet."""
    return pickle.dumps(sent)


def told_plan(key: str, sent: bytes, folder: SharedFolder) -> HostingPlan:
    """The plan of a job in this process; see `SentPlan.plan`.

    Args:
        key: of the plan.
        sent: what `sent_text` gave.
        folder: with its knowledge.
    """
    known = _KNOWN.get(key)
    if known is not None:
        return known
    plan: SentPlan = pickle.loads(sent)  # noqa: S301 - the driver's own
    return plan.plan(folder)


def own_versions() -> dict[str, str]:
    """The versions of what answers queries, in this process."""
    return {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **{name: version(name) for name in _LIBRARIES},
    }


def _algebra(name: str, values: Mapping[str, Any]) -> CompValue:
    return CompValue(name, **values)


def _expression(name: str, evaluated: Callable[[Any, Any], Any] | None, values: Mapping[str, Any]) -> Expr:
    return Expr(name, evaluated, **values)


def _reduced_algebra(node: CompValue) -> tuple[Callable[..., CompValue], tuple[Any, ...]]:
    return _algebra, (node.name, dict(node.items()))


def _reduced_expression(node: Expr) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
    method = vars(node).get("_evalfn")
    return _expression, (node.name, None if method is None else method.__func__, dict(node.items()))


copyreg.pickle(CompValue, _reduced_algebra)
copyreg.pickle(Expr, _reduced_expression)
