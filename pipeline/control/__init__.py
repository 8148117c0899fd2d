"""What other processes ask of a running engine: queries, knowledge."""

from __future__ import annotations

from .knowledge_admin import LivingKnowledge
from .requests import Requests, Server
from .submitted_queries import Document, SubmittedQueries, folder_of, free_label

__all__ = ["Document", "LivingKnowledge", "Requests", "Server", "SubmittedQueries", "folder_of", "free_label"]
