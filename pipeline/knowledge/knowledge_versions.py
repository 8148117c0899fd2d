"""Which knowledge judges which batch: an event is judged by the version in force in the batch that brought it.

A version is noted durably before the first batch that it judges, so a batch that is delivered again, and a replay of
the log, find the version of the first time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from ...ontology import ClosingRules, close_modules
from ...ontology.reasoners import NO_LIMITS
from ...semfilter import SemanticFilter
from ..catalog import Catalog
from .knowledge_store import KnowledgeStore, Version
from .knowledge_swap import KnowledgeSwap

__all__ = ["BatchKnowledge", "KnowledgeVersions"]


@dataclass(frozen=True, slots=True)
class BatchKnowledge:
    """What judges a batch.

    Attributes:
        version: its number and modules.
        project: with that knowledge.
        filters: semantic filters over it that are ready, by (label, event variable).
        swap: the change that begins with this batch; `None`: there is none, or it was made while nothing ran.
    """

    version: Version
    project: Catalog
    filters: Mapping[tuple[str, str], SemanticFilter] = field(default_factory=dict)
    swap: KnowledgeSwap | None = None


class KnowledgeVersions:
    """The versions of an engine's knowledge, past ones and the one to come.

    Args:
        project: with the newest knowledge.
        store: what is durable.

    Attributes:
        begun: the last batch that an earlier engine may have begun: no new version judges it.
    """

    def __init__(self, project: Catalog, store: KnowledgeStore) -> None:
        self.begun = 0
        self.store = store
        self._newest = project
        self._announced: KnowledgeSwap | None = None
        self._loaded: tuple[str, Catalog] | None = None
        self._lock = Lock()

    @property
    def newest(self) -> Catalog:
        """The project with the knowledge that judges the next batch."""
        return self._newest

    @property
    def waiting(self) -> bool:
        """Whether a change waits for a batch border."""
        return self._announced is not None

    def announce(self, swap: KnowledgeSwap) -> None:
        """Let a change take over at the next batch border, in the place of one that has not."""
        with self._lock:
            self._newest = swap.project
            self._announced = swap

    def begin(self, batch: int) -> BatchKnowledge:
        """What judges a batch that begins now; durable when this returns."""
        with self._lock:
            version, latest = self.store.at(batch), self.store.at(2**62)
            later = latest is not None and latest.batch > batch
            if version is not None and (later or batch <= self.begun):
                return BatchKnowledge(version, self.project_of(version))
            swap, self._announced = self._announced, None
            filters = {} if swap is None else swap.filters
            if version is not None and version.digest == self._newest.knowledge.version:
                return BatchKnowledge(version, self._newest, filters)
            first = "the first" if version is None else "the project's modules were changed"
            change = first if swap is None else swap.change
            version = self.store.begin(self._newest.knowledge, batch, change, self._newest.shapes)
            return BatchKnowledge(version, self._newest, filters, swap)

    def at(self, batch: int) -> Catalog:
        """The project with the knowledge that judged a batch."""
        version = self.store.at(batch)
        return self._newest if version is None else self.project_of(version)

    def project_of(self, version: Version) -> Catalog:
        """The project with the knowledge of a version; closed again if it is not the newest."""
        if version.digest == self._newest.knowledge.version:
            return self._newest
        if self._loaded is None or self._loaded[0] != version.digest:
            prefixes = self._newest.settings.prefixes
            rules = ClosingRules(version.reasoner, version.on_contradiction, prefixes, NO_LIMITS)
            knowledge = close_modules(self.store.modules(version), rules)
            self._loaded = (version.digest, self._newest.with_knowledge(knowledge))
        return self._loaded[1]
