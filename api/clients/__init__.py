"""What another process asks of a project: the running engine does it, else the project's next start."""

from __future__ import annotations

from .action_client import FAILED_COLUMNS, WAITING_COLUMNS, failed_calls, retry_calls, waiting_calls
from .archive_client import complete_store, store_lacks
from .asking_client import ask_states
from .ontology_client import (
    MODULE_COLUMNS,
    SHIPPED_COLUMNS,
    add_module,
    change_module,
    list_modules,
    list_shipped,
    remove_module,
)
from .status_client import KnownStatus, engine_lives, known_status, remote_status
from .status_report import print_status, status_json, watch_status
from .submission_client import QUERY_COLUMNS, list_queries, park, resume, submit, withdraw

__all__ = [
    "FAILED_COLUMNS",
    "MODULE_COLUMNS",
    "QUERY_COLUMNS",
    "SHIPPED_COLUMNS",
    "WAITING_COLUMNS",
    "KnownStatus",
    "add_module",
    "ask_states",
    "change_module",
    "complete_store",
    "engine_lives",
    "failed_calls",
    "known_status",
    "list_modules",
    "list_queries",
    "list_shipped",
    "park",
    "print_status",
    "remote_status",
    "remove_module",
    "resume",
    "retry_calls",
    "status_json",
    "store_lacks",
    "submit",
    "waiting_calls",
    "watch_status",
    "withdraw",
]
