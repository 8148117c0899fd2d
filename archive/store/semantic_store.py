"""The semantic store as settings want it: in a folder of the archive, or behind a SPARQL endpoint."""

from __future__ import annotations

import uuid
from pathlib import Path

from ...errors import ArchiveError, Place
from ...settings import ArchiveSettings
from ...storage import replacing
from ..folder_layout import IDENTITY, STORE
from .endpoint import Endpoint, update_url
from .endpoint_store import EndpointStore
from .oxigraph_store import EventStore

SemanticStore = EventStore | EndpointStore


def open_semantic_store(settings: ArchiveSettings, root: Path) -> SemanticStore | None:
    """Open the store that the settings name; `None`: they want none.

    Raises:
        ArchiveError: another process has it open, it is damaged, or its folder cannot be made. An endpoint that does
            not answer is no error: it may do later.
    """
    if not settings.store:
        return None
    if settings.endpoint is None:
        return EventStore(root / STORE, settings.bucket)
    return endpoint_store(settings, settings.endpoint, root)


def endpoint_store(settings: ArchiveSettings, endpoint: str, root: Path) -> EndpointStore:
    """The store behind an endpoint, for the archive in a folder."""
    updates = settings.endpoint_update or update_url(endpoint)
    return EndpointStore(Endpoint(endpoint, updates), settings.bucket, _identity(root))


def _identity(root: Path) -> str:
    """What tells this archive from any other: made once."""
    file = root / IDENTITY
    try:
        if not file.exists():
            with replacing(file) as temporary:
                temporary.write_text(uuid.uuid4().hex, encoding="utf-8")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ArchiveError(
            f"the archive's identity cannot be kept: {error.strerror}",
            place=Place(str(file)),
            hint="choose another path under [archive]",
        ) from error
