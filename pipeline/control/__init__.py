"""What other processes ask of a running engine: queries, knowledge."""

from __future__ import annotations

from .knowledge_admin import KnowledgeAdmin
from .requests import Requests, RequestServer
from .submissions import Submissions
from .submitted_queries import SubmittedDocument, SubmittedQueries, folder_of, free_label

__all__ = [
    "KnowledgeAdmin",
    "RequestServer",
    "Requests",
    "Submissions",
    "SubmittedDocument",
    "SubmittedQueries",
    "folder_of",
    "free_label",
]
