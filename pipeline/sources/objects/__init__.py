"""Objects of a bucket as a source: found by the engine, in the order of their names, each once; read by any process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .listed_objects import ListedObjects, is_object_source, listings_of
from .object_watch import ObjectWatch

if TYPE_CHECKING:
    from .object_source import ObjectSource

__all__ = ["ListedObjects", "ObjectSource", "ObjectWatch", "is_object_source", "listings_of"]


def __getattr__(name: str) -> object:
    """What reads objects, on first use: whoever asks whether there are any needs none of it."""
    if name == "ObjectSource":
        from .object_source import ObjectSource  # noqa: PLC0415 - see above

        return ObjectSource
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
