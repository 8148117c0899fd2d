"""A data flow over a project that other processes answer, or that is made for them."""

from __future__ import annotations

from ..catalog import Catalog
from ..flow import Dataflow

__all__ = ["CatalogFlow"]


class CatalogFlow(Dataflow):
    """A data flow whose queries fail each by itself, and for which no time is set.

    Args:
        project: settings, knowledge, annotations.
    """

    def __init__(self, project: Catalog) -> None:
        super().__init__(
            project.judgement,
            {name: stream.lateness for name, stream in project.settings.streams.items()},
            project.options,
            limits=project.limits,
            isolated=True,
            identities=project.settings.engine.identities,
            services=project.settings.queries,
        )
