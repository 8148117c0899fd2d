"""What the next engine of a project will answer, before there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...config import Settings
from ...errors import KaicepError, PipelineError
from ...language.checks import idle_contexts
from ..catalog import Catalog
from ..flow import Registration
from ..query_documents import query_files, read_document
from .submitted_queries import SubmittedDocument

__all__ = [
    "check_withdrawal",
    "idle_warnings",
    "parking_warnings",
    "refused_at_start",
    "registered_at_start",
    "registrations_at_start",
]


def registrations_at_start(
    project: Catalog, documents: Sequence[SubmittedDocument]
) -> tuple[list[Registration], dict[str, KaicepError]]:
    """Return what `registered_at_start` and `refused_at_start` do, together.

    Raises:
        KaicepError: one of the project file is wrong.
    """
    found: list[Registration] = []
    for path in query_files(project.settings):
        found += project.registrations(read_document(path), path.name, [r.query for r in found], taken=_labels(found))
    refused: dict[str, KaicepError] = {}
    for document in documents:
        try:
            found += _accepted(project, document, found)
        except KaicepError as error:  # the engine parks it
            refused |= dict.fromkeys(document.queries, error)
    return found, refused


def registered_at_start(project: Catalog, documents: Sequence[SubmittedDocument]) -> list[Registration]:
    """Return the queries of the project file, then those that were submitted and are accepted.

    Raises:
        KaicepError: one of the project file is wrong.
    """
    return registrations_at_start(project, documents)[0]


def refused_at_start(project: Catalog, documents: Sequence[SubmittedDocument]) -> dict[str, KaicepError]:
    """Return by label why queries that were submitted are parked at the next start.

    Raises:
        KaicepError: one of the project file is wrong.
    """
    return registrations_at_start(project, documents)[1]


def idle_warnings(project: Catalog, known: Iterable[Registration], own: Sequence[Registration]) -> list[str]:
    """Say of contexts that nothing initiates, of the sets that new queries speak of; later ones may.

    Args:
        project: its.
        known: the queries that are registered.
        own: the new ones.
    """
    asked = {contexts.name for one in own for contexts in one.query.context_sets}
    if not asked:
        return []
    every = {one.label: one.query for one in (*known, *own)}
    found = project.vocabulary(tuple(every.values())).contexts
    return [f"warning: {line}" for line in idle_contexts({name: of for name, of in found.items() if name in asked})]


def parking_warnings(settings: Settings) -> list[str]:
    """Say what whoever parks a query loses."""
    lost = "warning: there is no archive of what it misses: resumed, it begins anew ([archive] enabled)"
    return [] if settings.archive.enabled else [lost]


def check_withdrawal(project: Catalog, documents: Sequence[SubmittedDocument], name: str) -> None:
    """Refuse to withdraw a query without which others would be refused at the next start.

    With the last query of a document go the sets of contexts that it declares.

    Args:
        project: its.
        documents: those that were submitted; the query is one of theirs.
        name: the label of the query.

    Raises:
        PipelineError: others need it.
        KaicepError: a query of the project file is wrong.
    """
    before, _ = registrations_at_start(project, documents)
    left = [replace(one, queries=tuple(q for q in one.queries if q != name)) for one in documents]
    after, refused = registrations_at_start(project, [one for one in left if one.queries])
    kept = {registration.label for registration in after}
    lost = [registration.label for registration in before if registration.label not in {*kept, name}]
    if lost:
        reason = refused[lost[0]].message
        raise PipelineError(
            f"without '{name}' {', '.join(lost)} cannot be answered: {reason}",
            hint=f"withdraw {' and '.join(lost)} first",
        )


def _accepted(project: Catalog, document: SubmittedDocument, known: Sequence[Registration]) -> Sequence[Registration]:
    """The queries of a document that are registered still.

    Raises:
        KaicepError: it is refused, behind those that are known.
    """
    taken, outputs = _labels(known), [registration.query for registration in known]
    queries = project.registrations(document.text, document.label, outputs, document.retention, taken=taken)
    left = document.left(queries)
    double = next((registration.label for registration in left if registration.label in taken), None)
    if double is not None:
        raise PipelineError(
            f"a query named '{double}' is registered already",
            hint="withdraw one of them, or give it another name with CREATE QUERY … AS",
        )
    return left


def _labels(registrations: Sequence[Registration]) -> list[str]:
    return [registration.label for registration in registrations]
