"""Which batch took which files, which could not be read, and how far the rows are: durable lines in, and told."""

from __future__ import annotations

from .arrival import arrival_of
from .batch_journal import BatchFiles, BatchJournal, Files

__all__ = ["BatchFiles", "BatchJournal", "Files", "arrival_of"]
