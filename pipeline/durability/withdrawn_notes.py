"""What is noted of queries on the disk: enough of a text to check it anew when nobody submits it any more.

A query that derives contexts is one of these when it was withdrawn, or when a project file has lost it between two
starts, for as long as somebody speaks of the contexts that it has changed (docs/decisions/247).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ...errors import KaicepError
from ...language.nodes import Query
from ..catalog import Catalog
from ..flow import Dataflow, Registration, Withdrawal, WithdrawnQueries

__all__ = ["KnownChanges", "RegistrationNote", "changes_part", "registration_note", "withdrawn_queries"]

_CHANGES = "changes"
"""What a checkpoint calls how far changes of contexts are known."""

RegistrationNote = dict[str, Any]


def registration_note(registration: Registration) -> RegistrationNote:
    """A registration as JSON has it; that of a query in no contexts is as earlier versions had it."""
    query, withdrawal = registration.query, registration.withdrawal
    note: RegistrationNote = {"query": query.normal, "now": _text(registration.now)}
    if query.name is not None:
        note["name"] = query.name
    if query.retention is not None:
        note["retention"] = query.retention.total_seconds()
    if query.context_sets:
        note["sets"] = {each.name: each.normal for each in query.context_sets}
    if query.changed_sets:
        note["derives"] = ", ".join(query.changed_sets)
    if withdrawal is not None:
        note["withdrawn"] = {
            "label": withdrawal.label,
            "batch": withdrawal.batch,
            "until": _text(withdrawal.until),
            "place": withdrawal.place,
            "since": _text(withdrawal.since),
            "sets": {name: _text(moment) for name, moment in withdrawal.sets.items()},
        }
    return note


def changes_part(dataflow: Dataflow, resuming: Collection[str]) -> dict[str, bytes]:
    """How far the changes of deriving queries are known, and which were withdrawn, for the checkpoint, by name.

    Args:
        dataflow: with the queries.
        resuming: labels of those that are with what they have missed.
    """
    queries = dataflow.queries
    queries.note_changes(dataflow.watermarks, resuming)
    withdrawn = {one.label: registration_note(one) for one in queries.withdrawn}
    if not queries.contexts and not withdrawn:
        return {}
    content = {
        "until": _texts(queries.changed_until, dataflow),
        "since": _texts(queries.changed_since, dataflow),
        "sets": {name: _text(contexts.now) for name, contexts in queries.contexts.items()},
        "withdrawn": withdrawn,
    }
    return {_CHANGES: json.dumps(content).encode()}


class KnownChanges:
    """What a checkpoint says of changes of contexts; of an earlier version it says nothing.

    Attributes:
        until: by label, the moment before which the changes of each deriving query are known.
        since: by label, that before which they count for nothing.
        sets: by name, when each set of contexts was registered.
        withdrawn: notes of queries that were withdrawn, by label.

    Args:
        parts: of the checkpoint.
    """

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        content = json.loads(parts.get(_CHANGES, b"{}"))
        self.until = {label: datetime.fromisoformat(text) for label, text in content.get("until", {}).items()}
        self.since = {label: datetime.fromisoformat(text) for label, text in content.get("since", {}).items()}
        self.sets = {name: _moment(text) for name, text in content.get("sets", {}).items()}
        self.withdrawn: dict[str, RegistrationNote] = content.get("withdrawn", {})


def withdrawn_queries(
    notes: Mapping[str, RegistrationNote],
    queries: Sequence[Registration],
    known: Sequence[Registration],
    changes: KnownChanges,
    *,
    batch_of: Callable[[str], int],
    project: Catalog,
    say: Callable[[str], None],
) -> WithdrawnQueries:
    """The withdrawn queries whose changes still count, and those that a project has lost.

    Args:
        notes: of the registrations, by label; in the order in which these came.
        queries: those that are registered, or are to be.
        known: the former.
        changes: how far they are known.
        batch_of: by label, the first batch that a query that is lost was not answered for.
        project: checks their texts.
        say: takes a line of the log about those that it refuses.
    """
    found = {label: (note, _withdrawal(note["withdrawn"])) for label, note in notes.items() if "withdrawn" in note}
    texts = {query.label: query.query.normal for query in queries}
    registered = [(label, note) for label, note in notes.items() if "withdrawn" not in note]
    for place, (label, note) in reversed(list(enumerate(registered))):
        until = changes.until.get(label)
        if texts.get(label) != note["query"] and (until is not None or "name" in note):
            sets = {name: changes.sets[name] for name in note.get("sets", {}) if name in changes.sets}
            found[label] = note, Withdrawal(label, batch_of(label), until, place, changes.since.get(label), sets)
    kept = WithdrawnQueries()
    for label, query in _checked(found, [one.query for one in queries], project, say).items():
        note, withdrawal = found[label]
        kept.add(Registration(query, label, _moment(note["now"])), withdrawal)
    kept.retain({each.name for one in known for each in one.query.context_sets})
    return kept


def _checked(
    found: Mapping[str, tuple[RegistrationNote, Withdrawal]],
    queries: Sequence[Query],
    project: Catalog,
    say: Callable[[str], None],
) -> dict[str, Query]:
    """The queries of notes, by label, in their order; those that the project refuses now are left out."""
    checked: dict[str, Query] = {}
    refused: dict[str, KaicepError] = {}
    before = -1
    while len(checked) > before:  # one may read another, or the attributes of its windows
        before = len(checked)
        for label, (note, withdrawal) in found.items():
            others = [(found[other][1].batch, query) for other, query in checked.items()]
            read = [query for batch, query in sorted(others, key=lambda one: -one[0]) if batch >= withdrawal.batch]
            try:
                checked.setdefault(label, _compiled(note, [*queries, *read], project))
            except KaicepError as error:
                refused[label] = error
    for label in [label for label in found if label not in checked and "derives" in found[label][0]]:
        gone = found[label][1].label
        say(f"recovery: what {gone} has changed, which was withdrawn, cannot be derived again: {refused[label]}")
    return {label: checked[label] for label in found if label in checked}


def _compiled(note: RegistrationNote, outputs: Sequence[Query], project: Catalog) -> Query:
    known = {each.name for query in outputs for each in query.context_sets}
    declared = [text for name, text in note.get("sets", {}).items() if name not in known]
    retention = timedelta(seconds=note["retention"]) if "retention" in note else None
    text = ";\n".join([*declared, note["query"]])
    query = project.compile(text, source="withdrawn", retention=retention, outputs=outputs)[-1]
    # Its name may be that of another one by now, so it has none in the text.
    name = note.get("name")
    return query if name is None else replace(query, name=name, output=replace(query.output, name=name))


def _withdrawal(note: Mapping[str, Any]) -> Withdrawal:
    sets = {name: _moment(moment) for name, moment in note["sets"].items()}
    moments = _moment(note["until"]), _moment(note["since"])
    return Withdrawal(note["label"], note["batch"], moments[0], note["place"], moments[1], sets)


def _texts(moments: Mapping[str, datetime], dataflow: Dataflow) -> dict[str, str]:
    """The moments of the queries of a data flow, by label."""
    return {label: moments[label].isoformat() for label in dataflow.flows if label in moments}


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
