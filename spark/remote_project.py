"""A project on its way to executors: broadcast once, opened once by each Python worker."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from typing import Protocol

from cachetools import LRUCache
from pyspark.sql import SparkSession

from ..errors import PipelineError
from ..ontology import KnowledgeBase
from ..pipeline import Catalog
from ..settings import QuerySettings

__all__ = ["RemoteProject", "opened", "packed"]

_MOST = 4
_OPENED: LRUCache[str, Catalog] = LRUCache(_MOST)
"""By digest, the projects that this process has opened; Spark's workers live on from task to task."""


class Delivery(Protocol):
    """Bytes that reach executors: a broadcast of Spark's."""

    @property
    def value(self) -> bytes:
        """They."""


@dataclass(frozen=True, slots=True)
class RemoteProject:
    """A project as tasks have it.

    Attributes:
        digest: of what it is made of.
        content: as `packed` gives it; looked at where the project is not open yet.
    """

    digest: str
    content: Delivery = field(compare=False)

    @classmethod
    def of(cls, project: Catalog, spark: SparkSession) -> RemoteProject:
        """Hand a project to the executors of a session."""
        content = packed(project)
        return cls(sha256(content).hexdigest(), spark.sparkContext.broadcast(content))

    @property
    def catalog(self) -> Catalog:
        """The project, opened in this process.

        Raises:
            PipelineError: another version of kaicep is installed here than where the project was packed.
        """
        known = _OPENED.get(self.digest)
        if known is None:
            known = _OPENED[self.digest] = opened(self.content.value)
        return known


def packed(project: Catalog) -> bytes:
    """What executors need of a project: its settings without actions, sinks and files, and its closed knowledge."""
    services: Mapping[str, object] = project.settings.queries.services
    none = {"actions": {}, "sinks": {}, "queries": QuerySettings.model_validate(services)}
    settings = project.settings.model_copy(update=none)
    return pickle.dumps((version("kaicep"), settings, project.knowledge.written()))


def opened(content: bytes) -> Catalog:
    """The project that was packed.

    Raises:
        PipelineError: by another version of kaicep.
    """
    by, settings, closure = pickle.loads(content)  # noqa: S301 - our own driver's
    here = version("kaicep")
    if by != here:
        raise PipelineError(
            f"the driver has kaicep {by}, and this executor {here}",
            hint="let PYSPARK_PYTHON name the same environment on driver and executors",
        )
    return Catalog.of_knowledge(settings, KnowledgeBase.of_closure(closure, settings.prefixes))
