"""Rows about contexts that are alarms in; what became of each alarm, and the event that acknowledges one, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .acknowledgement import Acknowledgements
    from .alarm_catalog import AlarmCatalog
    from .alarm_endpoint import alarm_routes

_LATER = {
    "Acknowledgements": ".acknowledgement",
    "AlarmCatalog": ".alarm_catalog",
    "alarm_routes": ".alarm_endpoint",
}

__all__ = ["Acknowledgements", "AlarmCatalog", "alarm_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
