"""The kinds of semantic stores, by name; a kind is a class that does what `WritableStore` says, in its own file."""

from __future__ import annotations

from collections.abc import Mapping

from ...settings import ArchiveSettings
from .endpoint_store import EndpointStore
from .oxigraph_store import OxigraphStore
from .store import WritableStore

STORE_KINDS: Mapping[str, type[WritableStore]] = {"oxigraph": OxigraphStore, "endpoint": EndpointStore}


def store_kind(settings: ArchiveSettings) -> type[WritableStore]:
    """The kind that `[archive]` chooses."""
    return STORE_KINDS["oxigraph" if settings.endpoint is None else "endpoint"]
