"""The χ-CEP documents that were submitted to a project: registered until they are withdrawn, over restarts.

`queries/documents/<number>.json` in the engine's state, one file each, in the order of submission.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from pathlib import Path

from ...config import Settings
from ...errors import PipelineError, Place, did_you_mean
from ...storage import mirrored_files, read_mirrored, remove_mirrored, write_mirrored
from ..flow import Registration

__all__ = ["SubmittedDocument", "SubmittedQueries", "folder_of", "free_label"]


@dataclass(frozen=True, slots=True)
class SubmittedDocument:
    """One that was submitted.

    Attributes:
        label: what its unnamed query is called.
        text: χ-CEP.
        retention: bounds the state of queries that no WINDOW bounds.
        queries: labels of those that are registered still.
        number: counted from 1; 0: it is not kept.
        labels: of all its queries, in the order of the text; another engine may number them otherwise.
    """

    label: str
    text: str
    retention: timedelta | None
    queries: tuple[str, ...]
    number: int = 0
    labels: tuple[str, ...] = ()

    def left(self, registrations: Sequence[Registration]) -> tuple[Registration, ...]:
        """Those of its queries that are registered still, called what they were called when it was submitted."""
        labels = self.labels or tuple(registration.label for registration in registrations)
        called = (replace(one, label=label) for one, label in zip(registrations, labels, strict=True))
        return tuple(registration for registration in called if registration.label in self.queries)


class SubmittedQueries:
    """The documents of one project; one process writes at a time.

    Args:
        folder: of the queries in the engine's state; made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "documents"

    def documents(self) -> tuple[SubmittedDocument, ...]:
        """All of them, in the order of submission.

        Raises:
            PipelineError: a file cannot be read.
        """
        return tuple(_read(path) for path in self._paths())

    def document_of(self, label: str) -> SubmittedDocument:
        """The one that a query stands in.

        Raises:
            PipelineError: there is none.
        """
        documents = self.documents()
        known = [query for document in documents for query in document.queries]
        found = next((document for document in documents if label in document.queries), None)
        if found is None:
            hint = did_you_mean(label, known) or f"submitted: {', '.join(known) or 'none'}"
            raise PipelineError(f"no query '{label}' was submitted", hint=hint)
        return found

    def add(self, document: SubmittedDocument) -> None:
        """Keep a document; when this returns, it survives a crash of the machine."""
        last = max((int(path.stem) for path in self._paths()), default=0)
        self._write(replace(document, number=last + 1, labels=document.queries))

    def withdraw(self, label: str) -> None:
        """Forget a query, and its document with the last of its queries.

        Raises:
            PipelineError: no such query was submitted.
        """
        document = self.document_of(label)
        left = tuple(query for query in document.queries if query != label)
        if left:
            self._write(replace(document, queries=left))
        else:
            remove_mirrored(self._path(document.number))

    def _write(self, document: SubmittedDocument) -> None:
        content = {
            "label": document.label,
            "text": document.text,
            "retention": None if document.retention is None else document.retention.total_seconds(),
            "queries": document.queries,
            "labels": document.labels,
        }
        write_mirrored(self._path(document.number), json.dumps(content, ensure_ascii=False, indent=1).encode())

    def _paths(self) -> list[Path]:
        return mirrored_files(self._folder, "[0-9]*.json")

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.json"


def folder_of(settings: Settings) -> Path:
    """Where an engine's state keeps what it knows of queries."""
    return settings.path(settings.engine.state) / "queries"


def free_label(taken: Collection[str]) -> str:
    """What a query that nobody gave a name is called: `query-1`, `query-2`, …, the first that is not taken.

    Several queries of one document are called `query-1-1`, `query-1-2`, …
    """
    names = (f"query-{number}" for number in count(1))
    return next(name for name in names if not any(t == name or t.startswith(f"{name}-") for t in taken))


def _read(path: Path) -> SubmittedDocument:
    try:
        content = json.loads(read_mirrored(path))
        seconds = content["retention"]
        retention = None if seconds is None else timedelta(seconds=seconds)
        return SubmittedDocument(
            content["label"],
            content["text"],
            retention,
            tuple(content["queries"]),
            int(path.stem),
            tuple(content.get("labels", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PipelineError(
            "a submitted query cannot be read", place=Place(str(path)), hint="remove the file, and submit it again"
        ) from error
