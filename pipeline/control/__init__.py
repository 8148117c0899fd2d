"""What other processes ask of a running engine: queries, knowledge, actions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .folder_watch import FolderWatch
from .requests import Requests, RequestServer, SilentEngineError
from .submitted_queries import SubmittedDocument, SubmittedQueries, folder_of, free_label

if TYPE_CHECKING:
    from .action_admin import ActionAdmin, asked_of, has_actions
    from .engine_requests import EngineRequests
    from .knowledge_admin import KnowledgeAdmin
    from .start_registrations import (
        check_withdrawal,
        idle_warnings,
        parking_warnings,
        refused_at_start,
        registered_at_start,
        registrations_at_start,
    )
    from .state_admin import StateAdmin, asking_folder, rows_told
    from .submissions import Submissions

_LATER = {
    "ActionAdmin": ".action_admin",
    "EngineRequests": ".engine_requests",
    "KnowledgeAdmin": ".knowledge_admin",
    "StateAdmin": ".state_admin",
    "Submissions": ".submissions",
    "asked_of": ".action_admin",
    "asking_folder": ".state_admin",
    "check_withdrawal": ".start_registrations",
    "has_actions": ".action_admin",
    "idle_warnings": ".start_registrations",
    "parking_warnings": ".start_registrations",
    "refused_at_start": ".start_registrations",
    "registered_at_start": ".start_registrations",
    "registrations_at_start": ".start_registrations",
    "rows_told": ".state_admin",
}

__all__ = [
    "ActionAdmin",
    "EngineRequests",
    "FolderWatch",
    "KnowledgeAdmin",
    "RequestServer",
    "Requests",
    "SilentEngineError",
    "StateAdmin",
    "Submissions",
    "SubmittedDocument",
    "SubmittedQueries",
    "asked_of",
    "asking_folder",
    "check_withdrawal",
    "folder_of",
    "free_label",
    "has_actions",
    "idle_warnings",
    "parking_warnings",
    "refused_at_start",
    "registered_at_start",
    "registrations_at_start",
    "rows_told",
]


def __getattr__(name: str) -> object:
    """What changes a running engine, on first use: who asks it for something needs none of that."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
