"""The client of an engine's queries: asks the running engine if there is one, else prepares its next start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ...config import Settings
from ...errors import KaicepError, PipelineError, did_you_mean
from ...pipeline.control import (
    Requests,
    SubmittedDocument,
    SubmittedQueries,
    check_withdrawal,
    folder_of,
    free_label,
    idle_warnings,
    parking_warnings,
    refused_at_start,
    registered_at_start,
    registrations_at_start,
)
from ...pipeline.durability import (
    forget_parking,
    park_at_start,
    parked_already,
    parked_at_start,
    parked_at_stop,
    resume_at_start,
)
from ..project import Project

__all__ = ["QUERY_COLUMNS", "list_queries", "park", "resume", "submit", "withdraw"]

QUERY_COLUMNS = ("query", "state", "matches", "from", "now", "parked")


def submit(settings: Settings, text: str, label: str | None, retention: timedelta | None) -> list[str]:
    """Register the queries of a document; what happened, in lines.

    Args:
        settings: of the project.
        text: χ-CEP.
        label: what an unnamed query is called; `None`: `query-1` or the like.
        retention: bounds the state of queries that no WINDOW bounds.

    Raises:
        KaicepError: it is refused; nothing of it is registered.
    """
    requests = Requests(folder_of(settings))
    if requests.engine_runs():
        seconds = None if retention is None else retention.total_seconds()
        return list(requests.ask({"submit": text, "label": label, "retention": seconds}))
    try:
        project, submitted = Project.of(settings), SubmittedQueries(folder_of(settings))
        documents = submitted.documents()
        known = registered_at_start(project, documents)
        taken = [*(r.label for r in known), *(query for document in documents for query in document.queries)]
        outputs = [r.query for r in known]
        label = label or free_label(taken)
        registrations = project.registrations(text, label, outputs, retention, taken=taken)
        for registration in registrations:
            project.dataflow().compile(registration)  # what an engine refuses would keep it from starting
        queries = tuple(registration.label for registration in registrations)
        double = next((query for query in queries if query in taken), None)
        if double is not None:
            raise PipelineError(
                f"a query named '{double}' is registered already",
                hint="withdraw it first, or give the new one another name with CREATE QUERY … AS",
            )
        submitted.add(SubmittedDocument(label, text, retention, queries))
        said = [f"{query}: registered, it is answered when an engine starts" for query in queries]
        return [*idle_warnings(project, known, registrations), *said]
    finally:
        requests.lock.release()


def withdraw(settings: Settings, name: str) -> list[str]:
    """Withdraw a query that was submitted; what happened, in lines.

    Raises:
        KaicepError: there is none, or others cannot do without it.
    """
    requests = Requests(folder_of(settings))
    if requests.engine_runs():
        return list(requests.ask({"withdraw": name}))
    try:
        submitted = SubmittedQueries(folder_of(settings))
        submitted.document_of(name)
        project, documents = Project.of(settings), submitted.documents()
        known = registered_at_start(project, documents)
        readers = [r.label for r in known if name in {s.stream.name for s in r.query.sources}]
        if readers:
            raise PipelineError(f"'{name}' is read by {', '.join(readers)}", hint="withdraw the readers first")
        check_withdrawal(project, documents, name)
        submitted.withdraw(name)
        forget_parking(settings, name)
        return [f"{name}: withdrawn"]
    finally:
        requests.lock.release()


def park(settings: Settings, name: str, by: str | None = None) -> list[str]:
    """Answer a query no more until it is resumed; what happened, in lines.

    Args:
        settings: of the project.
        name: of the query.
        by: who asks for it, if that is known.

    Raises:
        KaicepError: there is none, or it is parked already, or has ended.
    """
    requests = Requests(folder_of(settings))
    if requests.engine_runs():
        return list(requests.ask({"park": name, "by": by}))
    try:
        _check_parking(settings, name)
        park_at_start(settings, name, by)
    finally:
        requests.lock.release()
    told = f"{name}: parked when an engine starts, with what reads it, until it is resumed"
    return [*parking_warnings(settings), told]


def _check_parking(settings: Settings, name: str) -> None:
    """Refuse to park what the next engine does not register, or refuses itself."""
    documents = SubmittedQueries(folder_of(settings)).documents()
    found, refused = registrations_at_start(Project.of(settings), documents)
    if name in refused:
        raise parked_already(name)
    known = [one.label for one in found]
    known += [parked.label for parked in parked_at_stop(settings) if parked.label not in known]
    if name not in known:
        hint = did_you_mean(name, known) or f"registered: {', '.join(known) or 'none'}"
        raise PipelineError(f"no query '{name}' is registered", hint=hint)


def resume(settings: Settings, name: str) -> list[str]:
    """Let a parked query go on with what it has missed; what happened, in lines.

    Raises:
        KaicepError: it is not parked.
    """
    requests = Requests(folder_of(settings))
    if requests.engine_runs():
        return list(requests.ask({"resume": name}))
    try:
        labels = resume_at_start(settings, name)
    finally:
        requests.lock.release()
    return [f"{label}: goes on with what it has missed when an engine starts" for label in labels]


def list_queries(settings: Settings) -> tuple[list[dict[str, Any]], list[str]]:
    """The registered queries as rows of `QUERY_COLUMNS`, and what is to be said of them as a whole."""
    requests = Requests(folder_of(settings))
    if requests.engine_runs():
        return list(requests.ask({"list": True})), []
    requests.lock.release()
    documents = SubmittedQueries(folder_of(settings)).documents()
    queries = [query for document in documents for query in document.queries]
    stopped = parked_at_stop(settings)
    refused, said = _refused(settings, documents)
    asked = {label: why.message for label, why in parked_at_start(settings).items()}
    parked = {**refused, **{known.label: str(known) for known in stopped if not known.resuming}, **asked}
    behind = [known.label for known in stopped if known.demoted and known.label not in asked]
    others = [label for label in dict.fromkeys([*(known.label for known in stopped), *asked]) if label not in queries]
    rows = [
        dict(zip(QUERY_COLUMNS, (query, _waits(query, parked, behind), None, of, None, parked.get(query)), strict=True))
        for of, labels in (("submitted", queries), ("run", others))
        for query in labels
    ]
    if not rows:
        return rows, ["no engine runs, and no query was submitted; those of the project are answered when one starts"]
    return rows, ["no engine runs; these, and those of the project, are answered when one starts", *said]


def _refused(settings: Settings, documents: Sequence[SubmittedDocument]) -> tuple[dict[str, str], list[str]]:
    """By label why submitted queries are parked at the next start, and what keeps an engine from starting."""
    try:
        refused = refused_at_start(Project.of(settings), documents) if documents else {}
    except KaicepError as error:
        return {}, [f"no engine starts until this is mended: {error}"]
    return {label: f"refused: {error.message}" for label, error in refused.items()}, []


def _waits(query: str, parked: Mapping[str, str], behind: Collection[str]) -> str:
    return "behind" if query in behind else "parked" if query in parked else "waits"
